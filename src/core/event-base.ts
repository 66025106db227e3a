/** What all events have. */
export interface EventBase<TType extends string> {
  readonly type: TType;
  readonly runId: string;
  /** From 1, without gaps among recorded events; a transient event repeats the number recorded last. */
  readonly sequence: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}
