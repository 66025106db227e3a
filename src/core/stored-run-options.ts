/**
 * What a run may use; anything that would exceed it ends with `limit-exceeded`. A model call is refused if the usage so
 * far, its estimated prompt and its longest answer would exceed it; the longest answer is shortened to fit.
 * @group Runs and results
 */
export interface RunBudget {
  /** Calls of tools, including retries, but not undo calls. At least 1. */
  readonly toolCalls?: number | undefined;
  /** Calls of models. At least 0. */
  readonly modelCalls?: number | undefined;
  /** Tokens of models, input and output together. At least 0. */
  readonly tokens?: number | undefined;
  /** What models cost, in the currency of their prices; a model without a price is then not called. At least 0. */
  readonly cost?: number | undefined;
}

/** The options of a run that are stored with it. */
export interface StoredRunOptions {
  readonly maxSteps: number;
  readonly concurrency: number;
  readonly timeZone: string;
  /** Milliseconds; absent if the run has no deadline. */
  readonly timeoutMs?: number;
  /** Absent if it is `stop`. */
  readonly onStepFailure?: "continue";
  /** Absent if finished steps are kept. */
  readonly undoOnFailure?: true;
  /** Absent if the planner may not plan again. */
  readonly maxReplans?: number;
  /** The tools with an effect that a replan may call though the first plan did not; absent if there are none. */
  readonly replanTools?: readonly string[];
  /** Absent if there is no budget. */
  readonly budget?: RunBudget;
  /** Absent if the caller did not pass the hash of the plan. */
  readonly approvedHash?: string;
}
