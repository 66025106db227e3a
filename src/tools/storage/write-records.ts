/** The latest writes of a storage in memory, by scope and key. */
export class WriteRecords<TRecord> {
  /** A Map keeps the insertion order of keys, so its first key is the oldest. */
  private readonly records = new Map<string, TRecord>();

  constructor(private readonly maxRecords: number) {}

  get(scope: string, key: string): TRecord | undefined {
    return this.records.get(nameOf(scope, key));
  }

  /** Adds a record, and removes the oldest one beyond `maxRecords`. */
  add(scope: string, key: string, record: TRecord): TRecord {
    this.records.set(nameOf(scope, key), record);
    const oldest = this.records.size > this.maxRecords ? this.records.keys().next() : undefined;
    if (oldest?.done === false) this.records.delete(oldest.value);
    return record;
  }
}

/** JSON keeps each pair of a scope and a key distinct. */
function nameOf(scope: string, key: string): string {
  return JSON.stringify([scope, key]);
}
