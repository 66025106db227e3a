/** What a storage in memory remembers of its latest writes, by scope and key. */
export class WriteRecords<TRecord> {
  /** A Map keeps the order in which keys came, so its first key is the oldest. */
  readonly #records = new Map<string, TRecord>();

  constructor(private readonly maxRecords: number) {}

  get(scope: string, key: string): TRecord | undefined {
    return this.#records.get(nameOf(scope, key));
  }

  /** Remembers a record, and forgets the oldest of more than so many. */
  add(scope: string, key: string, record: TRecord): TRecord {
    this.#records.set(nameOf(scope, key), record);
    const oldest = this.#records.size > this.maxRecords ? this.#records.keys().next() : undefined;
    if (oldest?.done === false) this.#records.delete(oldest.value);
    return record;
  }
}

/** As JSON, no scope and key together read like another scope and key. */
function nameOf(scope: string, key: string): string {
  return JSON.stringify([scope, key]);
}
