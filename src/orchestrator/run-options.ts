import { AgentError } from "../core/errors.ts";
import { type JsonObject, toJson } from "../core/json.ts";
import { checkDuration, checkKeys, checkNumber, failOption } from "../core/options.ts";
import type { RunBudget, StoredRunOptions } from "../core/stored-run-options.ts";
import type { DefinedTool, InferToolResources, Tool } from "../core/tool.ts";
import type { EngineSettings } from "./options.ts";

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
  /** What may be used up. When only planning, just model usage counts. @default no limit */
  budget?: RunBudget | undefined;
  /** Cancels. */
  signal?: AbortSignal | undefined;
}

/** Options of a dry run. @inline */
export interface DryRunOptions<TTool extends Tool = Tool> extends PlanOptions<TTool> {
  /** Do the dry run only if this is the plan's `hashPlan`; else `plan-not-approved`. */
  approvedHash?: string | undefined;
}

/** Required if a tool needs resources. */
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
     * 1 to 128 of `A-Z a-z 0-9 _ . -`. The same id with the same request, or a plan of the same hash, is the same run
     * and returns its result; with another it is `run-conflict`. A run that stopped before its end is resumed with the
     * options it started with; if another process owns it, it is `run-owned-elsewhere`. A caller that joins an active
     * run can cancel it through the handle; its own `signal`, `timeoutMs` and other options do not count.
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
    /**
     * How often the planner is asked for other steps when a step has failed. 0 to 100; more than 0 only with a planner
     * that has `replan`, and not with `approvedHash`. @default 0
     */
    maxReplans?: number | undefined;
    /**
     * The names of the tools that a replan may call without approval even though they have an effect and the first plan
     * did not call them. @default none: such a step needs approval
     */
    replanTools?: readonly TTool["name"][] | undefined;
    /** Run the plan only if this is its `hashPlan`; else `plan-not-approved`. */
    approvedHash?: string | undefined;
    /** Throw the error of a run that ended `failed` or `cancelled`. @default false */
    throwOnFailure?: boolean | undefined;
  };

/**
 * The options of a run that is resumed from the store; all others are those it started with. `resources` is required if
 * a tool needs some; a run that is still active in this process has its own.
 * @interface
 * @group Runs and results
 */
export type ResumeOptions<TTool extends Tool = Tool> = ResourcesOption<TTool> & {
  /** Cancels. Ignored for a run that is still active in this process, which has its own. */
  signal?: AbortSignal | undefined;
  /** Throw the error of a run that ended `failed` or `cancelled`. @default false */
  throwOnFailure?: boolean | undefined;
};

/** The last argument of a method that runs tools: it may be left out unless one of them needs resources. */
export type OptionsArgument<TTool extends Tool, TOptions> =
  unknown extends InferToolResources<TTool> ? [options?: TOptions] : [options: TOptions];

/** Options of a run, checked and with their defaults. */
export interface RunSettings {
  readonly tools: ReadonlyMap<string, DefinedTool>;
  readonly context: string | undefined;
  readonly metadata: JsonObject;
  readonly resources: unknown;
  readonly signal: AbortSignal | undefined;
  readonly throwOnFailure: boolean;
  readonly stored: StoredRunOptions;
}

/** What options are for: each use allows different ones. The replans of a `restored` run are not checked again. */
export type OptionsUse = "plan" | "dryRun" | "run" | "restored";

/** Checks the options of a run. Throws `invalid-options`, and `unknown-tool` for a tool that does not exist. */
export function resolveRunOptions(options: RunOptions, engine: EngineSettings, use: OptionsUse = "run"): RunSettings {
  checkKeys("options", options, optionKeys[use]);
  const { signal, runId, context } = options;
  checkText("context", context);
  checkText("approvedHash", options.approvedHash);
  if (runId !== undefined && !(typeof runId === "string" && /^[\w.-]{1,128}$/.test(runId))) {
    failOption("runId", runId, "1 to 128 letters, digits, _ . or -");
  }
  checkSignal(signal);
  checkSwitch("throwOnFailure", options.throwOnFailure);
  const stored = resolveStored(options, engine);
  if (use === "run") checkReplans(stored, engine);
  const tools = selectTools("tools", options.tools, engine.toolsByName);
  if (stored.replanTools !== undefined) selectTools("replanTools", stored.replanTools, tools);
  return {
    tools,
    context,
    metadata: checkMetadata(options.metadata),
    resources: options.resources,
    signal,
    throwOnFailure: options.throwOnFailure ?? false,
    stored,
  };
}

function resolveStored(options: RunOptions, engine: EngineSettings): StoredRunOptions {
  const { concurrency = 1, maxSteps = engine.maxSteps, timeoutMs, onStepFailure, undoOnFailure, maxReplans } = options;
  checkNumber("maxSteps", options.maxSteps, { min: 1, isInteger: true });
  checkNumber("concurrency", options.concurrency, { min: 1, isInteger: true });
  checkDuration("timeoutMs", timeoutMs, { min: 1 });
  checkNumber("maxReplans", maxReplans, { min: 0, max: 100, isInteger: true });
  if (onStepFailure !== undefined && onStepFailure !== "stop" && onStepFailure !== "continue")
    failOption("onStepFailure", onStepFailure, "stop or continue");
  checkSwitch("undoOnFailure", undoOnFailure);
  return Object.freeze({
    maxSteps,
    concurrency,
    timeZone: checkTimeZone(options.timeZone),
    ...(timeoutMs !== undefined && timeoutMs !== Number.POSITIVE_INFINITY && { timeoutMs }),
    ...(onStepFailure === "continue" && { onStepFailure }),
    ...(undoOnFailure && { undoOnFailure }),
    ...(maxReplans && { maxReplans }),
    ...checkReplanTools(options.replanTools),
    ...checkBudget(options.budget),
    ...(options.approvedHash !== undefined && { approvedHash: options.approvedHash }),
  });
}

