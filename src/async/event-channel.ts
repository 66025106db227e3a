/** Events to be read with `for await`, buffered until they are. */
export interface EventStream<TEvent> extends AsyncIterable<TEvent> {
  /** How many events were dropped because nobody read them in time. */
  readonly dropped: number;
}

/** Options of an {@link EventChannel}. */
export interface EventChannelOptions<TEvent> {
  /** The most events that wait to be read. */
  readonly capacity: number;
  /** What may be dropped first when there are more. */
  readonly isExpendable: (event: TEvent) => boolean;
}

/**
 * A bounded buffer between a writer that never waits and one reader. When it is full, the oldest expendable event is
 * dropped, or else the oldest.
 */
export class EventChannel<TEvent> implements EventStream<TEvent> {
  dropped = 0;
  private readonly buffer: TEvent[] = [];
  private expendable = 0;
  private isClosed = false;
  private readonly waiting: ((result: IteratorResult<TEvent>) => void)[] = [];

  constructor(private readonly options: EventChannelOptions<TEvent>) {}

  push(event: TEvent): void {
    if (this.isClosed) return;
    const reader = this.waiting.shift();
    if (reader !== undefined) {
      reader({ value: event, done: false });
      return;
    }
    if (this.buffer.length >= this.options.capacity) this.dropOne();
    if (this.options.isExpendable(event)) this.expendable++;
    this.buffer.push(event);
  }

  /** No more events come; what is buffered can still be read. */
  close(): void {
    this.isClosed = true;
    for (const reader of this.waiting.splice(0)) reader({ value: undefined, done: true });
  }

  /** Readers share the events: each is given to one of them. */
  [Symbol.asyncIterator](): AsyncIterator<TEvent> {
    return { next: () => this.next() };
  }

  private next(): Promise<IteratorResult<TEvent>> {
    const event = this.buffer.shift();
    if (event !== undefined) {
      if (this.options.isExpendable(event)) this.expendable--;
      return Promise.resolve({ value: event, done: false });
    }
    if (this.isClosed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private dropOne(): void {
    this.dropped++;
    const index = this.expendable > 0 ? this.buffer.findIndex(this.options.isExpendable) : 0;
    if (this.expendable > 0) this.expendable--;
    this.buffer.splice(index, 1);
  }
}
