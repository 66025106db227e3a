import { RecentMap } from "../../async/recent-map.ts";
import type { AccountText, UnsaidValue } from "../../core/approval.ts";
import { AgentError, type Proposal } from "../../core/errors.ts";
import type { JsonPath } from "../../core/json.ts";
import { modelName } from "../../core/language-model.ts";
import type { PlanSource, PlanStep, PlanWarning } from "../../core/plan.ts";
import type { PlanRequest, ReplanRequest } from "../../core/planner.ts";
import { remembered } from "../../core/remembered.ts";
import { isDoneRecord, type StepRecord } from "../../core/run-result.ts";
import { toolOf } from "../../core/step.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { toolFingerprint } from "../../core/tool-schemas.ts";
import { mayHoldDate } from "../../dates/date-words.ts";
import { emptyWords, mentionsResult } from "../../english/word-classes.ts";
import { findRefusal, type RefusalKind } from "../../language/refusals.ts";
import type { CheckedDraft } from "../../plan/check-draft.ts";
import { languageOf } from "../../plan/expressions.ts";
import { sayNames } from "../../plan/say-call.ts";
import { type Account, accountFor } from "../rules/account.ts";
import { contentStarts } from "../rules/courtesy.ts";
import { opensWish, splitRequest } from "../rules/cut-wishes.ts";
import { compileTool } from "../rules/phrase-rules.ts";
import { readRequest } from "../rules/request.ts";
import { sayOpenly } from "../rules/say.ts";
import { isPureStep, waitsOf } from "../rules/steps.ts";
import { answerSchema, spanPattern } from "./answer-schema.ts";
import { certaintyOf, isNamed } from "./certainty.ts";
import {
  cannotPlan,
  cut,
  ModelDialogue,
  type ModelSettings,
  type ModelSteps,
  type Question,
  RefusedFeatures,
} from "./model-dialogue.ts";
import { type ChooseTools, readNearest } from "./nearest-tools.ts";
import { isAskedFor, isDoneBy, isGrave, isUndoneBy, type Operation, operationOf, resultKeys } from "./operations.ts";
import { type Prompt, type PromptOptions, promptOf } from "./prompt.ts";
import type { EarlierStep } from "./read-calls.ts";

export interface ModelPlannerSettings extends PromptOptions, ModelSettings {
  readonly tools: "all" | "nearest";
  readonly minCertainty: number;
  readonly maxCachedPlans: number;
}

/** Estimated tokens that a small model reads in seconds. */
const maxToolTokens = { all: 1_500, nearest: 1_000 };
/** Models make mistakes in longer lists. */
const maxCalls = 20;

export class ModelPlanner {
  readonly #prompts: ToolSets<Prompt>;
  readonly #nearest: ToolSets<ChooseTools | undefined>;
  readonly #plans: RecentMap<CheckedDraft>;
  readonly #refused = new RefusedFeatures();
  #contextTokens: Promise<number | undefined> | undefined;

