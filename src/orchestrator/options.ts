import { type Clock, systemClock } from "../async/clock.ts";
import type { RetryOptions, RetryPolicy } from "../async/retry.ts";
import type { ApprovalAnswer, ApprovalDecision, ApprovalQuestion, ApprovalRequest } from "../core/approval.ts";
import { checkRetryOptions } from "../core/check-tool.ts";
import { indexTools } from "../core/define-tool.ts";
import type { AgentEvent } from "../core/events.ts";
import {
  checkClock,
  checkDuration,
  checkFunction,
  checkKeys,
  checkNumber,
  failOption,
  maxDurationMs,
} from "../core/options.ts";
import { defaultMaxSteps } from "../core/plan.ts";
import type { Planner } from "../core/planner.ts";
import type { RunStore } from "../core/run-store.ts";
import type { DefinedTool, Tool } from "../core/tool.ts";
import { checkSwitch, describeRunOption } from "./run-options.ts";
import {
  checkSecretOptions,
  type RedactFunction,
  type SealingSettings,
  type SecretOptions,
  sealingOf,
} from "./secret-options.ts";

/** Something a developer should know about, though no run depends on it. @group Agents */
export interface AgentWarning {
  /**
   * `late-result`: an attempt settled after its run had ended. `invalid-progress`: a tool reported progress that is not
   * JSON. `approval-failed`: `needsApproval` or `approve` threw, or did not return a valid answer. `budget-overrun`: a
   * model used more than was estimated. `overlapping-call`: a tool was still working when the agent was closed, so
   * whoever resumes the run may call it a second time meanwhile. `start-refused`: a run that `start` returned a handle
   * for was not started. `message-refused`: another process posted something that is not a message, or that the run
   * does not wait for. `braces-as-text`: an input of a given plan contains `{{step}}`, which is text, where `${step}`
   * would be the output. `no-secret-keys`: a tool has sensitive fields, and there is no key to seal them.
   * `cache-key-failed`: the `cache.key` of a tool threw, or did not return text.
   */
  readonly code:
    | "late-result"
    | "invalid-progress"
    | "approval-failed"
    | "budget-overrun"
    | "overlapping-call"
    | "start-refused"
    | "message-refused"
    | "braces-as-text"
    | "no-secret-keys"
    | "cache-key-failed";
  readonly message: string;
  /** Absent if it is about the agent. */
  readonly runId?: string;
  /** Absent if it is about the plan as a whole. */
  readonly stepId?: string;
  /** Which iteration of a `forEach`, from 0. */
  readonly iteration?: number;
}

/** The options that orchestrators and agents have in common. */
export interface ExecutionOptions<TTools extends readonly Tool[] = readonly Tool[]> {
  /** The tools that plans may use; their names are unique. */
  tools: TTools;
  /** Retry policy of tools that have none of their own. */
  retry?: RetryOptions | undefined;
  /** Longest time for one attempt of a step, at least 1; `Infinity` is allowed. @default 30000 */
  stepTimeoutMs?: number | undefined;
  /** How long a tool may keep running after its signal was aborted before it is given up. @default 1000 */
  abortGraceMs?: number | undefined;
  /** The most steps a plan may have. @default 1000 */
  maxSteps?: number | undefined;
  /** The largest output of a step, in bytes of JSON. @default 1048576 */
  maxOutputBytes?: number | undefined;
  /** Whether the error of a step is recorded with the stack of the last error that its tool threw. @default true */
  recordStacks?: boolean | undefined;
  /**
   * Whether a step, or the plan as a whole, needs approval, besides what its tool states: `() => true` for everything.
   * A function that throws counts as true. @default none: only what tools state
   */
  needsApproval?: ((question: ApprovalQuestion<TTools[number]>) => boolean | Promise<boolean>) | undefined;
  /**
   * Answers a request for approval while the run waits, with a word or an object with more. If it throws, the run is
   * suspended.
   * @default none: the run is suspended
   */
  approve?: ApproveFunction<TTools[number]> | undefined;
  /**
   * How long a question of this agent can be answered, at least 1; then it counts as rejected, with `approval-expired`.
   * @default Infinity
   */
  approvalTtlMs?: number | undefined;
  /**
   * How long this process owns a run without renewing the lease, at least 100; then another process may resume it. It
   * is renewed three times as often. @default 30000
   */
  leaseMs?: number | undefined;
  /** How values of sensitive fields are recorded. @default a key of this process if the store ends with it */
  secrets?: SecretOptions | undefined;
  /**
   * Changes what is shown of values, never what is recorded. @default none: everything but sensitive fields is shown
   */
  redact?: RedactFunction | undefined;
  /** Receives what a listener throws or rejects with. @default one `console.warn` */
  onListenerError?: ((error: unknown, event: AgentEvent) => void) | undefined;
  /** @default `console.warn` */
  onWarning?: ((warning: AgentWarning) => void) | undefined;
  /** Time, for tests. @default the machine's */
  clock?: Clock | undefined;
  /** Random numbers from 0 to below 1, for jitter. @default `Math.random` */
  random?: (() => number) | undefined;
  /** Creates what follows the prefix in the ids of runs and plans. @default `crypto.randomUUID` */
  createId?: (() => string) | undefined;
}

