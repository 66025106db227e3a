import { maxTimerMs } from "../../async/clock.ts";
import { AgentError } from "../../core/errors.ts";
import type { RunBudget, StoredRunOptions } from "../../core/events.ts";
import { isRecord, type JsonObject, toJson } from "../../core/json.ts";
import {
  describeValue,
  failOption,
  type OptionTable,
  readOptions,
  readTimeZone,
  type SettingsOf,
} from "../../core/option-tables.ts";
import type { Planner } from "../../core/planner.ts";
import { threadOption } from "../../core/run-store.ts";
import type { DefinedTool, InferToolResources, Tool } from "../../core/tool.ts";
import { noSuch } from "../../plan/check-step.ts";

/** Options of planning. @group Plans */
export interface PlanOptions<TTool extends Tool = Tool> {
  /** Text for the planner in addition to the request. */
  context?: string | undefined;
  /** Names of the tools that the plan may use. @default all */
  tools?: readonly TTool["name"][] | undefined;
  /** Maximum number of steps. @default the agent's */
  maxSteps?: number | undefined;
  /** IANA name of the time zone for words such as "tomorrow". @default the machine's */
  timeZone?: string | undefined;
  /** Limits of usage. Planning alone counts only model usage. @default no limit */
  budget?: RunBudget | undefined;
  /** Id of a dialogue, 1 to 200 characters; earlier lines give a request its context. @default none */
  thread?: string | undefined;
  /** Cancels the call when aborted. */
  signal?: AbortSignal | undefined;
}

/** Options of a dry run. @inline */
export interface DryRunOptions<TTool extends Tool = Tool> extends PlanOptions<TTool> {
  /** Expected `hashPlan` of the plan; a plan with a different hash is rejected with `plan-not-approved`. */
  approvedHash?: string | undefined;
}

type ResourcesOption<TTool extends Tool> =
  unknown extends InferToolResources<TTool>
    ? { /** Passed to the tools and never stored. */ resources?: unknown }
    : { /** Passed to the tools and never stored. */ resources: InferToolResources<TTool> };

/** Options of a run. `resources` is required if a tool needs some. @interface @group Runs and results */
export type RunOptions<TTool extends Tool = Tool> = PlanOptions<TTool> &
  ResourcesOption<TTool> & {
    /** JSON that is stored with the run and passed to the tools. */
    metadata?: JsonObject | undefined;
    /**
     * 1 to 128 characters from `A-Z a-z 0-9 _ . -`. A call with the same id, thread and request or plan returns the
     * result of the same run, and resumes it with its original options if it stopped before its end. Rejects with
     * `run-conflict` for another request or plan, and with `run-owned-elsewhere` while another process has the run. A
     * caller that joins an active run can cancel it through the handle; the caller's other options are ignored.
     */
    runId?: string | undefined;
    /** Time limit of the run, including planning; then it ends `failed` with `timeout`. @default none */
    timeoutMs?: number | undefined;
    /** Maximum number of steps at a time. @default 1 */
    concurrency?: number | undefined;
    /** `continue` still runs steps that do not depend on a failed one; the run fails nevertheless. @default "stop" */
    onStepFailure?: "stop" | "continue" | undefined;
    /** True to undo completed steps, with the tools' `undo`, if the run ends `failed` or `cancelled`. @default false */
    undoOnFailure?: boolean | undefined;
    /** Maximum number of replans, 0 to 100; needs a planner with `replan`, and no `approvedHash`. @default 0 */
    maxReplans?: number | undefined;
    /** Names of tools that need no more approval in a replan than if the first plan had called them. @default none */
    replanTools?: readonly TTool["name"][] | undefined;
    /** Expected `hashPlan` of the plan; a plan with a different hash fails with `plan-not-approved`. */
    approvedHash?: string | undefined;
    /** True to throw the error of a run that ended `failed` or `cancelled`. @default false */
    throwOnFailure?: boolean | undefined;
  };

/**
 * Options for resuming a stored run, which keeps the options that it was started with. `resources` is required if a
 * tool needs some. A run that is still active in this process keeps its `resources`. @interface @group Runs and results
 */
export type ResumeOptions<TTool extends Tool = Tool> = ResourcesOption<TTool> & {
  /** Cancels the run when aborted. Ignored if the run is still active in this process. */
  signal?: AbortSignal | undefined;
  /** True to throw the error of a run that ended `failed` or `cancelled`. @default false */
  throwOnFailure?: boolean | undefined;
};

/** Options that restrict a call to a dialogue. @inline */
export interface ThreadOptions {
  /** Id of a dialogue: any run outside it counts as not found. @default no restriction */
  thread?: string | undefined;
}

/** Options of a decision: the options for resuming the run, or `resume: false`. @inline */
export type DecidingOptions<TTool extends Tool = Tool> = ThreadOptions &
  (
    | (ResumeOptions<TTool> & {
        /**
         * False to leave the run to the next process that runs it: no step runs in this process unless the run is
         * active here. A decision or settlement is recorded at once if no process has the run. The result is the stored
         * run; a run that continues elsewhere is `interrupted`. @default true
         */
        resume?: true | undefined;
      })
    | (Partial<ResumeOptions<TTool>> & {
        /** No step runs in this process unless the run is active here. */
        resume: false;
      })
  );

