import { onAbort } from "../../async/abort.ts";
import { toErrorData } from "../../core/error-data.ts";
import { AgentError } from "../../core/errors.ts";
import type { EventInit, ModelEndEvent, RunBudget } from "../../core/events.ts";
import {
  estimateTokens,
  type LanguageModel,
  type ModelAttempts,
  type ModelRequest,
  type ModelResponse,
  modelName,
} from "../../core/language-model.ts";
import {
  addUsage,
  costOf,
  type ModelCall,
  type ModelUsage,
  modelCall,
  priceOf,
  sumCalls,
} from "../../core/model-usage.ts";
import { failOption } from "../../core/option-tables.ts";

const minOutputTokens = 16;

export interface MeterHost {
  readonly now: () => number;
  readonly emit: (event: EventInit) => void | Promise<void>;
  readonly within?: <T extends object>(about: { readonly model: string; readonly attempt: number }, call: () => T) => T;
}

type AskModel = Parameters<ModelAttempts["make"]>[1];

export class ModelMeter {
  readonly calls: ModelCall[] = [];
  readonly #open = new Set<() => void>();
  #isClosed = false;

  constructor(
    private readonly budget: RunBudget | undefined,
    private readonly spent: ModelUsage | undefined,
    private readonly host: MeterHost,
  ) {}

  get usage(): ModelUsage | undefined {
    return sumCalls(this.calls);
  }

  /** An abandoned planner must not spend more. */
  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#open]) end();
  }

  generate(model: LanguageModel, request: ModelRequest): Promise<ModelResponse> {
    const attempts: ModelAttempts = {
      make: (attempt, call) => this.#attempt(model, request, { attempt, call }),
      retry: ({ attempt, error, delayMs }) => {
        this.#admit(model, { inputTokens: estimatePrompt(model, request), maxOutputTokens: capOf(request) });
        return this.host.emit({ type: "model-retry", model: modelName(model), attempt, error, delayMs });
      },
    };
    if (model.retry !== undefined) return model.generate({ ...request, attempts });
    const { attempts: _attempts, ...plain } = request;
    return attempts.make(1, (instead) => model.generate({ ...plain, ...instead }));
  }

  /** Counts the estimate of an attempt until it ends, so that parallel attempts together stay within the budget. */
  async #attempt(
    model: LanguageModel,
    request: ModelRequest,
    { attempt, call }: { attempt: number; call: AskModel },
  ): Promise<ModelResponse> {
    const { signal } = request;
    if (this.#isClosed) throw planningEnded(model);
    if (signal.aborted) throw signal.reason;
    const inputTokens = estimatePrompt(model, request);
    const maxOutputTokens = this.#admit(model, { inputTokens, maxOutputTokens: capOf(request) });
    const index = this.calls.push(modelCall(model, {}, { inputTokens, outputTokens: maxOutputTokens ?? 0 })) - 1;
    const about = { model: modelName(model), attempt };
    let heard = "";
    const ask: AskModel = (own) =>
      call({
        maxOutputTokens,
        onTextDelta: (delta) => {
          heard += delta;
          (own?.onTextDelta ?? request.onTextDelta)?.(delta);
        },
      });
    const countHeard = () => {
      this.calls[index] = modelCall(model, {}, { inputTokens, outputTokens: estimateTokens(heard) });
    };
    const startMs = this.host.now();
    let hasEnded = false;
    const end = (outcome: ModelEndEvent["outcome"]) => {
      if (hasEnded) return;
      hasEnded = true;
      const { model: _name, ...used } = this.calls[index] as ModelCall;
      const durationMs = Math.max(0, this.host.now() - startMs);
      return this.host.emit({ type: "model-end", ...about, usage: { modelCalls: 1, ...used }, durationMs, outcome });
    };
    // The next call may start before the model notices the abort, and needs to know what is left of the budget.
    const stopListening = onAbort(signal, countHeard);
    const abandon = () => {
      countHeard();
      void end({ status: "cancelled", error: planningEnded(model).toJSON() });
    };
    this.#open.add(abandon);
    try {
      const started = this.host.emit({ type: "model-start", ...about });
      if (started !== undefined) await started;
      const make = () => request.attempts?.make(attempt, ask) ?? ask();
      const response = await (this.host.within?.(about, make) ?? make());
      const answer = { inputTokens, outputTokens: estimateTokens((response.reasoning ?? "") + response.text) };
      this.calls[index] = modelCall(model, response.usage, answer);
      await end({ status: "completed" });
      const isLowered = maxOutputTokens !== undefined && maxOutputTokens < (capOf(request) ?? Number.POSITIVE_INFINITY);
      return isLowered && response.maxOutputTokens === undefined ? { ...response, maxOutputTokens } : response;
    } catch (thrown) {
      if (heard === "" && isUnread(thrown)) this.calls[index] = modelCall(model, nothing, nothing);
      else countHeard();
      await end({ status: signal.aborted ? "cancelled" : "failed", error: toErrorData(thrown) });
      throw thrown;
    } finally {
      stopListening();
      this.#open.delete(abandon);
    }
  }

  describeOverrun(): string | undefined {
    const used = this.#total();
    const { tokens = Number.POSITIVE_INFINITY, cost = Number.POSITIVE_INFINITY } = this.budget ?? {};
    if (tokensOf(used) > tokens) return `${tokensOf(used)} tokens were used, but the budget is ${tokens}`;
    const spent = used?.cost ?? 0;
    return isOver(spent, cost) ? `model calls cost ${spent}, but the budget is ${cost}` : undefined;
  }

  #admit(
    model: LanguageModel,
    { inputTokens, maxOutputTokens }: { inputTokens: number; maxOutputTokens: number | undefined },
  ): number | undefined {
    const { budget } = this;
    if (budget === undefined) return maxOutputTokens;
    const used = this.#total();
    const calls = (used?.modelCalls ?? 0) + 1;
    if (calls > (budget.modelCalls ?? calls))
      throw overBudget(model, { limit: "modelCalls", max: budget.modelCalls ?? 0, used: calls });
    const leastTokens = Math.min(minOutputTokens, maxOutputTokens ?? minOutputTokens);
    let room = maxOutputTokens ?? Number.POSITIVE_INFINITY;
    if (budget.tokens !== undefined) {
      const before = tokensOf(used) + inputTokens;
      const least = before + leastTokens;
      if (least > budget.tokens) throw overBudget(model, { limit: "tokens", max: budget.tokens, used: least });
      room = Math.min(room, Math.floor(budget.tokens - before));
    }
    if (budget.cost !== undefined) {
      const spent = used?.cost ?? 0;
      room = Math.min(room, costRoom(model, { spent, max: budget.cost, inputTokens, leastTokens }));
    }
    return room === Number.POSITIVE_INFINITY ? undefined : Math.max(room, leastTokens);
  }

  #total(): ModelUsage | undefined {
    const { usage } = this;
    return usage === undefined ? this.spent : addUsage(this.spent, usage);
  }
}