/** Decides about a step or a plan; `signal` aborts when the answer no longer counts. @group Approval */
export type ApproveFunction<TTool extends Tool = Tool> = (
  request: ApprovalRequest<TTool>,
  options: { signal: AbortSignal },
) => Promise<ApprovalDecision | ApprovalAnswer>;

/** Further options, for planning. */
export interface PlanningOptions {
  /** Longest time for a planner, at least 1; `Infinity` is allowed. @default 120000 */
  plannerTimeoutMs?: number | undefined;
  /** The longest request, in UTF-16 code units. @default 200000 */
  maxRequestLength?: number | undefined;
}

/** {@link ExecutionOptions} and {@link PlanningOptions}, checked and with their defaults. */
export interface EngineSettings {
  /** As given. */
  readonly tools: readonly Tool[];
  readonly toolsByName: ReadonlyMap<string, DefinedTool>;
  readonly store: RunStore;
  readonly planner: Planner | undefined;
  readonly stepTimeoutMs: number;
  readonly plannerTimeoutMs: number;
  readonly abortGraceMs: number;
  readonly maxSteps: number;
  readonly maxRequestLength: number;
  readonly maxOutputBytes: number;
  readonly recordStacks: boolean;
  readonly leaseMs: number;
  /** Undefined if questions never expire. */
  readonly approvalTtlMs: number | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly createId: () => string;
  readonly needsApproval: ExecutionOptions["needsApproval"];
  readonly approve: ApproveFunction | undefined;
  /** Undefined if no tool has a sensitive field. */
  readonly sealing: SealingSettings | undefined;
  readonly redact: RedactFunction | undefined;
  readonly onListenerError: (error: unknown, event: AgentEvent) => void;
  readonly onWarning: (warning: AgentWarning) => void;
  /** The policy of a tool, with the agent's and the general defaults filled in. */
  readonly retryPolicyOf: (tool: DefinedTool) => RetryPolicy;
}

const defaultRetry: RetryPolicy = {
  maxAttempts: 3,
  minDelayMs: 1_000,
  maxDelayMs: 30_000,
  factor: 2,
  maxTotalMs: Number.POSITIVE_INFINITY,
};

const executionKeys = [
  "tools",
  "store",
  "retry",
  "stepTimeoutMs",
  "abortGraceMs",
  "maxSteps",
  "maxOutputBytes",
  "recordStacks",
  "needsApproval",
  "approve",
  "approvalTtlMs",
  "leaseMs",
  "secrets",
  "redact",
  "onListenerError",
  "onWarning",
  "clock",
  "random",
  "createId",
];
const functionKeys = ["needsApproval", "approve", "onListenerError", "onWarning", "random", "createId"] as const;
const planningKeys = ["planner", "plannerTimeoutMs", "maxRequestLength"];

type EngineOptions = ExecutionOptions & PlanningOptions & { store: RunStore; planner?: Planner | undefined };

