import { type ErrorData, readFields, toErrorData } from "./error-data.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ModelFailureReason } from "./language-model.ts";
import type { PlanFailure, PlanIssue, PlanStep } from "./plan.ts";
import type { SchemaIssue } from "./schema.ts";
import type { StepRef } from "./step.ts";

const [major = 0, minor = 0] = (globalThis.process?.versions?.node ?? "20.19").split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  throw new Error(`planwright needs Node 20.19 or later (this is ${process.versions.node}).`);
}

/** The `details` of each error code. The keys of this interface are the codes. @group Errors */
export interface AgentErrorDetails {
  "invalid-options": { readonly option: string; readonly received: string; readonly expected: string };
  /** A request is empty or too long. Lengths are in UTF-16 code units. */
  "invalid-request": { readonly length: number; readonly maxLength: number };
  /** A planner cannot plan the request; the message says why. */
  "cannot-plan": {
    readonly reason: RefusalReason;
    /** Requests that this planner can plan with these tools. */
    readonly examples: readonly string[];
    /** Up to three possible meanings of the request, the likeliest first. */
    readonly proposals?: readonly Proposal[];
    /** All words of the request in order, with their explanations. */
    readonly words?: readonly ExplainedWords[];
    readonly wishes?: readonly RefusedWish[];
    readonly failures?: readonly PlanFailure[];
    /** The reply, if a line of a dialogue needs only a reply in words. */
    readonly text?: string;
    /** Question of a run that a line of a dialogue answers, or declines if `answer` is absent. */
    readonly answers?: { readonly runId: string; readonly stepId: string; readonly answer?: JsonValue };
    /** Run undone by a line of a dialogue. */
    readonly undoes?: { readonly runId: string };
  };
  /** A planner threw an unexpected error, or returned something that is not a plan. */
  "planning-failed": {
    readonly planner: string;
    readonly model?: string;
    /** Attempts that produced no plan: answers of a model, or planners of a fallback chain. */
    readonly failures?: readonly PlanFailure[];
  };
  /** A language model gave no answer. `model` is its provider and id, `status` the HTTP status. */
  "model-failed": { readonly model: string; readonly reason: ModelFailureReason; readonly status?: number };
  /** A plan is invalid or does not fit the tools; `issues` has every reason. */
  "invalid-plan": { readonly issues: readonly PlanIssue[] };
  "unknown-tool": { readonly tool: string; readonly available: readonly string[] };
  /** A step's input does not fit the tool's input schema. */
  "invalid-tool-input": StepRef & { readonly tool: string; readonly issues: readonly SchemaIssue[] };
  /** A tool's output does not fit its output schema, is not JSON or is too large. */
  "invalid-tool-output": StepRef & { readonly tool: string; readonly issues: readonly SchemaIssue[] };
  /** A reference names a path that does not exist in an earlier output. */
  "invalid-reference": StepRef & {
    readonly reference: string;
    /** Keys of the last part of the path that exists. */
    readonly available: readonly string[];
  };
  /** A tool failed for good. `errors` has the error of each attempt, or of the first few; `cause` is the last. */
  "tool-failed": StepRef & { readonly tool: string; readonly attempts: number; readonly errors: readonly ErrorData[] };
  /** The run, the planner or an attempt of the named step took too long. */
  timeout: Partial<StepRef> & {
    readonly scope: "run" | "planner" | "step";
    readonly timeoutMs: number;
    readonly attempts?: number;
  };
  cancelled: { readonly reason: string };
  /** The process is ending or has ended; the run can be resumed later. */
  interrupted: { readonly reason: string };
  "plan-not-approved": { readonly approvedHash: string; readonly planHash: string };
  /** A step was rejected, or the whole plan if `stepId` is absent. */
  "approval-rejected": Partial<StepRef> & { readonly reason: string };
  /** Nobody decided about a step, or the plan if `stepId` is absent, before `expiresAt`: ISO 8601, UTC. */
  "approval-expired": Partial<StepRef> & { readonly expiresAt: string };
  /** A limit of the run was reached. `used` is the amount that the run would have needed to continue. */
  "limit-exceeded": Partial<StepRef> & {
    readonly limit: "steps" | "toolCalls" | "modelCalls" | "tokens" | "cost" | "expression" | "deliveries";
    readonly max: number;
    readonly used: number;
    /** Earlier answers of the model, none of which was a valid plan. */
    readonly failures?: readonly PlanFailure[];
  };
  /** The circuit breaker of a tool refuses calls after too many failures. */
  "circuit-open": { readonly tool: string; readonly retryAfterMs: number };
  /** A `when` or `forEach` failed or returned a value of the wrong type. `position` counts characters from 0. */
  "invalid-expression": StepRef & {
    readonly key: "when" | "forEach";
    readonly expression: string;
    readonly position?: number;
  };
  /** A step with `effect: "once"` may or may not have taken effect. */
  "outcome-unknown": StepRef & { readonly tool: string };
  "run-not-found": { readonly runId: string };
  /** A stored run cannot be resumed with the current tools; one reason for each tool or issue. */
  "resume-mismatch": {
    readonly runId: string;
    readonly reasons: readonly string[];
    readonly differences: readonly RunDifference[];
  };
  /** A run id was reused for another request or plan, or a run had two writers or did not wait for a command. */
  "run-conflict": {
    readonly runId: string;
    /** The earlier decision; `decidedAt` is ISO 8601, UTC. */
    readonly decided?: { readonly status: "approved" | "rejected"; readonly by?: string; readonly decidedAt: string };
  };
  "run-owned-elsewhere": { readonly runId: string };
  /** The run store failed. `problem` is the cause, if known; `sequence` is the number of a damaged event. */
  "store-failed": {
    readonly runId: string;
    readonly operation: StoreOperation;
    readonly reason: string;
    readonly problem?: StoreProblem;
    readonly sequence?: number;
  };
  /** A secret cannot be read: its key is missing, or the record was changed. `keyId` is the key that sealed it. */
  "secret-unreadable": { readonly runId: string; readonly keyId: string; readonly available: readonly string[] };
  "missing-dependency": { readonly packages: readonly string[]; readonly command: string };
  /** An expression has no value. `position` counts UTF-16 code units from 0. */
  "calculation-failed": { readonly problem: CalculationProblem; readonly position: number };
  /** No todo matches. `near` has up to 10 that may have been meant. */
  "todo-not-found": { readonly wanted: string; readonly near: readonly TodoMatch[] };
  /** Several todos match: `count` in all. `matches` has the first 10 of them. */
  "todo-ambiguous": {
    readonly wanted: string;
    readonly count: number;
    readonly matches: readonly TodoMatch[];
    readonly choices: readonly CallChoice[];
    readonly several: true;
  };
  /** `clear` needs the name of a list, because there are several. `lists` has up to 10 names. */
  "todo-list-ambiguous": { readonly lists: readonly string[]; readonly choices: readonly CallChoice[] };
  "todo-key-reused": { readonly idempotencyKey: string; readonly operation: string; readonly earlier: string };
  /** The `scope` option of the store returned no text. */
  "todo-scope-missing": { readonly received: string };
  /** The `createId` option of the store returned an id that a todo of the scope already has. */
  "todo-id-taken": { readonly id: string };
  /** The todo was `changed`, is `gone` or `exists` again, its history is `forgotten`, or a clear is `irreversible`. */
  "todo-undo-refused": {
    readonly operation: string;
    readonly reason: "changed" | "gone" | "exists" | "forgotten" | "irreversible";
    readonly id?: string;
  };
  /** The item has no note at the requested position; `count` is the number of its notes. */
  "note-not-found": { readonly wanted: string; readonly count: number };
  "note-key-reused": { readonly idempotencyKey: string; readonly operation: string; readonly earlier: string };
  /** A deleted note cannot be restored, because another note has its id. */
  "note-undo-refused": { readonly operation: string; readonly id: string };
}

