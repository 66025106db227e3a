import { toErrorData } from "../../core/error-data.ts";
import { AgentError, isAgentError, type Proposal } from "../../core/errors.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import {
  type LanguageModel,
  type ModelAttempts,
  type ModelMessage,
  type ModelResponse,
  type ModelResponseFormat,
  modelName,
} from "../../core/language-model.ts";
import { modelFailure } from "../../core/model-failure.ts";
import type { PlanFailure, PlanStep } from "../../core/plan.ts";
import type { PlanRequest } from "../../core/planner.ts";
import { leastLikely, ofCall } from "./certainty.ts";
import { AnswerReader, type AnswerScope, type CheckedAnswer, checkAnswer, isCall, parseJson } from "./check-answer.ts";
import type { EarlierStep } from "./read-calls.ts";

export interface Question {
  readonly messages: readonly ModelMessage[];
  readonly schema: JsonSchema;
  /** After a server rejects a schema, no other schema with the same source is sent. */
  readonly source: object;
  readonly isStrict: boolean;
  readonly scope: AnswerScope;
  readonly chosen?: readonly string[] | undefined;
}

export interface ModelSettings {
  readonly name: string;
  readonly model: LanguageModel;
  readonly temperature: number | null;
  readonly maxOutputTokens: number | undefined;
}

export class RefusedFeatures {
  readonly formats = new WeakSet<object>();
  temperature = false;
}

export interface ModelTask {
  readonly settings: ModelSettings;
  readonly refused: RefusedFeatures;
  readonly request: PlanRequest;
  readonly question: Question;
  readonly elsewhere?: (() => Promise<Question>) | undefined;
}

export interface ModelSteps {
  readonly steps: readonly PlanStep[];
  readonly made: readonly EarlierStep[];
  readonly unasked: readonly EarlierStep[];
  readonly likelihood: number | undefined;
  readonly attempts: number;
  readonly failures: readonly PlanFailure[];
  readonly chosen: readonly string[] | undefined;
}

type Format = "schema" | "json" | "text";

const weaker: Readonly<Record<Format, Format | undefined>> = { schema: "json", json: "text", text: undefined };
const anyJson = {};
const usualOutput = 2_048;
const maxText = 500;
const maxMessage = 2_000;

export class ModelDialogue {
  readonly #failures: PlanFailure[] = [];
  #question: Question;
  #messages: readonly ModelMessage[];
  #format: Format;
  #maxOutputTokens: number | undefined;
  #temperature: number | undefined;
  #attempts = 0;
  #answers = 0;
  #mayAskForAll = true;
  #mayAskAgain = true;
  #mayAskElsewhere = true;

  constructor(private readonly task: ModelTask) {
    const { model, temperature, maxOutputTokens } = task.settings;
    this.#question = task.question;
    this.#messages = task.question.messages;
    this.#temperature = task.refused.temperature ? undefined : (temperature ?? undefined);
    this.#maxOutputTokens = maxOutputTokens ?? (model.hasOutputLimit ? undefined : usualOutput);
    this.#format = this.#strongestFormat();
  }

  #strongestFormat(): Format {
    const { formats } = this.task.refused;
    return formats.has(anyJson) ? "text" : formats.has(this.#question.source) ? "json" : "schema";
  }

  async run(): Promise<ModelSteps> {
    for (;;) {
      const response = await this.#call();
      if (response === undefined) continue;
      // Some servers return the whole answer as thinking.
      const text = response.text.trim() === "" ? (response.reasoning ?? "") : response.text;
      const steps = await this.#judge(await checkAnswer(text, this.#question.scope), response);
      if (steps !== undefined) return steps;
    }
  }

