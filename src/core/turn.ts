import type { AgentError } from "./errors.ts";
import type { TurnOutcome } from "./events.ts";
import type { JsonValue } from "./json.ts";
import type { PlanDraft, PlanRequest, RequestThread } from "./planner.ts";
import type { QuestionItem } from "./question.ts";
import type { RunSnapshot } from "./run-result.ts";

/** A line of a dialogue. */
export interface TurnRequest
  extends Pick<PlanRequest, "request" | "tools" | "maxSteps" | "nowMs" | "timeZone" | "signal"> {
  /** The last runs of the thread, newest first. Sealed values stay sealed. */
  readonly runs: readonly RunSnapshot[];
}

/** The meaning of a line that its thread gives it. */
export type Turn =
  /** The thread adds nothing: a planner plans it. A model is shown its things. */
  | { readonly status: "request"; readonly thread?: RequestThread | undefined }
  | { readonly status: "plan"; readonly draft: PlanDraft }
  | TurnOutcome;

/** Reads the lines of dialogues. Loaded with the first run that has a thread. */
export interface TurnReader {
  readTurn(turn: TurnRequest): Promise<Turn>;
  /** A plan that asks for what a refused line lacks; undefined if no question would help. */
  askAfter(turn: TurnRequest, refusal: AgentError<"cannot-plan">): Promise<PlanDraft | undefined>;
  /** The answer to a question in a text; undefined if it answers nothing, null if it declines. */
  readAnswer(item: QuestionItem, text: string, clock: Pick<PlanRequest, "nowMs" | "timeZone">): JsonValue | undefined;
}