  constructor(private readonly settings: ModelPlannerSettings) {
    this.#plans = new RecentMap(settings.maxCachedPlans);
    const { expressions, model, tools } = settings;
    const dialect = model.schemas ?? "plain";
    const options = { dialect, maxCalls, results: [], expressions };
    const schemaOf = (operations: readonly Operation[]) => answerSchema(operations, options).schema;
    const maxTokens = maxToolTokens[tools];
    // Without a grammar, the model also reads the schema, which is twice as long as the lines of its tools.
    const room = dialect === "grammar" ? { maxTokens, schemaOf: undefined } : { maxTokens: maxTokens * 3, schemaOf };
    this.#nearest = new ToolSets((each) => readNearest(each, room));
    this.#prompts = new ToolSets(async (tools) =>
      promptOf(tools, { ...settings, contextTokens: await this.#contextTokens }),
    );
  }

  async plan(request: PlanRequest, replan?: ReplanRequest): Promise<CheckedDraft> {
    const isCached = replan === undefined && request.thread === undefined && this.settings.maxCachedPlans > 0;
    // "In 5 minutes" means a different time in each request, so such a plan is not cached.
    if (!isCached || mayHoldDate(request.request)) return this.#make(request, replan);
    const key = await cacheKey(request);
    const known = this.#plans.get(key);
    if (known !== undefined) return { steps: known.steps, source: { ...known.source, attempts: 0, cached: true } };
    const plan = await this.#make(request);
    this.#plans.set(key, plan);
    return plan;
  }

  async #make(request: PlanRequest, replan?: ReplanRequest): Promise<CheckedDraft> {
    const { signal, request: text } = request;
    const isAlone = replan === undefined && request.wishes === undefined;
    const refusal = findRefusal(text);
    const isQuestion = refusal !== undefined && questions.has(refusal.reason);
    const isWritten = this.settings.expressions && refusal?.reason === "condition";
    if (isAlone && refusal !== undefined && !isQuestion && !isWritten) throw notAsked(refusal);
    this.#contextTokens ??= this.#askForContext(signal);
    const making = new Making(request, replan);
    const parts = replan === undefined ? splitRequest(text, request.wishes) : [{ text, maxCalls }];
    if (parts.length > request.maxSteps)
      throw cannotPlan(this.settings.model, {
        why: `the request asks for ${parts.length} things, but a plan may have at most ${request.maxSteps} steps`,
      });
    for (const part of parts) {
      if (part.steps !== undefined) await making.take(part.steps, this.settings.name);
      else {
        const before = making.steps.length;
        making.add(await this.#ask(making, part.text, Math.min(part.maxCalls ?? 1, maxCalls)));
        const asked = replan === undefined ? findRefusal(part.text) : undefined;
        if (asked !== undefined && questions.has(asked.reason) && !making.isPure(before)) throw notAsked(asked);
      }
    }
    return making.finish(this.settings);
  }

  async #askForContext(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.settings.model.getContextTokens?.(signal);
    } catch {
      this.#contextTokens = undefined;
      return undefined;
    }
  }

  async #ask(making: Making, text: string, most: number): Promise<ModelSteps> {
    const { request } = making;
    const choose = await this.#nearest.get(request.tools);
    const chosen = choose?.(text, new Set(making.kept().map(toolOf)));
    const about = async (tools: readonly DefinedTool[]) => ({
      ...this.#questionOf(making, { text, maxCalls: most }, await this.#prompts.get(tools)),
      ...(choose !== undefined && { chosen: tools.map((tool) => tool.name) }),
    });
    const dialogue = new ModelDialogue({
      settings: this.settings,
      refused: this.#refused,
      request: making.isReplan ? { ...request, emit: undefined } : request,
      question: await about(chosen?.first ?? request.tools),
      elsewhere: chosen && (() => about(chosen.others())),
    });
    return dialogue.run();
  }

  #questionOf(
    making: Making,
    { text, maxCalls: most }: { readonly text: string; readonly maxCalls: number },
    prompt: Prompt,
  ): Question {
    const { request } = making;
    const { nowMs, timeZone, maxSteps } = request;
    const operations = new Map(prompt.operations.map((operation) => [operation.name, operation]));
    making.warnings = prompt.warnings;
    const { expressions, model } = this.settings;
    const earlier = making.kept().flatMap(({ id, tool, input = {} }): readonly EarlierStep[] => {
      const operation = operationOf(prompt.operations, tool, input);
      return operation === undefined ? [] : [{ id, input, operation }];
    });
    const wish = readRequest(text, { nowMs, timeZone });
    const isWhole = opensWish(wish.words, 0, wish.words.length);
    const said = isWhole ? wish.words : readRequest(request.request, { nowMs, timeZone }).words;
    const verb = wish.words[Math.max(...contentStarts(wish.words, 0, wish.words.length))] ?? "";
    const isOpposite = (operation: Operation) => !making.isReplan && isUndoneBy(operation, verb);
    const all = [...operations.values()];
    const isAll = prompt.tools.length === request.tools.length;
    if (isAll && all.some(isOpposite) && !all.some((operation) => isDoneBy(operation, verb)))
      throw cannotPlan(model, { why: `no tool does what ${JSON.stringify(verb)} says` });
    // A small model tends to refer to every result that it sees.
    const shown = making.isReplan || mentionsResult(wish.words, 0, wish.words.length) ? earlier : [];
    const dialect = model.schemas ?? "plain";
    const results = namesOfResults(shown, most - 1);
    const spans = dialect === "grammar" ? spanPattern(wish, results) : undefined;
    const { things = [] } = request.thread ?? {};
    const options = { dialect, maxCalls: most, results, expressions, spans, things };
    return {
      messages: [...prompt.messages, { role: "user", content: making.questionFor(text, shown) }],
      ...answerSchema(prompt.operations, options),
      source: prompt,
      scope: {
        isUnasked: ({ operation, input }) =>
          !making.isReplan && isGrave(operation, input) && !isAskedFor(operation, said, operations.values()),
        isOpposite,
        wish,
        earlier,
        things,
        operations,
        tools: new Map(request.tools.map((tool) => [tool.name, tool])),
        kept: making.kept(),
        idOf: (index) => making.idOf(index),
        maxSteps: Math.max(0, maxSteps - making.steps.length),
        expressions,
        language: languageOf(request),
        maxCalls: most,
      },
    };
  }
}

