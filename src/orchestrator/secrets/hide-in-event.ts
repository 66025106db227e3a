import type { EventInit } from "../../core/events.ts";
import type { PlanStep } from "../../core/plan.ts";

/** What hides secrets. */
interface Hiding {
  hideIn<T>(value: T): T;
  hideStep(step: PlanStep): PlanStep;
}

interface Outcome {
  readonly error?: unknown;
  readonly output?: unknown;
  readonly by?: unknown;
  readonly comment?: unknown;
}

/** The parts of an event where a secret can be in the middle of other text. */
type Telling = Readonly<Record<"error" | "cause" | "value" | "progress" | "outcome" | "step", unknown>>;

/** An event about to be recorded or emitted, without secrets in its messages, notes, progress and late values. */
export function hideInEvent<TInit extends EventInit>(init: TInit, hiding: Hiding): TInit {
  const { error, cause, value, progress, outcome, step } = init as EventInit & Partial<Telling>;
  return {
    ...init,
    ...(error !== undefined && { error: hiding.hideIn(error) }),
    ...(cause !== undefined && { cause: hiding.hideIn(cause) }),
    ...(value !== undefined && { value: hiding.hideIn(value) }),
    ...(progress !== undefined && { progress: hiding.hideIn(progress) }),
    ...(init.type === "plan-delta" && { step: hiding.hideStep(step as PlanStep) }),
    ...(outcome !== undefined && { outcome: hideInOutcome(init.type, outcome as Outcome, hiding) }),
  };
}

function hideInOutcome(type: string, outcome: Outcome, hiding: Hiding): Outcome {
  const { error, by, comment, output } = outcome;
  const isLate = type === "step-late" && output !== undefined;
  return {
    ...outcome,
    ...(error !== undefined && { error: hiding.hideIn(error) }),
    ...(by !== undefined && { by: hiding.hideIn(by) }),
    ...(comment !== undefined && { comment: hiding.hideIn(comment) }),
    ...(isLate && { output: hiding.hideIn(output) }),
  };
}