/** Checks the options of an agent or orchestrator and fills in the defaults. Throws `invalid-options`. */
export function resolveOptions(options: EngineOptions, { canPlan }: { canPlan: boolean }): EngineSettings {
  checkKeys("options", options, canPlan ? [...executionKeys, ...planningKeys] : executionKeys, describeRunOption);
  const { tools, store, planner, retry } = options;
  const toolsByName = indexTools(tools);
  checkMethods("store", store, ["append", "read", "list", "claim", "renew", "release"], "a run store");
  checkPlanner(planner);
  checkClock("clock", options.clock);
  checkRetryOptions("retry", retry);
  for (const key of ["maxSteps", "maxRequestLength", "maxOutputBytes"] as const) {
    checkNumber(key, options[key], { min: 1, isInteger: true });
  }
  checkDuration("stepTimeoutMs", options.stepTimeoutMs, { min: 1 });
  checkDuration("plannerTimeoutMs", options.plannerTimeoutMs, { min: 1 });
  if (options.approvalTtlMs !== Number.POSITIVE_INFINITY)
    checkNumber("approvalTtlMs", options.approvalTtlMs, { min: 1, max: maxApprovalTtlMs });
  checkNumber("leaseMs", options.leaseMs, { min: 100, max: maxDurationMs });
  checkNumber("abortGraceMs", options.abortGraceMs, { min: 0, max: maxDurationMs });
  checkSwitch("recordStacks", options.recordStacks);
  for (const key of functionKeys) checkFunction(key, options[key]);
  checkSecretOptions(options);
  return withDefaults(options, toolsByName);
}

/** A hundred years: no timer waits for it, and dates reach that far. */
const maxApprovalTtlMs = 100 * 365 * 86_400_000;

function withDefaults(options: EngineOptions, toolsByName: EngineSettings["toolsByName"]): EngineSettings {
  const { tools, store, planner, retry } = options;
  const policies = new Map(
    [...toolsByName.values()].map((tool) => [tool, { ...defaultRetry, ...defined(retry), ...defined(tool.retry) }]),
  );
  return {
    tools: Object.freeze([...tools]),
    toolsByName,
    store,
    planner,
    stepTimeoutMs: options.stepTimeoutMs ?? 30_000,
    plannerTimeoutMs: options.plannerTimeoutMs ?? 120_000,
    abortGraceMs: options.abortGraceMs ?? 1_000,
    maxSteps: options.maxSteps ?? defaultMaxSteps,
    maxRequestLength: options.maxRequestLength ?? 200_000,
    maxOutputBytes: options.maxOutputBytes ?? 1_048_576,
    recordStacks: options.recordStacks ?? true,
    leaseMs: options.leaseMs ?? 30_000,
    approvalTtlMs: options.approvalTtlMs === Number.POSITIVE_INFINITY ? undefined : options.approvalTtlMs,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    createId: options.createId ?? createUuid,
    needsApproval: options.needsApproval,
    approve: options.approve,
    sealing: sealingOf(tools, { secrets: options.secrets, store }),
    redact: options.redact,
    onListenerError: options.onListenerError ?? warnOnce(),
    onWarning: options.onWarning ?? (({ message }) => console.warn(`planwright: ${message}`)),
    retryPolicyOf: (tool) => policies.get(tool) ?? defaultRetry,
  };
}

/** Reading a UUID makes V8 join the pieces it is built from, which a stored run would otherwise keep: 1.6 kB. */
function createUuid(): string {
  const id = crypto.randomUUID();
  id.charCodeAt(0);
  return id;
}

function defined<T extends object>(options: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function warnOnce(): (error: unknown, event: AgentEvent) => void {
  let isTold = false;
  return (error, event) => {
    if (isTold) return;
    isTold = true;
    console.warn(
      `planwright: a listener of "${event.type}" failed; further failures are not reported (set onListenerError).`,
      error,
    );
  };
}

function checkPlanner(planner: Planner | undefined): void {
  if (planner === undefined) return;
  checkMethods("planner", planner, ["plan"], "a planner");
  if (typeof planner.name !== "string") failOption("planner.name", planner.name, "text");
  checkFunction("planner.replan", planner.replan);
}

function checkMethods(option: string, value: unknown, methods: readonly string[], expected: string): void {
  const isWhole = methods.every(
    (method) => typeof (value as Record<string, unknown> | undefined)?.[method] === "function",
  );
  if (!isWhole) failOption(option, value, `${expected} (with ${methods.join(", ")})`);
}