function namesOfResults(earlier: readonly EarlierStep[], others: number): readonly string[] {
  const known = earlier.flatMap(({ operation }, index) => {
    const parts = resultKeys(operation).map((key) => `.${key}`);
    return ["", ...parts].map((part) => `$${index + 1}${part}`);
  });
  return [...known, ...Array.from({ length: others }, (_, index) => `$${earlier.length + index + 1}`)];
}

const questions: ReadonlySet<RefusalKind> = new Set<RefusalKind>(["question", "supposed"]);

function notAsked({ reason, words }: NonNullable<ReturnType<typeof findRefusal>>): AgentError<"cannot-plan"> {
  const said = JSON.stringify(cut(words, maxQuoted));
  const message = `The request cannot be planned as it stands because of ${said}.`;
  return new AgentError("cannot-plan", message, { details: { reason, examples: [] } });
}

const maxQuoted = 120;

class Making {
  readonly isReplan: boolean;
  warnings: readonly PlanWarning[] = [];
  readonly steps: PlanStep[] = [];
  readonly #answers: ModelSteps[] = [];
  /** Validated steps, while there is only one answer. */
  #only: readonly PlanStep[] | undefined;
  readonly #done: readonly PlanStep[];
  readonly #numberedByRules: number;

  constructor(
    readonly request: PlanRequest,
    private readonly replan: ReplanRequest | undefined,
  ) {
    this.isReplan = replan !== undefined;
    // The result of an unfinished loop cannot be referred to.
    const open = new Set(replan?.steps.filter((record) => !isDoneRecord(record)).map(({ stepId }) => stepId));
    this.#done = replan?.plan.steps.filter(({ id }) => !open.has(id)) ?? [];
    this.#numberedByRules = request.wishes?.reduce((sum, { steps = [] }) => sum + steps.length, 0) ?? 0;
  }

