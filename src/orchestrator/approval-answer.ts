import type { ApprovalAnswer, ApprovalDecision } from "../core/approval.ts";
import { checkKeys, checkOption } from "../core/options.ts";
import { readInput, readNote } from "./decision-options.ts";

/**
 * Reads the answer of an agent's `approve` function; undefined if it is not an answer at all. Throws `invalid-options`
 * for an answer with invalid fields.
 */
export function readAnswer(answer: unknown, kind: "step" | "plan"): ApprovalAnswer | undefined {
  if (isDecision(answer)) return { decision: answer };
  const { decision } = (answer ?? {}) as { readonly decision?: unknown };
  if (!isDecision(decision)) return undefined;
  checkKeys("answer", answer, ["decision", "by", "comment", decision === "approve" ? "input" : "reason"]);
  const { by, comment, reason, input } = answer as ApprovalAnswer;
  checkOption({ type: "text" }, reason, "reason");
  return {
    decision,
    ...readNote({ by, comment }),
    ...(reason !== undefined && { reason }),
    ...(input !== undefined && { input: readInput(input, kind) }),
  };
}

function isDecision(value: unknown): value is ApprovalDecision {
  return value === "approve" || value === "reject" || value === "suspend";
}
