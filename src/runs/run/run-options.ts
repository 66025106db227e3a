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

/** Options of making a plan. @group Plans */
export interface PlanOptions<TTool extends Tool = Tool> {
  /** Text for the planner in addition to the request. */
  context?: string | undefined;
  /** The names of the tools that may be used this time. @default all */
  tools?: readonly TTool["name"][] | undefined;
  /** @default the agent's */
  maxSteps?: number | undefined;
  /** IANA name of the time zone for words such as "tomorrow". @default the machine's */
  timeZone?: string | undefined;
  /** Limits of what may be used up. When only planning, just model usage counts. @default no limit */
  budget?: RunBudget | undefined;
  /** The dialogue of one person, 1 to 200 characters: a request is read after its earlier lines. @default none */
  thread?: string | undefined;
  /** Cancels. */
  signal?: AbortSignal | undefined;
}

/** Options of a dry run. @inline */
export interface DryRunOptions<TTool extends Tool = Tool> extends PlanOptions<TTool> {
  /** Do the dry run only if this is the plan's `hashPlan`; else `plan-not-approved`. */
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
     * 1 to 128 of `A-Z a-z 0-9 _ . -`. The same id and thread with the same request or plan is the same run and returns
     * its result; with another it is `run-conflict`. A run that stopped before its end is resumed with the options it
     * started with; one of another process is `run-owned-elsewhere`. A caller that joins an active run can cancel it
     * through the handle; its own options do not count.
     */
    runId?: string | undefined;
    /** A deadline for the whole run, planning included; then it ends `failed` with `timeout`. @default none */
    timeoutMs?: number | undefined;
    /** The most steps at a time. @default 1 */
    concurrency?: number | undefined;
    /** `continue` runs the steps that do not depend on a failed one; the run still fails. @default "stop" */
    onStepFailure?: "stop" | "continue" | undefined;
    /** Undo what has been done, through the tools' `undo`, when the run ends `failed` or `cancelled`. @default false */
    undoOnFailure?: boolean | undefined;
    /** Replans after failed steps, 0 to 100; needs a planner with `replan`, and no `approvedHash`. @default 0 */
    maxReplans?: number | undefined;
    /** Tools with an effect that a replan may add without approval. @default none: such a step needs approval */
    replanTools?: readonly TTool["name"][] | undefined;
    /** Run the plan only if this is its `hashPlan`; else `plan-not-approved`. */
    approvedHash?: string | undefined;
    /** Throw the error of a run that ended `failed` or `cancelled`. @default false */
    throwOnFailure?: boolean | undefined;
  };

/**
 * Options of resuming a stored run; all others are those it started with. `resources` is required if a tool needs some;
 * a run that is still active in this process has its own. @interface @group Runs and results
 */
export type ResumeOptions<TTool extends Tool = Tool> = ResourcesOption<TTool> & {
  /** Cancels. Ignored for a run that is still active in this process, which has its own. */
  signal?: AbortSignal | undefined;
  /** Throw the error of a run that ended `failed` or `cancelled`. @default false */
  throwOnFailure?: boolean | undefined;
};

/** Options of what must be part of a dialogue. @inline */
export interface ThreadOptions {
  /** A run of another dialogue, or of none, is as if there were no such run. @default a run of any */
  thread?: string | undefined;
}

/** Options of deciding something about a run: those it is resumed with, or `resume: false`. @inline */
export type DecidingOptions<TTool extends Tool = Tool> = ThreadOptions &
  (
    | (ResumeOptions<TTool> & {
        /**
         * If false, no step runs in this process unless the run is active in it: the next process that runs it acts on
         * it. A decision or settlement is recorded at once if no process has the run. The result is the run as it is
         * stored; a run that continues elsewhere is `interrupted`. @default true
         */
        resume?: true | undefined;
      })
    | (Partial<ResumeOptions<TTool>> & {
        /** No step runs in this process unless the run is active in it. */
        resume: false;
      })
  );

/** The options may be left out unless a tool needs resources. */
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

/** The replans of a `restored` run are not checked again. */
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

/** An infinite limit is recorded as none, as JSON has no Infinity. */
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
        : approvedHash !== undefined && "approvedHash approves of no other plan";
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

/** Options of a fork: what is copied, and what is needed to resume it. @interface @group Runs and results */
export type ForkOptions<TTool extends Tool = Tool> = ResumeOptions<TTool> & {
  /** The `sequence` of the last event to copy, at least 1. @default that of the last one recorded */
  after?: number | undefined;
  /**
   * The id of the new run: 1 to 128 of `A-Z a-z 0-9 _ . -`. The same fork again is the same run, resumed if it stopped
   * before its end; the id of any other run is `run-conflict`. @default a new id
   */
  runId?: string | undefined;
};

export const forkOptions = {
  ...resumeOptions,
  after: { type: "integer", min: 1 },
  runId: runIdOption,
} satisfies OptionTable<ForkOptions>;

/** Options of closing. @inline */
export interface CloseOptions {
  /** The time that running steps may take to end, from 0. @default 10000 */
  timeoutMs?: number | undefined;
}

const closeOptions = {
  timeoutMs: { type: "number", min: 0, max: maxTimerMs, default: 10_000 },
} satisfies OptionTable<CloseOptions>;

export const getRunOptions = { thread: threadOption } satisfies OptionTable<ThreadOptions>;

export function readCloseOptions(options: CloseOptions): number {
  return readOptions(closeOptions, options).timeoutMs;
}

/** Options of reading the events of a run. @inline */
export interface EventsOptions {
  /** The number of the last known event: only later ones are read. @default 0 */
  after?: number | undefined;
  /** Ends reading, which rejects with `cancelled`. */
  signal?: AbortSignal | undefined;
  /** Continue when the run is suspended or interrupted, until it ends for good. @default false */
  follow?: boolean | undefined;
  /** Time between reads of the store while the run is not active in this process, at least 1. @default 1000 */
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