  get #made(): readonly EarlierStep[] {
    return this.#answers.flatMap(({ made }) => made);
  }

  kept(): readonly PlanStep[] {
    return [...this.#done, ...this.steps];
  }

  idOf(index: number): string {
    const prefix = this.replan === undefined ? "s" : `r${this.replan.replan}_`;
    return `${prefix}${this.#numberedByRules + this.#made.length + index + 1}`;
  }

  isPure(from: number): boolean {
    return this.#callsOf(this.steps.slice(from)).every(({ tool, input }) => isPureStep(tool, input));
  }

  async take(steps: readonly PlanStep[], planner: string): Promise<void> {
    const { emit } = this.request;
    for (const step of steps) {
      this.#only = undefined;
      await emit?.({ type: "plan-delta", planner, attempt: 1, index: this.steps.length, step });
      this.steps.push(step);
    }
  }

  add(answer: ModelSteps): void {
    this.#only = this.steps.length === 0 ? answer.steps : undefined;
    this.steps.push(...answer.steps);
    this.#answers.push(answer);
  }

  questionFor(text: string, earlier: readonly EarlierStep[]): string {
    const { context, thread } = this.request;
    const parts = context === undefined ? [] : [`Information from the app: ${context}`];
    if (this.replan !== undefined) parts.push(describeFailure(this.replan));
    const names = earlier.map(({ operation }, index) => `$${index + 1} ${operation.name}`);
    return [...parts, ...(thread?.lines ?? []), ...names, text].join("\n");
  }

  async finish({ name, model, minCertainty }: ModelPlannerSettings): Promise<CheckedDraft> {
    const { tools, nowMs, timeZone } = this.request;
    const [answers, made] = [this.#answers, this.#made];
    const failures = answers.flatMap((each) => each.failures);
    const read = originsOf(made);
    const account = await accountFor(this.steps, { tools, texts: this.#texts(), clock: { nowMs, timeZone }, ...read });
    const unsaid = this.#findUnsaid(account);
    const names = new Set(answers.flatMap((each) => each.unasked.map(({ operation }) => operation.name)));
    const unasked = names.size > 0 ? `no word of the request asks for ${[...names].join(", ")}` : undefined;
    if (unsaid !== undefined) throw cannotPlan(model, { why: unasked ?? unsaid, failures });
    const isSum = made.every(({ operation }) => operation.slots.some(({ type }) => type.kind === "sum"));
    const isMeant = account.unsaid.some(({ path }) => this.#isOperation(path));
    const isFilter = ({ input, operation: { rules, slots } }: EarlierStep) =>
      !slots.some(({ type }) => /^(?:text|list|sum)$/.test(type.kind)) && isPureStep(rules.tool, input);
    // Many words of a replan belong to steps that are done.
    const counted = this.isReplan ? { ...account, words: [] } : account;
    const likelihoods = answers.flatMap(({ likelihood }) => likelihood ?? []);
    const likelihood = likelihoods.length > 0 ? Math.min(...likelihoods) : undefined;
    const operations = new Set(made.map(({ operation }) => operation.name)).size;
    const kind = { hasFilter: made.some(isFilter), isSum, isMeant, operations };
    const certainty = certaintyOf(likelihood, counted, kind);
    const hasGrave = made.some(({ operation, input }) => isGrave(operation, input));
    const isUnsure = hasGrave || isMeant || !(isSum || isNamed(account));
    const strict = hasGrave && isMeant ? 1.5 : isUnsure ? 1.2 : 1;
    if (unasked !== undefined || certainty === 0 || certainty < Math.min(1, minCertainty * strict)) {
      const why = unasked ?? "the model is not sure enough";
      const proposals = [await this.#propose(account, unasked === undefined ? certainty : certainty / 2)];
      throw cannotPlan(model, { why, failures, reason: "unsure", proposals });
    }
    const chosen = new Set(answers.flatMap((each) => each.chosen ?? []));
    const source: PlanSource = {
      planner: name,
      model: modelName(model),
      attempts: answers.reduce((sum, { attempts }) => sum + attempts, 0),
      certainty,
      ...read,
      ...(chosen.size > 0 && { tools: [...chosen] }),
      ...(failures.length > 0 && { failures }),
      ...(this.warnings.length > 0 && { warnings: this.warnings }),
    };
    return { steps: this.#only ?? this.#inOrder(), source };
  }

  #findUnsaid(account: Account): string | undefined {
    const calls = new Map(this.#callsOf(this.steps).map((call) => [call.id, call]));
    const slotsOf = (stepId: string) => this.#made.find(({ id }) => id === stepId)?.operation.slots ?? [];
    const isComposed = ({ stepId, path }: UnsaidValue) =>
      slotsOf(stepId).some((slot) => slot.isComposed && slot.name === String(path[1]));
    // A pure step may quote what the model has read.
    const isQuoted = ({ stepId, sources }: UnsaidValue) =>
      calls.get(stepId)?.tool.declaredEffect === "pure" && sources.length > 0;
    const isOwn = (value: UnsaidValue) => this.#isOperation(value.path) || isComposed(value) || isQuoted(value);
    const unsaid = account.unsaid.find((value) => !isOwn(value));
    if (unsaid !== undefined) return `the request does not say ${JSON.stringify(unsaid.words.join(" "))}`;
    const [twice] = account.twice;
    if (twice !== undefined) return `${JSON.stringify(twice.text)} is used more than once, but said only once`;
    return this.#findVague(account);
  }

  /** Only the verb before "it" may be unexplained: any other word may name another thing. */
  #findVague({ words }: Account): string | undefined {
    const left = [...words.keys()].filter((at) => words[at]?.by === "left" || words[at]?.by === "unused");
    const textOf = (at: number) => words[at]?.text.toLowerCase() ?? "";
    const others = this.request.thread?.things.flatMap(({ said = "" }) => said.toLowerCase().split(" ")) ?? [];
    for (const { id, taken = [] } of this.#made)
      for (const { field, thing } of taken) {
        let verb = words.findIndex(({ place }) => place?.stepId === id && place.path[1] === field) - 1;
        while (emptyWords.has(textOf(verb))) verb--;
        const vague = left.find((at) => (thing.isNamed ? others.includes(textOf(at)) : at !== verb));
        if (vague !== undefined) return `${JSON.stringify(textOf(vague))} may mean something other than ${thing.text}`;
      }
    return undefined;
  }

  #isOperation([, field]: JsonPath): boolean {
    return this.#made.some(({ operation }) => Object.hasOwn(operation.constants, String(field)));
  }

  async #propose({ words }: Account, certainty: number): Promise<Proposal> {
    const clock = this.request;
    const steps = this.#only ?? this.#inOrder();
    const said = await Promise.all(
      this.#callsOf(steps).map(
        async ({ tool, input }) => sayOpenly(await compileTool(tool), input, { clock }) ?? sayNames(tool.name, input),
      ),
    );
    const unused = words.flatMap(({ text, by }) => (by === "left" || by === "unused" || by === "aside" ? [text] : []));
    return { steps, text: said.join(", then "), certainty, unused };
  }

  #inOrder(): readonly PlanStep[] {
    const calls = this.#callsOf(this.steps);
    const waits = new Map(waitsOf(calls).map((ids, at) => [calls[at]?.id, ids]));
    return this.steps.map((step) => ({
      ...step,
      dependsOn: [...new Set([...(step.dependsOn ?? []), ...(waits.get(step.id) ?? [])])],
    }));
  }

  #callsOf(steps: readonly PlanStep[]) {
    return steps.flatMap(({ id, tool: name, input = {} }) => {
      const tool = this.request.tools.find((each) => each.name === name);
      return tool === undefined ? [] : [{ id, tool, input }];
    });
  }

  #texts(): readonly AccountText[] {
    const { request, context } = this.request;
    return [
      { source: { type: "request" }, value: request },
      ...(context === undefined ? [] : [{ source: { type: "context" as const }, value: context }]),
      ...(this.replan?.steps ?? []).flatMap(textsOfRecord),
    ];
  }
}

