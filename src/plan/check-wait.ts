import type { PlanIssue, WaitStep } from "../core/plan.ts";
import { timeOfInstant } from "../core/wait-step.ts";
import type { StepScope } from "./find-source.ts";
import { findReferences } from "./reference.ts";

/** The issues of what a step waits for. */
export function checkWait({ wait }: WaitStep, { path, events }: StepScope): readonly PlanIssue[] {
  if ("event" in wait) {
    if (events === undefined || events.has(wait.event)) return [];
    const message = `There is no event "${wait.event}". Available events: ${[...events].join(", ") || "none"}.`;
    return [{ code: "unknown-event", path: [...path, "wait", "event"], message }];
  }
  if (!("until" in wait)) return [];
  const at = [...path, "wait", "until"];
  const references = findReferences({ until: wait.until });
  const unread = references.find(({ reference }) => reference === undefined);
  if (unread !== undefined) {
    const message = `"${unread.text}" is not a reference. Write \${s1.key}.`;
    return [{ code: "invalid-reference", path: at, message }];
  }
  if (references.length > 0 || timeOfInstant(wait.until) !== undefined) return [];
  const message = `${JSON.stringify(wait.until)} is not an instant with its zone, such as "2026-03-01T08:00:00Z" or "2026-03-01T08:00:00+01:00".`;
  return [{ code: "invalid-input", path: at, message }];
}