/** One choice in the `details.choices` of an error that a tool throws; with `several: true`, the user may choose several. @inline */
export interface CallChoice {
  readonly label: string;
  /** Input fields that make the call unambiguous; null removes a field. */
  readonly input: JsonObject;
}

/**
 * The reason why a request is not planned.
 * - `small-talk`: it asks for nothing: "hi", "thanks", "what can you do?".
 * - `ambiguous`: it may mean several things; `proposals` has them.
 * - `missing`: it lacks something; the first of `proposals` asks for it.
 * - `unbound`: "it" or "the result" refers to something that no earlier step provides.
 * - `too-long`: it is too long, or needs too many steps.
 * - `not-understood`: no tool can do it, or it is phrased in a way that no tool understands.
 * - `denied`, `supposed`, `question`, `others`, `corrected`, `repeated`, `condition`: it does not ask for the action now.
 * - `later`: it names a time that neither the tool nor a wait of the plan can use.
 * - `no-request`: it is a line of a dialogue that needs no plan; `text`, `answers` or `undoes` has its meaning.
 * - `unsure`: its meaning is not certain enough, above all for what cannot be undone; `proposals` has the plan.
 * @inline
 */
export type RefusalReason =
  | "small-talk"
  | "ambiguous"
  | "missing"
  | "unbound"
  | "too-long"
  | "not-understood"
  | "denied"
  | "supposed"
  | "question"
  | "others"
  | "corrected"
  | "repeated"
  | "later"
  | "condition"
  | "no-request"
  | "unsure";