function checkReplanTools(replanTools: readonly string[] | undefined): { replanTools?: readonly string[] } {
  if (replanTools === undefined) return {};
  if (!Array.isArray(replanTools)) failOption("replanTools", replanTools, "a list of names");
  return replanTools.length === 0 ? {} : { replanTools: Object.freeze([...replanTools]) };
}

function checkBudget(budget: RunBudget | undefined): { budget?: RunBudget } {
  if (budget === undefined) return {};
  const keys = ["toolCalls", "modelCalls", "tokens", "cost"] as const;
  checkKeys("budget", budget, keys);
  for (const key of keys) {
    checkNumber(`budget.${key}`, budget[key], { min: key === "toolCalls" ? 1 : 0, isInteger: key !== "cost" });
  }
  // An infinite limit is recorded as none: JSON has no Infinity.
  const given = Object.entries(budget).filter(([, limit]) => limit !== undefined && limit !== Number.POSITIVE_INFINITY);
  return given.length === 0 ? {} : { budget: Object.freeze(Object.fromEntries(given)) };
}

/** A replan that can never happen is the caller's mistake. */
function checkReplans({ maxReplans, approvedHash }: StoredRunOptions, { planner }: EngineSettings): void {
  if (maxReplans === undefined) return;
  const why =
    planner === undefined
      ? "there is no planner"
      : planner.replan === undefined
        ? `the planner "${planner.name}" has no replan method`
        : approvedHash !== undefined && "approvedHash approves of no other plan";
  if (why) failOption("maxReplans", maxReplans, `0 or left out: ${why}`);
}

const planKeys = ["context", "tools", "maxSteps", "timeZone", "budget", "signal"];
const dryRunKeys = [...planKeys, "approvedHash"];
const runKeys = [
  ...dryRunKeys,
  "metadata",
  "runId",
  "timeoutMs",
  "concurrency",
  "onStepFailure",
  "undoOnFailure",
  "maxReplans",
  "replanTools",
  "throwOnFailure",
  "resources",
];
const optionKeys: Readonly<Record<OptionsUse, readonly string[]>> = {
  plan: planKeys,
  dryRun: dryRunKeys,
  run: runKeys,
  restored: runKeys,
};

/** Describes what an unknown option belongs to, if it is an option of a run. */
export function describeRunOption(key: string): string | undefined {
  return runKeys.includes(key) ? `an option of a run: execute(plan, { ${key} })` : undefined;
}

/** Throws `invalid-options` unless the value is undefined or text. */
export function checkText(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "string") failOption(option, value, "text");
}

/** Throws `invalid-options` unless the value is undefined or a signal. */
export function checkSignal(signal: unknown): void {
  if (signal !== undefined && typeof (signal as AbortSignal | null)?.addEventListener !== "function")
    failOption("signal", signal, "an AbortSignal");
}

/** Throws `invalid-options` unless the value is undefined or a boolean. */
export function checkSwitch(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") failOption(option, value, "true or false");
}

function checkMetadata(metadata: unknown): JsonObject {
  if (metadata === undefined) return emptyMetadata;
  const json = toJson(metadata);
  if (!json.ok) failOption(`metadata.${json.issue.path.join(".")}`, metadata, `JSON: ${json.issue.message}`);
  if (typeof json.value !== "object" || json.value === null || Array.isArray(json.value)) {
    failOption("metadata", metadata, "a JSON object");
  }
  return json.value as JsonObject;
}

const emptyMetadata: JsonObject = Object.freeze({});

let machineTimeZone: string | undefined;

function checkTimeZone(timeZone: unknown): string {
  if (timeZone === undefined) {
    // Looking it up costs as much as several steps, so it is done once.
    machineTimeZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
    return machineTimeZone;
  }
  try {
    return new Intl.DateTimeFormat("en", { timeZone: timeZone as string }).resolvedOptions().timeZone;
  } catch {
    failOption("timeZone", timeZone, 'the IANA name of a time zone, such as "Europe/Berlin"');
  }
}

function selectTools(
  option: "tools" | "replanTools",
  names: unknown,
  all: ReadonlyMap<string, DefinedTool>,
): ReadonlyMap<string, DefinedTool> {
  if (names === undefined) return all;
  if (!Array.isArray(names)) failOption(option, names, "a list of names");
  const selected = new Map<string, DefinedTool>();
  for (const name of names) {
    const tool = all.get(name);
    if (tool === undefined) {
      const available = [...all.keys()];
      throw new AgentError(
        "unknown-tool",
        `There is no tool "${name}". Available tools: ${available.join(", ") || "none"}.`,
        {
          details: { tool: String(name), available },
        },
      );
    }
    selected.set(name, tool);
  }
  return selected;
}
