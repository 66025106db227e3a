/** The fields that all events have. */
export interface EventBase<TType extends string> {
  readonly type: TType;
  readonly runId: string;
  /** From 1, without gaps among recorded events; a transient or unrecorded event repeats the last recorded number. */
  readonly sequence: number;
  /** Emitted but not recorded, as the store failed: to the store it is as if the process had died before. */
  readonly recorded?: false;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}
