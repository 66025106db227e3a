/** Events to read with `for await`. Unread events are buffered. @group Events */
export interface EventStream<TEvent> extends AsyncIterable<TEvent> {
  /** Number of events that were dropped because they were not read in time. */
  readonly dropped: number;
}

export interface EventSink<TEvent> {
  push(event: TEvent): void;
}

export class EventChannel<TEvent> implements EventStream<TEvent>, EventSink<TEvent> {
  dropped = 0;
  readonly #buffer: TEvent[] = [];
  #expendable = 0;
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;
  readonly #waiting: {
    readonly resolve: (result: IteratorResult<TEvent>) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];

  constructor(
    private readonly options: { readonly capacity: number; readonly isExpendable: (event: TEvent) => boolean },
  ) {}

  push(event: TEvent): void {
    if (this.#isClosed) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) {
      reader.resolve({ value: event, done: false });
      return;
    }
    if (this.#buffer.length >= this.options.capacity) this.#dropOne();
    if (this.options.isExpendable(event)) this.#expendable++;
    this.#buffer.push(event);
  }

  close(): void {
    this.#isClosed = true;
    for (const reader of this.#waiting.splice(0)) reader.resolve({ value: undefined, done: true });
  }

  fail(error: unknown): void {
    this.#failure = { error };
    for (const reader of this.#waiting.splice(0)) reader.reject(error);
    this.close();
  }

  [Symbol.asyncIterator](): AsyncIterator<TEvent> {
    return { next: () => this.#next() };
  }

  take(): TEvent | undefined {
    const event = this.#buffer.shift();
    if (event !== undefined && this.options.isExpendable(event)) this.#expendable--;
    return event;
  }

  #next(): Promise<IteratorResult<TEvent>> {
    const event = this.take();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#isClosed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #dropOne(): void {
    this.dropped++;
    const index = this.#expendable === 0 ? 0 : this.#buffer.findIndex((event) => this.options.isExpendable(event));
    this.#buffer.splice(index, 1);
    if (this.#expendable > 0) this.#expendable--;
  }
}