/** A possible meaning of a request. It never runs by itself; `toPlan` turns it into a plan. @group Planners */
export interface Proposal {
  /** Steps of a plan, valid except for a missing value that `asks` describes. */
  readonly steps: readonly PlanStep[];
  /** The steps in the words of the tools' phrases. */
  readonly text: string;
  /** Probability that the request means this, from 0 to 1. */
  readonly certainty: number;
  /** Words of the request that were not used. */
  readonly unused: readonly string[];
  readonly asks?: ProposalQuestion;
}

/** The one value that a proposal lacks. @inline */
export interface ProposalQuestion {
  readonly stepId: string;
  /** The field of the step's input, such as `title`. */
  readonly field: string;
  readonly type: "text" | "number" | "boolean" | "enum" | "date" | "date-time" | "time" | "range" | "sum" | "list";
  readonly choices?: readonly (string | number)[];
  /** A question for a person: "Which section?". */
  readonly text: string;
}

/** Words of a request and their explanation. @inline */
export interface ExplainedWords {
  readonly text: string;
  /** `phrase`: words of the phrase; `slot`: the named slot; `courtesy`: such as "please"; `left`: not explained. */
  readonly by: "phrase" | "slot" | "courtesy" | "left";
  readonly slot?: string;
}

/** One of several wishes in a request. @inline */
export interface RefusedWish {
  readonly text: string;
  /** Steps of the wish, if it was planned. They may refer to steps of earlier wishes. */
  readonly steps?: readonly PlanStep[];
  /** Reason why there are no steps; `unbound` if the wish refers to another wish that was not planned. */
  readonly reason?: RefusalReason;
}

/** A difference that keeps a process from resuming a run. @inline */
export interface RunDifference {
  readonly message: string;
  readonly tool?: string;
  readonly stepId?: string;
  readonly path?: readonly (string | number)[];
  /** Recorded value: the effect of the tool, the hash of its schemas, or the id of the key. */
  readonly expected?: string;
  /** Value in this process; absent if there is none. */
  readonly found?: string;
}

/** An operation of a store. @inline */
export type StoreOperation = "open" | "append" | "read" | "list" | "claim" | "post" | "delete";

/** The problem with a store; `busy` if it is locked or no connection is free. @inline */
export type StoreProblem = "corrupt" | "full" | "read-only" | "wrong-format" | "busy" | "unreachable";

/** Every error code of this package. Minor releases may add codes, so keep a default branch. @group Errors */
export type AgentErrorCode = keyof AgentErrorDetails;

/** An {@link AgentError} as JSON. @group Errors */
export type AgentErrorData<TCode extends AgentErrorCode = AgentErrorCode> = {
  [C in TCode]: {
    readonly name: "AgentError";
    readonly code: C;
    readonly message: string;
    readonly retryable: boolean;
    /** Present only if a tool stated it, as in {@link ErrorData}. */
    readonly outcome?: "not-done" | "unknown";
    readonly details: AgentErrorDetails[C];
    /** Stack of the last error that the tool threw: at most 10 frames and 2 000 characters. Absent with `recordStacks: false`. */
    readonly stack?: string;
    readonly cause?: unknown;
  };
}[TCode];

/** An error of any copy of this package: the type that {@link isAgentError} gives to unknown values. @group Errors */
export type AgentErrorLike<TCode extends AgentErrorCode = AgentErrorCode> = {
  [C in TCode]: AgentErrorData<C> & {
    /** Returns the error as JSON. */
    toJSON(): AgentErrorData<C>;
  };
}[TCode];

