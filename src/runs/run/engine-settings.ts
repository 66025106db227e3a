import { type Clock, maxTimerMs, systemClock } from "../../async/clock.ts";
import type { RetryOptions, RetryPolicy } from "../../async/retry.ts";
import type {
  AccountFor,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalQuestion,
  ApprovalRequest,
} from "../../core/approval.ts";
import { retryOptions } from "../../core/call-gate.ts";
import { indexTools } from "../../core/define-tool.ts";
import type { AgentEvent } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ObservedCall, Observer } from "../../core/observer.ts";
import {
  checkOption,
  defined,
  failOption,
  type OptionTable,
  readOptions,
  type SettingsOf,
} from "../../core/option-tables.ts";
import { defaultMaxSteps } from "../../core/plan.ts";
import type { Planner } from "../../core/planner.ts";
import type { RunSnapshot } from "../../core/run-result.ts";
import type { RunStore } from "../../core/run-store.ts";
import type { StandardSchema } from "../../core/schema.ts";
import type { StepRef } from "../../core/step.ts";
import type { DefinedTool, Tool } from "../../core/tool.ts";
import { isSensitiveTool } from "../../core/tool-schemas.ts";
import type { TurnReader } from "../../core/turn.ts";
import type { Expressions } from "../../plan/expressions.ts";
import { readEvents } from "../../plan/validate-plan.ts";
import { answerOf, type Observation, observationOf, readObservers } from "./observers.ts";
import { describeRunOption } from "./run-options.ts";

/** Warning for developers; no run depends on it. @group Agents */
export interface AgentWarning {
  /**
   * `late-result`: an attempt settled after its run had ended. `invalid-progress`: a tool's progress was not JSON or
   * too large. `approval-failed`: `needsApproval` or `requestApproval` threw, or returned an invalid answer.
   * `budget-overrun`: a model used more than estimated. `overlapping-call`: a tool was still working when the agent was
   * closed, so a resumed run may call it again too early. `start-refused`: a run from `start` was not started.
   * `message-refused`: a posted message was invalid, or the run did not wait for it. `no-secret-keys`: no key seals the
   * sensitive fields of a tool. `open-phrase`: a phrase matches nearly any request, and its tool is `once` or needs
   * approval. `effect-missing`: a tool has `retry` but no effect, so it is `once` and not retried.
   */
  readonly code:
    | "late-result"
    | "invalid-progress"
    | "approval-failed"
    | "budget-overrun"
    | "overlapping-call"
    | "start-refused"
    | "message-refused"
    | "no-secret-keys"
    | "open-phrase"
    | "effect-missing";
  readonly message: string;
  /** Id of the run; absent if the warning concerns the agent. */
  readonly runId?: string;
  /** Id of the step; absent if the warning does not concern a step. */
  readonly stepId?: string;
  /** Position of the iteration in its `forEach`, from 0. */
  readonly iteration?: number;
}

