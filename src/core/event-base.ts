/** What all events have. */
export interface EventBase<TType extends string> {
  readonly type: TType;
  readonly runId: string;
  /** From 1, without gaps among recorded events; a transient event, or one that is not recorded, repeats the number recorded last. */
  readonly sequence: number;
  /** Only told, as the store has failed: to the store it is as if the process had died before. */
  readonly recorded?: false;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}