const retryableByCode: Readonly<Record<AgentErrorCode, boolean>> = {
  "invalid-options": false,
  "invalid-request": false,
  "cannot-plan": false,
  "planning-failed": true,
  "model-failed": false,
  "invalid-plan": false,
  "unknown-tool": false,
  "invalid-tool-input": false,
  "invalid-tool-output": false,
  "invalid-reference": false,
  "tool-failed": false,
  timeout: true,
  cancelled: false,
  interrupted: false,
  "plan-not-approved": false,
  "approval-rejected": false,
  "approval-expired": false,
  "limit-exceeded": false,
  "circuit-open": false,
  "invalid-expression": false,
  "outcome-unknown": false,
  "run-not-found": false,
  "resume-mismatch": false,
  "run-conflict": false,
  "run-owned-elsewhere": false,
  "store-failed": false,
  "secret-unreadable": false,
  "missing-dependency": false,
  "calculation-failed": false,
  "todo-not-found": false,
  "todo-ambiguous": false,
  "todo-list-ambiguous": false,
  "todo-key-reused": false,
  "todo-scope-missing": false,
  "todo-id-taken": false,
  "todo-undo-refused": false,
  "note-not-found": false,
  "note-key-reused": false,
  "note-undo-refused": false,
};

export function isOurError({ name, code }: { readonly name?: unknown; readonly code?: unknown }): boolean {
  return name === "AgentError" && typeof code === "string" && Object.hasOwn(retryableByCode, code);
}

/**
 * The error class of this package. `code` names the problem, `details` has the facts, `message` says what happened and,
 * for a wrong value, what is expected, and `retryable` is true if the same call may succeed later.
 * {@includeCode ../../examples/16-your-own-planner.ts} @group Errors
 */
export class AgentError<TCode extends AgentErrorCode = AgentErrorCode> extends Error {
  override readonly name = "AgentError";
  readonly code: TCode;
  readonly details: AgentErrorDetails[TCode];
  /** Default: true for `timeout` and `planning-failed`, else false. */
  readonly retryable: boolean;

  constructor(
    code: TCode,
    message: string,
    options: { details: AgentErrorDetails[TCode]; cause?: unknown; retryable?: boolean },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryable = options.retryable ?? retryableByCode[code] === true;
  }

  /** Returns the error as JSON, which `isAgentError` also accepts. */
  toJSON(): AgentErrorData<TCode> {
    return toErrorData(this) as AgentErrorData<TCode>;
  }
}

/**
 * Returns true for an error of this package, with the given `code` if there is one. It may come from another copy of the
 * package, or be JSON. Error data from events and results stays data; an unknown value is typed as a thrown error,
 * which has `toJSON`. {@includeCode ../../examples/06-look-at-runs.ts} @group Errors
 */
export function isAgentError<TCode extends AgentErrorCode = AgentErrorCode>(
  value: ErrorData | null | undefined,
  code?: TCode,
): value is AgentErrorData<TCode>;
export function isAgentError<TCode extends AgentErrorCode = AgentErrorCode>(
  value: unknown,
  code?: TCode,
): value is AgentErrorLike<TCode>;
export function isAgentError(value: unknown, code?: AgentErrorCode): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { name, code: actual } = readFields(value, "name", "code");
  return name === "AgentError" && typeof actual === "string" && (code === undefined || actual === code);
}

export function fromErrorData<TCode extends AgentErrorCode>(data: AgentErrorData<TCode>): AgentError<TCode> {
  const { code, message, details, retryable, cause } = data;
  return new AgentError<TCode>(code, message, { details, retryable, cause });
}

/**
 * The reason why an expression has no value.
 * - `too-deep`: parentheses are nested too deeply.
 * - `too-complex`: it needs too much work, such as hundreds of sines.
 * - `division-by-zero`: the divisor of a division or remainder is zero, or zero has a negative exponent.
 * - `not-a-number`: the result is not a real number, as for `sqrt(-1)`, or cannot be determined accurately enough.
 * @inline
 */
export type CalculationProblem =
  | "syntax"
  | "too-long"
  | "too-deep"
  | "too-complex"
  | "unknown-name"
  | "unknown-function"
  | "wrong-arguments"
  | "division-by-zero"
  | "not-a-number"
  | "overflow"
  | "invalid-variable";

/** A todo in the details of an error; the title is cut at 200 UTF-16 code units. @inline */
export interface TodoMatch {
  readonly id: string;
  readonly title: string;
  readonly list: string;
  readonly completed: boolean;
}