/** Attempt of a step whose tool threw. @inline */
export interface ToolErrorCall {
  readonly runId: string;
  readonly stepId: string;
  /** Position of the iteration in a `forEach`, from 0. */
  readonly iteration?: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** Options of orchestrators and agents. */
export interface ExecutionOptions<TTools extends readonly Tool[] = readonly Tool[]> {
  /** Tools that plans may use; each needs a unique name. */
  tools: TTools;
  /** Retry policy, which a tool's own `retry` overrides field by field. */
  retry?: RetryOptions | undefined;
  /** Time limit of one attempt of a step, at least 1; `Infinity` is allowed. @default 30000 */
  stepTimeoutMs?: number | undefined;
  /** Time that a tool may keep running after its signal is aborted; then it is abandoned. @default 1000 */
  abortGraceMs?: number | undefined;
  /** Maximum number of steps of a plan. @default 1000 */
  maxSteps?: number | undefined;
  /** Maximum size of the output of a step, in bytes of JSON. @default 1048576 */
  maxOutputBytes?: number | undefined;
  /** True to record a failed step with the stack of the last error of its tool. @default true */
  recordStacks?: boolean | undefined;
  /**
   * Returns true for a step or plan that needs approval even if no tool asks for it. An error counts as true.
   * @default none
   */
  needsApproval?: ((question: ApprovalQuestion<TTools[number]>) => boolean | Promise<boolean>) | undefined;
  /** Answers a request for approval while the run waits. If it throws, or is absent, the run is suspended. */
  requestApproval?: RequestApproval<TTools[number]> | undefined;
  /** Time to decide, at least 1; afterwards the step or plan is rejected, with `approval-expired`. @default Infinity */
  approvalTtlMs?: number | undefined;
  /** Duration of a lease, at least 100; once it expires, another process may resume the run. @default 30000 */
  leaseMs?: number | undefined;
  /** Schemas of the events that runs accept, by name; sensitive fields are refused. @default any name, and any JSON */
  events?: Readonly<Record<string, StandardSchema>> | undefined;
  /** Keys that seal the values of sensitive fields. @default a key of this process if the store is volatile */
  secrets?: SecretOptions | undefined;
  /** Changes how values are shown, never what is recorded. @default none: only sensitive fields are hidden */
  redact?: RedactFunction | undefined;
  /** True to record a digest of events when a run is suspended, is resumed or ends: see `exportRun`. @default false */
  evidence?: boolean | undefined;
  /** Observers of runs, for traces, metrics and logs. @default none */
  observers?: readonly Observer[] | undefined;
  /** Receives errors of listeners and observers, with the event or call. @default one `console.warn` */
  onListenerError?: ((error: unknown, about: AgentEvent | ObservedCall) => void) | undefined;
  /**
   * Receives each error that a tool throws, including in `undo`, before it is recorded. If the run has secrets or
   * `redact` changes the error, the function receives only the error's data. Abandoned attempts are not reported. An
   * error that this function throws goes to `onListenerError`. @default none
   */
  onToolError?: ((error: unknown, call: ToolErrorCall) => void) | undefined;
  /** Receives warnings. @default `console.warn` */
  onWarning?: ((warning: AgentWarning) => void) | undefined;
  /** Clock, replaceable for tests. @default the machine's */
  clock?: Clock | undefined;
  /** Random numbers from 0 to below 1, for jitter. @default `Math.random` */
  random?: (() => number) | undefined;
  /** Creates the ids of runs and plans, without their prefixes. @default `crypto.randomUUID` */
  createId?: (() => string) | undefined;
}

/** Decides on a step or a plan; `signal` aborts when the answer no longer counts. @group Approval */
export type RequestApproval<TTool extends Tool = Tool> = (
  request: ApprovalRequest<TTool>,
  options: { signal: AbortSignal },
) => Promise<ApprovalDecision | ApprovalAnswer>;

export interface PlanningOptions {
  /** Time limit of a planner, at least 1; `Infinity` is allowed. @default 120000 */
  plannerTimeoutMs?: number | undefined;
  /** Maximum length of a request, in UTF-16 code units. @default 200000 */
  maxRequestLength?: number | undefined;
}

/** A key for the values of sensitive fields. @inline */
export interface SecretKey {
  /** 1 to 64 characters from `A-Z a-z 0-9 _ -`; recorded with each value that the key seals. */
  readonly id: string;
  /** 32 random bytes, or the same in base64. */
  readonly key: Uint8Array | string;
}

/** Keys for the values of sensitive fields. @inline */
export interface SecretOptions {
  /** The first key seals values, and every key opens them. To rotate, put a new key before the old ones. */
  readonly keys: readonly SecretKey[];
}

/** Kind of a value that a {@link RedactFunction} receives, and its place in a run. @inline */
export interface RedactPlace extends Partial<StepRef> {
  readonly kind: "request" | "context" | "metadata" | "input" | "output" | "progress" | "message" | "details";
  readonly runId: string;
  readonly tool?: string;
}

/**
 * Returns JSON to show in place of a value: to listeners, and in stored runs, lists, approvals and replans. The record
 * keeps the value. The value is hidden if the function throws, or returns undefined or a value that is not JSON. A
 * message or request is also hidden if the function does not return text. @inline
 */
export type RedactFunction = (value: unknown, place: RedactPlace) => unknown;

const keyOptions = {
  id: {
    isValid: (id) => typeof id === "string" && /^[\w-]{1,64}$/.test(id),
    expected: "1 to 64 letters, digits, _ or -",
    isRequired: true,
  },
  key: {
    isValid: (key) =>
      key instanceof Uint8Array ? key.byteLength === 32 : typeof key === "string" && /^[A-Za-z\d+/]{43}=$/.test(key),
    expected: "32 bytes as a Uint8Array, or the same in base64",
    isRequired: true,
  },
} satisfies OptionTable<SecretKey>;

const secretOptions = {
  keys: (keys, option): readonly SecretKey[] => {
    if (!Array.isArray(keys) || keys.length === 0) failOption(option, keys, "a list of at least one key");
    const ids = new Set<string>();
    return Array.from(keys as readonly SecretKey[], (one, index) => {
      const key = readOptions(keyOptions, one, `${option}[${index}]`);
      if (ids.has(key.id)) failOption(`${option}[${index}].id`, key.id, "unique among the keys");
      ids.add(key.id);
      return key;
    });
  },
} satisfies OptionTable<SecretOptions>;

type EngineOptions = ExecutionOptions & PlanningOptions & { store: RunStore; planner?: Planner | undefined };

const executionOptions = {
  tools: (value) => indexTools(value as readonly Tool[]),
  store: {
    methods: ["append", "read", "list", "claim", "renew", "release"],
    expected: "a run store",
    isRequired: true,
  },
  retry: { options: retryOptions },
  stepTimeoutMs: { type: "duration", min: 1, default: 30_000 },
  abortGraceMs: { type: "number", min: 0, max: maxTimerMs, default: 1_000 },
  maxSteps: { type: "integer", min: 1, default: defaultMaxSteps },
  maxOutputBytes: { type: "integer", min: 1, default: 1_048_576 },
  recordStacks: { type: "boolean", default: true },
  needsApproval: { type: "function" },
  requestApproval: { type: "function" },
  approvalTtlMs: { type: "duration", min: 1, max: 100 * 365 * 86_400_000, default: Number.POSITIVE_INFINITY },
  leaseMs: { type: "number", min: 100, max: maxTimerMs, default: 30_000 },
  events: { read: readEvents },
  secrets: { options: secretOptions },
  redact: { type: "function" },
  evidence: { type: "boolean", default: false },
  observers: { read: readObservers, default: [] },
  onListenerError: { type: "function" },
  onToolError: { type: "function" },
  onWarning: { type: "function", default: ({ message }) => console.warn(`planwright: ${message}`) },
  clock: { type: "clock", default: systemClock },
  random: { type: "function", default: () => Math.random() },
  createId: { type: "function", default: createUuid },
} satisfies OptionTable<ExecutionOptions & { store: RunStore }>;

const engineOptions = {
  ...executionOptions,
  planner: { read: readPlanner },
  plannerTimeoutMs: { type: "duration", min: 1, default: 120_000 },
  maxRequestLength: { type: "integer", min: 1, default: 200_000 },
} satisfies OptionTable<EngineOptions>;

interface Speech {
  readonly loadPhrases: (tools: readonly Tool[]) => Promise<void>;
  readonly sayStep: (tool: DefinedTool, input: JsonObject) => string | undefined;
}

interface RunWords {
  sayRun(
    run: Omit<RunSnapshot, "metadata" | "updatedAt">,
    saying: { readonly tools: readonly Tool[]; readonly nowMs: number; readonly timeZone: string },
  ): string;
}

export interface EngineSettings
  extends Omit<SettingsOf<EngineOptions, typeof engineOptions>, "tools" | "onListenerError" | "retry" | "secrets">,
    Observation {
  readonly tools: readonly Tool[];
  readonly toolsByName: ReadonlyMap<string, DefinedTool>;
  /** Has no keys if nothing can be sealed; undefined if there is nothing to seal. */
  readonly sealing: Partial<SecretOptions> | undefined;
  readonly secretKeys: readonly SecretKey[] | undefined;
  readonly onListenerError: (error: unknown, about: AgentEvent | ObservedCall) => void;
  readonly retryPolicyOf: (tool: DefinedTool) => RetryPolicy;
  readonly accountFor?: AccountFor;
  readonly expressions?: Expressions | undefined;
  readonly loadSpeech?: () => Promise<Speech>;
  readonly loadWords?: () => Promise<RunWords>;
  readonly loadTurns?: () => Promise<TurnReader>;
}

export function resolveOptions(options: EngineOptions, { canPlan }: { canPlan: boolean }): EngineSettings {
  const known = canPlan ? undefined : Object.keys(executionOptions);
  const settings = readOptions(engineOptions, options, undefined, { known, whereElse: describeRunOption });
  const { tools: toolsByName, retry, secrets, ...rest } = settings;
  const policyOf = (tool: DefinedTool): RetryPolicy => readOptions(retryOptions, { ...retry, ...defined(tool.retry) });
  const policies = new Map([...toolsByName.values()].map((tool) => [tool, policyOf(tool)]));
  const onListenerError = guard(settings.onListenerError ?? warnOnce());
  return {
    toolsByName,
    sealing: sealingOf([...toolsByName.values()], { secrets, store: rest.store }),
    secretKeys: secrets?.keys,
    retryPolicyOf: (tool) => policies.get(tool) ?? policyOf(tool),
    ...rest,
    tools: Object.freeze([...options.tools]),
    ...observationOf(settings.observers, onListenerError),
    onListenerError,
    onWarning: guard(settings.onWarning),
  };
}

export function guard<TArgs extends readonly unknown[]>(tell: (...args: TArgs) => unknown): (...args: TArgs) => void {
  const ignore = () => {};
  return (...args) => void answerOf(() => tell(...args), ignore);
}

/** Reading the UUID makes V8 flatten it, which saves 1.6 kB in each stored run. */
function createUuid(): string {
  const id = crypto.randomUUID();
  id.charCodeAt(0);
  return id;
}

function warnOnce(): EngineSettings["onListenerError"] {
  let isTold = false;
  return (error, { type }) => {
    if (isTold) return;
    isTold = true;
    const advice = "further failures are not reported (set onListenerError)";
    console.warn(`planwright: a listener of "${type}" failed; ${advice}.`, error);
  };
}

export function readPlanner(value: unknown, option: string): Planner {
  checkOption({ methods: ["plan"], expected: "a planner", isRequired: true }, value, option);
  const planner = value as Planner;
  checkOption({ type: "text", isRequired: true }, planner.name, `${option}.name`);
  checkOption({ type: "function" }, planner.replan, `${option}.replan`);
  return planner;
}

let keyOfProcess: readonly SecretKey[] | undefined;

function sealingOf(
  tools: readonly Tool[],
  { secrets, store }: { readonly secrets: SecretOptions | undefined; readonly store: RunStore },
): EngineSettings["sealing"] {
  if (!tools.some(isSensitiveTool)) return undefined;
  if (secrets !== undefined) return secrets;
  if (store.isVolatile !== true) return {};
  // Shared by all agents, as they may have the same store.
  keyOfProcess ??= [{ id: "process", key: crypto.getRandomValues(new Uint8Array(32)) }];
  return { keys: keyOfProcess };
}