function originsOf(made: readonly EarlierStep[]): Pick<PlanSource, "read"> {
  const read = made.flatMap(({ id: stepId, input, taken = [] }) =>
    taken.flatMap(({ field, value, origin }) => (input[field] === value ? [{ stepId, path: [field], ...origin }] : [])),
  );
  return read.length > 0 ? { read } : {};
}

function textsOfRecord({ stepId, iteration, output, error }: StepRecord): readonly AccountText[] {
  const place = { stepId, ...(iteration !== undefined && { iteration }) };
  return [
    ...(output === undefined ? [] : [{ source: { type: "output" as const, ...place }, value: output }]),
    ...(error === undefined ? [] : [{ source: { type: "error" as const, ...place }, value: error.message }]),
  ];
}

const maxShown = 500;

function describeFailure({ steps, error }: ReplanRequest): string {
  const lines = steps.map(({ stepId, tool, input, status, output }) => {
    const result = status === "completed" ? `, result ${JSON.stringify(output ?? null).slice(0, maxShown)}` : "";
    return `- ${stepId} ${tool} ${JSON.stringify(input).slice(0, maxShown)}: ${status}${result}`;
  });
  const failure = `${error.code}: ${error.message.slice(0, maxShown)}`;
  return `These steps were tried for the request below:\n${lines.join("\n")}\nThe failure: ${failure}\nAnswer with calls in place of those that are not completed.`;
}

async function cacheKey({ request, context, tools, maxSteps, wishes }: PlanRequest): Promise<string> {
  const fingerprints = await Promise.all(tools.map(toolFingerprint));
  const descriptions = tools.map(({ description }) => description);
  return JSON.stringify([request, context, maxSteps, fingerprints, descriptions, wishes]);
}

let count = 0;
const numberOf = remembered((_tool: DefinedTool) => count++);

/** Keyed by the individual tools, because apps may make a new list for each request. */
class ToolSets<T> {
  readonly #known = new RecentMap<Promise<T>>(20);

  constructor(private readonly make: (tools: readonly DefinedTool[]) => Promise<T>) {}

  get(tools: readonly DefinedTool[]): Promise<T> {
    const key = tools.map(numberOf).join();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = this.make(tools);
    this.#known.set(key, made);
    made.catch(() => this.#known.delete(key));
    return made;
  }
}