  async #judge(answer: CheckedAnswer, response: ModelResponse): Promise<ModelSteps | undefined> {
    if (answer.type === "refusal") {
      await this.#askElsewhere();
      return undefined;
    }
    const { text, logprobs } = response;
    if (answer.type === "plan") {
      const { scope, chosen } = this.#question;
      const { steps, made } = answer;
      const likelihood = leastLikely(text, logprobs, scope);
      const spent = { attempts: this.#attempts, failures: this.#failures };
      return { steps, made, unasked: made.filter(scope.isUnasked), likelihood, ...spent, chosen };
    }
    const { code, problems } = answer;
    this.#fail(code, describeProblems(problems).join(" "), text);
    if (!this.#mayAskAgain) throw code === "no-json" ? this.#planningFailed() : this.#cannotPlan(problems[0] ?? "");
    this.#mayAskAgain = false;
    this.#messages = askAgain(this.#question.messages, { answer: text, problems });
    // The grammar may be the reason for an empty answer.
    if (text.trim() === "") this.#format = weaker[this.#format] ?? this.#format;
    return undefined;
  }

  async #askElsewhere(): Promise<void> {
    const { elsewhere } = this.task;
    const why = "no tool clearly does what the request asks";
    if (elsewhere === undefined || !this.#mayAskElsewhere) throw this.#cannotPlan(why);
    this.#mayAskElsewhere = false;
    this.#fail("cannot-plan", `With the tools chosen first: ${why}.`);
    this.#question = await elsewhere();
    this.#messages = this.#question.messages;
    this.#format = this.#strongestFormat();
  }

  async #call(): Promise<ModelResponse | undefined> {
    this.task.request.signal.throwIfAborted();
    this.#attempts++;
    let response: ModelResponse;
    try {
      response = await this.#generate();
    } catch (thrown) {
      this.#giveWay(thrown);
      return undefined;
    }
    if (response.finishReason === "content-filter") {
      this.#fail("content-filter", "The provider withheld the answer.", response.text);
      throw this.#planningFailed();
    }
    if (response.finishReason !== "length") return response;
    const limit = this.#maxOutputTokens;
    const { maxOutputTokens: room = limit, text, reasoning } = response;
    const isFull = limit === undefined || (room ?? 0) < limit;
    // Thinking counts as output, and some providers do not show it.
    const thought = text.trim() !== "" ? "" : reasoning ? ", used up by thinking" : ", probably used up by thinking";
    const why = isFull && room !== undefined ? "; the model's context or the budget leaves no more" : "";
    const where = room === undefined ? "at the model's own limit" : `after ${room} tokens`;
    this.#fail("cut-off", `The answer was cut off ${where}${thought}${why}.`, text);
    if (!this.#mayAskForAll || isFull) throw this.#planningFailed();
    this.#mayAskForAll = false;
    this.#maxOutputTokens = 2 * limit;
    return undefined;
  }

  async #generate(): Promise<ModelResponse> {
    const { request, settings } = this.task;
    const { name: planner, model } = settings;
    const { scope } = this.#question;
    const [messages, maxOutputTokens, temperature] = [this.#messages, this.#maxOutputTokens, this.#temperature];
    const { signal, emit } = request;
    const generate = request.generate ?? ((called, asked) => called.generate(asked));
    let reporter: StepReporter | undefined;
    const startOver = () => {
      const attempt = ++this.#answers;
      reporter =
        emit && new StepReporter(scope, (index, step) => emit({ type: "plan-delta", planner, attempt, index, step }));
    };
    const onTextDelta = emit && ((delta: string) => reporter?.push(delta));
    const make: ModelAttempts["make"] = async (attempt, call) => {
      if (attempt > 1) {
        await reporter?.emitting;
        startOver();
      }
      const response = await call({ onTextDelta });
      await reporter?.emitting;
      return response;
    };
    startOver();
    const { schema, isStrict } = this.#question;
    const ofSchema: ModelResponseFormat = { type: "json", schema, ...(isStrict && { strict: true }) };
    const responseFormat: ModelResponseFormat = this.#format === "schema" ? ofSchema : { type: this.#format };
    try {
      const attempts: ModelAttempts = { make, retry: () => {} };
      const asked = { messages, responseFormat, maxOutputTokens, temperature, logprobs: true, signal };
      return requireResponse(model, await generate(model, { ...asked, onTextDelta, attempts }));
    } finally {
      if (!signal.aborted) await reporter?.emitting;
    }
  }

  #giveWay(thrown: unknown): void {
    const { settings, refused, request } = this.task;
    if (request.signal.aborted) throw request.signal.reason;
    const { message } = toErrorData(thrown);
    const format = this.#format;
    this.#fail(isAgentError(thrown) ? thrown.code : "planning-failed", message);
    const next = weaker[format];
    if (isAgentError(thrown, "limit-exceeded")) {
      const failures = this.#failures.slice(0, -1);
      const details = failures.length > 0 ? { ...thrown.details, failures } : thrown.details;
      throw new AgentError("limit-exceeded", thrown.message, { details });
    }
    if (!isAgentError(thrown, "model-failed")) throw isAgentError(thrown) ? thrown : this.#planningFailed(thrown);
    const { reason } = thrown.details;
    if (reason === "rejected" && this.#temperature !== undefined && /temperature/i.test(message)) {
      this.#temperature = undefined;
      refused.temperature = true;
      return;
    }
    // A broken stream cuts off an answer, too.
    const isCut = reason === "interrupted" && thrown.retryable && settings.model.retry === undefined;
    if (isCut && this.#mayAskForAll) {
      this.#mayAskForAll = false;
      return;
    }
    if (reason !== "format-rejected" || next === undefined) throw this.#planningFailed(thrown);
    refused.formats.add(format === "schema" ? this.#question.source : anyJson);
    this.#format = next;
  }

  #fail(code: string, message: string, text?: string): void {
    const { name: planner, model } = this.task.settings;
    const beginning = text === undefined ? "" : cut(text.trim(), maxText);
    const failure = { planner, model: modelName(model), code, message: cut(message, maxMessage) };
    this.#failures.push({ ...failure, ...(beginning && { text: beginning }) });
  }

