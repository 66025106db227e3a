/** Events to be read with `for await`, buffered until they are. @group Events */
export interface EventStream<TEvent> extends AsyncIterable<TEvent> {
  /** How many events were dropped because nobody read them in time. */
  readonly dropped: number;
}

/** A receiver of events. */
export interface EventSink<TEvent> {
  push(event: TEvent): void;
}

/** Options of an {@link EventChannel}. */
export interface EventChannelOptions<TEvent> {
  /** The most events that wait to be read. */
  readonly capacity: number;
  /** Which events may be dropped first when there are more. */
  readonly isExpendable: (event: TEvent) => boolean;
}

interface Reader<TEvent> {
  readonly resolve: (result: IteratorResult<TEvent>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A bounded buffer between a writer that never waits and one reader. When it is full, the oldest expendable event is
 * dropped, or else the oldest.
 */
export class EventChannel<TEvent> implements EventStream<TEvent>, EventSink<TEvent> {
  dropped = 0;
  private readonly buffer: TEvent[] = [];
  /** Where in the buffer the oldest event is; before it are those that were read or dropped. */
  private oldest = 0;
  private expendable = 0;
  private isClosed = false;
  private failure: { readonly error: unknown } | undefined;
  private readonly waiting: Reader<TEvent>[] = [];

  constructor(private readonly options: EventChannelOptions<TEvent>) {}

  push(event: TEvent): void {
    if (this.isClosed) return;
    const reader = this.waiting.shift();
    if (reader !== undefined) {
      reader.resolve({ value: event, done: false });
      return;
    }
    if (this.buffer.length - this.oldest >= this.options.capacity) this.dropOne();
    if (this.options.isExpendable(event)) this.expendable++;
    this.buffer.push(event);
  }

  /** Accepts no more events; those in the buffer can still be read. */
  close(): void {
    this.isClosed = true;
    for (const reader of this.waiting.splice(0)) reader.resolve({ value: undefined, done: true });
  }

  /** Like {@link EventChannel.close}, but further reads reject with the error. */
  fail(error: unknown): void {
    this.failure = { error };
    for (const reader of this.waiting.splice(0)) reader.reject(error);
    this.close();
  }

  /** Readers share the events: each goes to one of them. */
  [Symbol.asyncIterator](): AsyncIterator<TEvent> {
    return { next: () => this.next() };
  }

  /** The oldest event that waits to be read, if there is one. */
  take(): TEvent | undefined {
    const event = this.takeOldest();
    if (event !== undefined && this.options.isExpendable(event)) this.expendable--;
    return event;
  }

  private next(): Promise<IteratorResult<TEvent>> {
    const event = this.take();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.failure !== undefined) return Promise.reject(this.failure.error);
    if (this.isClosed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private dropOne(): void {
    this.dropped++;
    if (this.expendable === 0) {
      this.takeOldest();
      return;
    }
    this.expendable--;
    const { oldest } = this;
    const index = this.buffer.findIndex((event, at) => at >= oldest && this.options.isExpendable(event));
    this.buffer.splice(index, 1);
  }

  /** Moves the rest down only when half of the buffer is gone: that is O(1) for each event. */
  private takeOldest(): TEvent | undefined {
    if (this.oldest >= this.buffer.length) return undefined;
    const event = this.buffer[this.oldest++];
    if (this.oldest * 2 >= this.buffer.length) {
      this.buffer.splice(0, this.oldest);
      this.oldest = 0;
    }
    return event;
  }
}
