import type { EventInit } from "../core/events.ts";
import type { JsonValue } from "../core/json.ts";
import { partAt } from "../core/step-state.ts";
import type { Run } from "./run.ts";

/** An event caused from outside a run, as it is recorded. What is sealed in it already was sealed elsewhere. */
export async function sealEvent(
  { secrets, state }: Pick<Run, "secrets" | "state">,
  event: EventInit,
): Promise<EventInit> {
  if (secrets === undefined) return event;
  // First, as a comment may repeat what the approver entered.
  if (event.type === "approval-end" && event.kind === "step" && event.outcome.status === "approved")
    await secrets.loadIn(partAt(state.steps, event)?.tool ?? "", "input", event.outcome.changed?.input);
  const hidden = secrets.hideInEvent(event);
  if (hidden.type === "run-settle" && hidden.outcome.status === "completed") {
    const tool = partAt(state.steps, hidden)?.tool ?? "";
    await secrets.loadIn(tool, "output", hidden.outcome.output);
    const output = await secrets.sealOutput(tool, secrets.open(hidden.outcome.output) as JsonValue);
    return { ...hidden, outcome: { ...hidden.outcome, output } };
  }
  return hidden;
}
