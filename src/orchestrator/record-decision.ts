import type { StepPlace } from "../core/step-place.ts";
import { type ApprovalOutcome, approvalEnd } from "./approval-end.ts";
import type { Run } from "./run.ts";

/** A decision to record. */
export interface DecisionToRecord {
  /** Undefined for the plan. */
  readonly place: StepPlace | undefined;
  readonly outcome: ApprovalOutcome | Promise<ApprovalOutcome>;
  /** The number of the message that contained it. */
  readonly message?: number;
}

/** Records a decision, and notifies those who wait for it. Not while another one is {@link Run.deciding}. */
export function recordDecision(run: Run, decision: DecisionToRecord): Promise<void> {
  const recording = record(run, decision).finally(() => {
    if (run.deciding === deciding) run.deciding = undefined;
  });
  const deciding = recording.catch(() => {});
  run.deciding = deciding;
  return recording;
}

async function record(run: Run, { place, outcome: decided, message }: DecisionToRecord): Promise<void> {
  const outcome = decided instanceof Promise ? await decided : decided;
  if (message !== undefined) run.recorder.acknowledge(message);
  await run.emit(approvalEnd(place, outcome));
  run.tellDecision(place);
}