const unreadReasons: ReadonlySet<unknown> = new Set(
  "unreachable unknown-model unauthorized busy format-rejected prompt-too-long rejected".split(" "),
);
const nothing = { inputTokens: 0, outputTokens: 0 };
const tokensPerMessage = 4;

function isUnread(thrown: unknown): boolean {
  const { code, details } = toErrorData(thrown);
  const { reason } = (details ?? {}) as { readonly reason?: unknown };
  return code === "model-failed" && unreadReasons.has(reason);
}

function capOf({ maxOutputTokens }: ModelRequest): number | undefined {
  const isCap = maxOutputTokens !== undefined && maxOutputTokens >= 0 && maxOutputTokens < Number.POSITIVE_INFINITY;
  return isCap ? maxOutputTokens : undefined;
}

/** Tolerates the rounding error of sums such as 0.1 + 0.2. */
function isOver(cost: number, budget: number): boolean {
  return cost > budget * (1 + 1e-9);
}

function estimatePrompt({ schemas }: LanguageModel, { messages, responseFormat }: ModelRequest): number {
  // Hosted models bill the schema as input. Others turn it into a grammar.
  const schema = responseFormat?.type === "json" && schemas !== "grammar" ? responseFormat.schema : undefined;
  const schemaTokens = schema === undefined ? 0 : estimateTokens(JSON.stringify(schema));
  return messages.reduce((sum, { content }) => sum + estimateTokens(content) + tokensPerMessage, schemaTokens);
}

function tokensOf(usage: ModelUsage | undefined): number {
  return (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
}

function costRoom(
  model: LanguageModel,
  { spent, max, inputTokens, leastTokens }: { spent: number; max: number; inputTokens: number; leastTokens: number },
): number {
  const price = priceOf(model);
  if (price === undefined) {
    const price = "the model with { price: { inputPerMillion, outputPerMillion } }";
    return failOption("budget.cost", max, `left out: "${modelName(model)}" has no price; create ${price}`);
  }
  const least = spent + costOf(price, { inputTokens, outputTokens: leastTokens });
  if (isOver(least, max)) throw overBudget(model, { limit: "cost", max, used: least });
  if (price.outputPerMillion === 0) return Number.POSITIVE_INFINITY;
  const room = max - spent - costOf(price, { inputTokens, outputTokens: 0 });
  return Math.floor((room * 1_000_000) / price.outputPerMillion);
}

function planningEnded(model: LanguageModel): AgentError<"cancelled"> {
  const reason = "planning has ended";
  return new AgentError("cancelled", `${modelName(model)} is not called: ${reason}.`, { details: { reason } });
}

function overBudget(
  model: LanguageModel,
  details: { limit: "modelCalls" | "tokens" | "cost"; max: number; used: number },
): AgentError<"limit-exceeded"> {
  const { limit, max, used } = details;
  const message = `Calling ${modelName(model)} would bring ${limit} to at least ${used}; the budget is ${max}.`;
  return new AgentError("limit-exceeded", message, { details });
}
