import { checkKeys, checkNumber, failOption } from "../core/options.ts";
import { placeOf } from "../core/step-place.ts";
import type { Tool } from "../core/tool.ts";
import type { Decision } from "./decide-run.ts";
import { type ContinueOptions, checkSignal, checkSwitch, checkText } from "./run-options.ts";

/** What a pending item or an `approval-request` event has besides the hash, so that either can be passed as it is. */
interface LookedAt {
  /** Of the pending item or event, so that it can be passed as it is. Not looked at. */
  kind?: string | undefined;
  /** Of the pending item or event, so that it can be passed as it is. Not looked at. */
  stepId?: string | undefined;
  /** Of the pending item or event, so that it can be passed as it is. Not looked at. */
  tool?: string | undefined;
  /** Of the pending item or event, so that it can be passed as it is. Not looked at. */
  input?: unknown;
  /** Of the pending item or event, so that it can be passed as it is. Not looked at. */
  effect?: string | undefined;
  /** Of the pending item or event, so that it can be passed as it is. Not looked at. */
  reasoning?: string | undefined;
  /** Of the event, so that it can be passed as it is. Not looked at. */
  type?: string | undefined;
  /** Of the event, so that it can be passed as it is. Not looked at. */
  runId?: string | undefined;
  /** Of the event, so that it can be passed as it is. Not looked at. */
  sequence?: number | undefined;
  /** Of the event, so that it can be passed as it is. Not looked at. */
  timestamp?: string | undefined;
  /** Of the event, so that it can be passed as it is. Not looked at. */
  iterations?: number | undefined;
}

const notLookedAt: Readonly<Record<keyof LookedAt, true>> = {
  kind: true,
  stepId: true,
  tool: true,
  input: true,
  effect: true,
  reasoning: true,
  type: true,
  runId: true,
  sequence: true,
  timestamp: true,
  iterations: true,
};

interface StepLookedAt extends LookedAt {
  /** The hash of the input that was looked at: 64 lowercase hex digits. */
  inputHash: string;
  /** Which iteration of a `forEach`, from 0. */
  iteration?: number | undefined;
}

interface PlanLookedAt extends LookedAt {
  /** The hash of the plan that was looked at: 64 lowercase hex digits. */
  planHash: string;
}

interface Reason {
  /** For the error. @default "no reason given" */
  reason?: string | undefined;
}

/** Options of approving a step: its pending item or `approval-request`, and what the run needs to go on. */
export type ApprovalOptions<TTool extends Tool = Tool> = ContinueOptions<TTool> & StepLookedAt;

/** Options of rejecting a step. */
export type RejectionOptions<TTool extends Tool = Tool> = ApprovalOptions<TTool> & Reason;

/** Options of approving a plan: its pending item or `approval-request`, and what the run needs to go on. */
export type PlanApprovalOptions<TTool extends Tool = Tool> = ContinueOptions<TTool> & PlanLookedAt;

/** Options of rejecting a plan. */
export type PlanRejectionOptions<TTool extends Tool = Tool> = PlanApprovalOptions<TTool> & Reason;

type Verdict = Decision["verdict"];

/** A decision about a step. Throws `invalid-options`. */
export function decisionOfStep(verdict: Verdict, stepId: string, options: RejectionOptions): Decision {
  checkName("stepId", stepId);
  checkOptions(verdict, options, ["inputHash", "iteration"]);
  const { iteration, inputHash, reason } = options;
  checkHash("inputHash", inputHash);
  checkNumber("iteration", iteration, { min: 0, isInteger: true });
  return { verdict, place: placeOf({ stepId, iteration }), hash: inputHash, reason: reason ?? noReason };
}

/** A decision about a plan. Throws `invalid-options`. */
export function decisionOfPlan(verdict: Verdict, options: PlanRejectionOptions): Decision {
  checkOptions(verdict, options, ["planHash"]);
  checkHash("planHash", options.planHash);
  return { verdict, place: undefined, hash: options.planHash, reason: options.reason ?? noReason };
}

const noReason = "no reason given";

/** Throws `invalid-options` for an id that is none. */
export function checkName(option: "runId" | "stepId", value: unknown): void {
  if (typeof value !== "string" || value === "") failOption(option, value, "text that is not empty");
}

function checkOptions(verdict: Verdict, options: RejectionOptions | PlanRejectionOptions, own: readonly string[]) {
  const [hash = ""] = own;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    failOption("options", options, `an object with ${hash}, such as the pending item`);
  const known = [...own, ...(verdict === "reject" ? ["reason"] : []), "resources", "signal", "throwOnFailure"];
  checkKeys(
    "options",
    Object.fromEntries(Object.entries(options).filter(([key]) => !Object.hasOwn(notLookedAt, key))),
    known,
  );
  checkText("reason", options.reason);
  checkSignal(options.signal);
  checkSwitch("throwOnFailure", options.throwOnFailure);
}

function checkHash(option: "inputHash" | "planHash", hash: unknown): void {
  if (typeof hash !== "string" || !/^[\da-f]{64}$/.test(hash))
    failOption(option, hash, "the 64 lowercase hex digits of what was looked at: those of the pending item");
}
