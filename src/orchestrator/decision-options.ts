import { checkKeys, checkNumber, failOption } from "../core/options.ts";
import { placeOf, type StepPlace } from "../core/step-place.ts";
import type { Tool } from "../core/tool.ts";
import type { Decision } from "./decide-run.ts";
import { type ContinueOptions, checkSignal, checkSwitch, checkText } from "./run-options.ts";

/**
 * What is decided about: a pending item of a run, an `approval-request`, or what `approve` of the agent was asked, each as it is.
 * The hash says what was looked at; what else they have is not looked at.
 */
export type ApprovalItem =
  | {
      readonly kind: "approval" | "step";
      readonly stepId: string;
      /** Which iteration of a `forEach`, from 0. */
      readonly iteration?: number | undefined;
      readonly hash: string;
    }
  | { readonly kind: "plan-approval" | "plan"; readonly hash: string };

/** Options of approving: what the run needs to go on. */
export type ApprovalOptions<TTool extends Tool = Tool> = ContinueOptions<TTool>;

/** Options of rejecting. */
export type RejectionOptions<TTool extends Tool = Tool> = ContinueOptions<TTool> & {
  /** For the error. @default "no reason given" */
  reason?: string | undefined;
};

/** A decision, and what the run goes on with. Throws `invalid-options`. */
export function readDecision(
  verdict: Decision["verdict"],
  item: ApprovalItem,
  options: RejectionOptions,
): { readonly decision: Decision; readonly options: ContinueOptions } {
  const place = placeOfItem(item);
  checkHash(item.hash);
  checkKeys("options", options, ["resources", "signal", "throwOnFailure", ...(verdict === "reject" ? ["reason"] : [])]);
  const { reason = "no reason given", ...rest } = options;
  checkText("reason", reason);
  checkSignal(rest.signal);
  checkSwitch("throwOnFailure", rest.throwOnFailure);
  return { decision: { verdict, place, hash: item.hash, reason }, options: rest };
}

const items = "an item of result.pending, or an approval-request";

/** The step or iteration that an item is about; undefined for the plan. */
function placeOfItem(item: ApprovalItem): StepPlace | undefined {
  const { kind } = (item ?? {}) as { readonly kind?: unknown };
  switch (kind) {
    case "plan-approval":
    case "plan":
      return undefined;
    case "approval":
    case "step": {
      const { stepId, iteration } = item as Extract<ApprovalItem, { stepId: string }>;
      checkName("item.stepId", stepId);
      checkNumber("item.iteration", iteration, { min: 0, isInteger: true });
      return placeOf({ stepId, iteration });
    }
    default:
      return failOption("item", item, kind === "outcome" ? `${items}; settle says what came of a step` : items);
  }
}

/** Throws `invalid-options` for an id that is none. */
export function checkName(option: "runId" | "stepId" | "item.stepId", value: unknown): void {
  if (typeof value !== "string" || value === "") failOption(option, value, "text that is not empty");
}

function checkHash(hash: unknown): void {
  if (typeof hash !== "string" || !/^[\da-f]{64}$/.test(hash))
    failOption("item.hash", hash, "the 64 lowercase hex digits of what was looked at: those of the pending item");
}