  #cannotPlan(why: string): AgentError<"cannot-plan"> {
    return cannotPlan(this.task.settings.model, { why, failures: this.#failures });
  }

  #planningFailed(cause?: unknown): AgentError<"planning-failed"> {
    const { name: planner, model } = this.task.settings;
    const last = this.#failures.at(-1)?.message ?? "";
    const tries = this.#attempts > 1 ? ` after ${this.#attempts} tries` : "";
    const message = `The planner "${planner}" got no plan from ${modelName(model)}${tries}: ${last}`;
    const details = { planner, model: modelName(model), failures: this.#failures };
    return new AgentError("planning-failed", message, { details, cause });
  }
}

function requireResponse(model: LanguageModel, response: unknown): ModelResponse {
  const { text, finishReason } = (response ?? {}) as Partial<ModelResponse>;
  if (typeof text === "string" && typeof finishReason === "string") return response as ModelResponse;
  const message = `${modelName(model)} must return { text, finishReason, usage } from generate; text and finishReason must be strings.`;
  throw modelFailure(model, "invalid-response", { message });
}

interface Refusal {
  readonly why: string;
  readonly failures?: readonly PlanFailure[];
  readonly reason?: "unsure";
  readonly proposals?: readonly Proposal[];
}

export function cannotPlan(
  model: LanguageModel,
  { why, failures = [], ...details }: Refusal,
): AgentError<"cannot-plan"> {
  return new AgentError("cannot-plan", `${modelName(model)} cannot plan this: ${cut(why, maxText)}.`, {
    details: { reason: "not-understood", examples: [], ...details, ...(failures.length > 0 && { failures }) },
  });
}

/** Cuts text and replaces lone surrogates, because some servers reject them. */
export function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

const maxProblems = 10;
const maxProblem = 500;

/** Limits the number and length of the problems, which may quote a hostile answer. */
function describeProblems(problems: readonly string[]): readonly string[] {
  const shown = problems.slice(0, maxProblems).map((problem) => cut(problem, maxProblem));
  return problems.length > maxProblems ? [...shown, `and ${problems.length - maxProblems} more`] : shown;
}

const maxEcho = 1_000;

function askAgain(
  messages: readonly ModelMessage[],
  { answer, problems }: { readonly answer: string; readonly problems: readonly string[] },
): readonly ModelMessage[] {
  const shown = describeProblems(problems).map((problem) => `- ${problem}`);
  const content = `That is not valid:\n${shown.join("\n")}\nAnswer with the whole JSON object again, corrected.`;
  if (answer.trim() !== "")
    return [...messages, { role: "assistant", content: cut(answer, maxEcho) }, { role: "user", content }];
  // Some providers reject two user messages in a row.
  const last = messages.at(-1);
  return [...messages.slice(0, -1), { role: "user", content: `${last?.content}\n\n${content}` }];
}

class StepReporter {
  #text = "";
  #at = 0;
  #depth = 0;
  #start = 0;
  #isQuoted = false;
  readonly #reader: AnswerReader;
  #emitted = 0;
  /** Resolves to false after an invalid call. Never rejects. */
  emitting = Promise.resolve(true);

  constructor(
    private readonly scope: AnswerScope,
    private readonly emitStep: (index: number, step: PlanStep) => void | Promise<void>,
  ) {
    this.#reader = new AnswerReader(scope);
  }

  push(delta: string): void {
    for (const call of this.#callsIn(delta))
      this.emitting = this.emitting.then((isWhole) => isWhole && this.#next(call)).catch(() => false);
  }

  async #next(call: unknown): Promise<boolean> {
    const { length } = this.scope.kept;
    if (!isCall(call) || this.#reader.add(call) !== undefined) return false;
    const { plan } = await this.#reader.checkPlan();
    if (plan === undefined) return false;
    for (const step of this.#reader.steps().slice(this.#emitted)) await this.emitStep(length + this.#emitted++, step);
    return true;
  }

  #callsIn(delta: string): readonly unknown[] {
    this.#text += delta;
    const calls: unknown[] = [];
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charAt(this.#at);
      if (this.#isQuoted) {
        if (character === "\\") this.#at++;
        else this.#isQuoted = character !== '"';
      } else if (character === '"') this.#isQuoted = this.#depth > 0;
      else if (character === "{" || character === "[") {
        if (++this.#depth === ofCall) this.#start = this.#at;
      } else if (character === "}" || character === "]") {
        const call = this.#depth-- === ofCall ? parseJson(this.#text.slice(this.#start, this.#at + 1)) : undefined;
        if (call !== undefined) calls.push(call);
      }
    }
    return calls;
  }
}
