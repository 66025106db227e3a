import type { AgentError } from "./errors.ts";
import type { TurnOutcome } from "./events.ts";
import type { JsonValue } from "./json.ts";
import type { PlanDraft, PlanRequest, RequestThread } from "./planner.ts";
import type { QuestionItem } from "./question.ts";
import type { RunSnapshot } from "./run-result.ts";

export interface TurnRequest
  extends Pick<PlanRequest, "request" | "tools" | "maxSteps" | "nowMs" | "timeZone" | "signal"> {
  readonly runs: readonly RunSnapshot[];
}

export type Turn =
  /** A planner plans the line; a model is shown the things of the thread. */
  | { readonly status: "request"; readonly thread?: RequestThread | undefined }
  | { readonly status: "plan"; readonly draft: PlanDraft }
  | TurnOutcome;

export interface TurnReader {
  readTurn(turn: TurnRequest): Promise<Turn>;
  askAfter(turn: TurnRequest, refusal: AgentError<"cannot-plan">): Promise<PlanDraft | undefined>;
  readAnswer(item: QuestionItem, text: string, clock: Pick<PlanRequest, "nowMs" | "timeZone">): JsonValue | undefined;
}