/** Options, which may be omitted unless a tool needs resources. */
export type OptionsArgument<TTool extends Tool, TOptions> =
  unknown extends InferToolResources<TTool> ? [options?: TOptions] : [options: TOptions];

export const resumeOptions = {
  resources: { type: "any" },
  signal: { type: "signal" },
  throwOnFailure: { type: "boolean", default: false },
} satisfies OptionTable<ResumeOptions>;

export const undoOptions = {
  resources: { type: "any" },
  signal: { type: "signal" },
  thread: threadOption,
} satisfies OptionTable<Omit<ResumeOptions, "throwOnFailure"> & ThreadOptions>;

export interface CommandOptions {
  readonly thread?: string | undefined;
  /** False leaves the command to the owner of the run, unless the run is active here. */
  readonly resumes: boolean;
  readonly options: ResumeOptions;
}

export const decidingOptions = {
  ...resumeOptions,
  thread: threadOption,
  resume: { type: "boolean", default: true },
} satisfies OptionTable<DecidingOptions>;

const budgetOptions = {
  toolCalls: { type: "integer", min: 1 },
  modelCalls: { type: "integer", min: 0 },
  tokens: { type: "integer", min: 0 },
  cost: { type: "number", min: 0 },
} satisfies OptionTable<RunBudget>;

const planOptions = {
  context: { type: "text" },
  tools: { read: readNames },
  maxSteps: { type: "integer", min: 1 },
  timeZone: readTimeZone,
  budget: { read: readBudget },
  thread: threadOption,
  signal: { type: "signal" },
} satisfies OptionTable<PlanOptions>;

const dryRunOptions = { ...planOptions, approvedHash: { type: "text" } } satisfies OptionTable<DryRunOptions>;

export const runIdOption = {
  isValid: (id: unknown) => typeof id === "string" && /^[\w.-]{1,128}$/.test(id),
  expected: "1 to 128 letters, digits, _ . or -",
  isHarmless: true,
} as const;

const runOptions = {
  ...dryRunOptions,
  metadata: { read: readJsonObject, default: Object.freeze({}) },
  runId: runIdOption,
  timeoutMs: { type: "duration", min: 1 },
  concurrency: { type: "integer", min: 1, default: 1 },
  onStepFailure: { oneOf: ["stop", "continue"], default: "stop" },
  undoOnFailure: { type: "boolean", default: false },
  maxReplans: { type: "integer", min: 0, max: 100, default: 0 },
  replanTools: { read: readNames, default: [] },
  throwOnFailure: { type: "boolean", default: false },
  resources: { type: "any" },
} satisfies OptionTable<RunOptions>;

type AllSettings = SettingsOf<RunOptions, typeof runOptions>;

export interface RunSettings
  extends Pick<AllSettings, "context" | "thread" | "metadata" | "resources" | "signal" | "throwOnFailure"> {
  readonly tools: ReadonlyMap<string, DefinedTool>;
  readonly stored: StoredRunOptions;
}

interface RunDefaults {
  readonly toolsByName: ReadonlyMap<string, DefinedTool>;
  readonly maxSteps: number;
  readonly planner: Planner | undefined;
}

/** For a `restored` run, `checkReplans` is not repeated, as its options were checked when it started. */
export type OptionsUse = "plan" | "dryRun" | "run" | "restored";

const knownKeys: Partial<Record<OptionsUse, readonly string[]>> = {
  plan: Object.keys(planOptions),
  dryRun: Object.keys(dryRunOptions),
};

export function resolveRunOptions(
  options: RunOptions & { resources?: unknown },
  engine: RunDefaults,
  use: OptionsUse = "run",
): RunSettings {
  const example = `{ ${use === "plan" || use === "dryRun" ? 'timeZone: "UTC"' : 'runId: "pay-7"'} }`;
  const settings = readOptions(runOptions, options, undefined, { known: knownKeys[use], example });
  const { context, thread, metadata, resources, signal, throwOnFailure } = settings;
  const stored = toStored(settings, engine);
  if (use === "run") checkReplans(stored, engine);
  const tools = selectTools(settings.tools, engine.toolsByName);
  if (stored.replanTools !== undefined) selectTools(stored.replanTools, tools);
  return { tools, context, thread, metadata, resources, signal, throwOnFailure, stored };
}

function toStored(settings: AllSettings, engine: RunDefaults): StoredRunOptions {
  const { maxSteps = engine.maxSteps, concurrency, timeZone, timeoutMs, onStepFailure, undoOnFailure } = settings;
  const { maxReplans, replanTools, budget, approvedHash } = settings;
  return Object.freeze({
    maxSteps,
    concurrency,
    timeZone,
    ...(timeoutMs !== undefined && timeoutMs !== Number.POSITIVE_INFINITY && { timeoutMs }),
    ...(onStepFailure === "continue" && { onStepFailure }),
    ...(undoOnFailure && { undoOnFailure }),
    ...(maxReplans > 0 && { maxReplans }),
    ...(replanTools.length > 0 && { replanTools }),
    ...(budget !== undefined && { budget }),
    ...(approvedHash !== undefined && { approvedHash }),
  });
}

/** Omits infinite limits, as JSON has no Infinity. */
function readBudget(budget: unknown, option: string): RunBudget | undefined {
  const limits = Object.entries(readOptions(budgetOptions, budget as RunBudget, option));
  const finite = limits.filter(([, limit]) => limit !== undefined && limit !== Number.POSITIVE_INFINITY);
  return finite.length === 0 ? undefined : Object.freeze(Object.fromEntries(finite));
}

function readNames(names: unknown, option: string): readonly string[] {
  if (!Array.isArray(names)) failOption(option, names, "a list of names");
  return Object.freeze([...names]);
}

function checkReplans({ maxReplans, approvedHash }: StoredRunOptions, { planner }: RunDefaults): void {
  if (maxReplans === undefined) return;
  const why =
    planner === undefined
      ? "there is no planner"
      : planner.replan === undefined
        ? `the planner "${planner.name}" has no replan method`
        : approvedHash !== undefined && "approvedHash allows no other plan";
  if (why) failOption("maxReplans", maxReplans, `0 or left out: ${why}`);
}

export function describeRunOption(key: string): string | undefined {
  return Object.hasOwn(runOptions, key) ? `an option of a run: execute(plan, { ${key} })` : undefined;
}

export function readJsonObject(given: unknown, option: string, maxBytes?: number): JsonObject {
  const json = toJson(given, { maxBytes });
  if (!json.ok) failOption([option, ...json.issue.path].join("."), given, `JSON: ${json.issue.message}`);
  const { value } = json;
  if (!isRecord(value)) failOption(option, given, "a JSON object");
  return value as JsonObject;
}

function selectTools(
  names: readonly string[] | undefined,
  all: ReadonlyMap<string, DefinedTool>,
): ReadonlyMap<string, DefinedTool> {
  if (names === undefined) return all;
  const selected = new Map<string, DefinedTool>();
  for (const name of names) {
    const tool = all.get(name);
    if (tool === undefined) {
      const available = [...all.keys()];
      const details = { tool: typeof name === "string" ? name : describeValue(name), available };
      throw new AgentError("unknown-tool", noSuch("tool", details.tool, available), { details });
    }
    selected.set(name, tool);
  }
  return selected;
}

/** Options of `fork`. @interface @group Runs and results */
export type ForkOptions<TTool extends Tool = Tool> = ResumeOptions<TTool> & {
  /** Number of the last event to copy, at least 1. @default the last recorded event */
  after?: number | undefined;
  /**
   * Id of the new run: 1 to 128 characters from `A-Z a-z 0-9 _ . -`. Repeating a fork with its id returns the same run,
   * which is resumed if it stopped before its end. Rejects with `run-conflict` if another run has it. @default a new id
   */
  runId?: string | undefined;
};

export const forkOptions = {
  ...resumeOptions,
  after: { type: "integer", min: 1 },
  runId: runIdOption,
} satisfies OptionTable<ForkOptions>;

/** Options of `close`. @inline */
export interface CloseOptions {
  /** Time that running steps have to end, at least 0. @default 10000 */
  timeoutMs?: number | undefined;
}

const closeOptions = {
  timeoutMs: { type: "number", min: 0, max: maxTimerMs, default: 10_000 },
} satisfies OptionTable<CloseOptions>;

export function readCloseOptions(options: CloseOptions): number {
  return readOptions(closeOptions, options).timeoutMs;
}

export const getRunOptions = { thread: threadOption } satisfies OptionTable<ThreadOptions>;

/** Options for reading the events of a run. @inline */
export interface EventsOptions {
  /** Number of the last known event: only later events are read. @default 0 */
  after?: number | undefined;
  /** Ends reading when aborted; reading then rejects with `cancelled`. */
  signal?: AbortSignal | undefined;
  /** True to continue after the run is suspended or interrupted, until it ends for good. @default false */
  follow?: boolean | undefined;
  /** Time between reads of the store if the run is not active in this process, at least 1. @default 1000 */
  pollMs?: number | undefined;
}

export const eventsOptions = {
  after: { type: "integer", min: 0, default: 0 },
  signal: { type: "signal" },
  follow: { type: "boolean", default: false },
  pollMs: { type: "number", min: 1, max: maxTimerMs, default: 1_000 },
} satisfies OptionTable<EventsOptions>;

export interface EventsWanted extends SettingsOf<EventsOptions, typeof eventsOptions> {
  readonly runId: string;
}

export function checkName(option: "runId" | "stepId" | "item.stepId" | "id", value: unknown): void {
  if (typeof value !== "string" || value === "") failOption(option, value, "text that is not empty");
}
