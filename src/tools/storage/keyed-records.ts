import { AgentError } from "../../core/errors.ts";
import { failOption, hasMethods, type OptionReader, type OptionTable, readOptions } from "../../core/option-tables.ts";

/** Options of a storage in memory. @inline */
export interface MemoryRecordsOptions {
  /** Number of latest changes, over all scopes, that are remembered and so not repeated. At least 1. @default 10_000 */
  readonly rememberedWrites?: number | undefined;
}

const recordOptions = {
  rememberedWrites: { type: "number", min: 1, default: 10_000 },
} satisfies OptionTable<MemoryRecordsOptions>;

interface RecordKind<TRow, TQuery, TFound, TChange, TOutcome> {
  find(rows: ReadonlyMap<string, TRow>, query: TQuery): TFound;
  change(rows: Map<string, TRow>, change: TChange): TOutcome | undefined;
}

export function createMemoryRecords<TRow, TQuery, TFound, TChange, TOutcome extends object, TOperation>(
  option: string,
  options: MemoryRecordsOptions,
  { find, change }: RecordKind<TRow, TQuery, TFound, TChange, TOutcome>,
) {
  type Outcome = TOutcome & { readonly operation: TOperation };
  const { rememberedWrites } = readOptions(recordOptions, options, option);
  const scopes = new Map<string, Map<string, TRow>>();
  const records = new Map<string, Outcome>();
  // A new iterator would skip all deleted keys again.
  const oldestFirst = records.keys();
  const rowsOf = (scope: string) => scopes.get(scope) ?? new Map<string, TRow>();
  const nameOf = (scope: string, key: string) => JSON.stringify([scope, key]);
  return {
    find: (scope: string, query: TQuery): TFound => find(rowsOf(scope), query),
    recall: (scope: string, key: string): Outcome | undefined => records.get(nameOf(scope, key)),
    apply(scope: string, write: Write<TChange, TOperation>) {
      const name = nameOf(scope, write.key);
      const known = records.get(name);
      if (known !== undefined) return known;
      const rows = rowsOf(scope);
      const outcome = change(rows, write.change);
      if (outcome === undefined) return undefined;
      if (rows.size === 0) scopes.delete(scope);
      else scopes.set(scope, rows);
      const record: Outcome = Object.freeze({ operation: write.operation, ...outcome });
      records.set(name, record);
      const oldest = records.size > rememberedWrites ? oldestFirst.next() : undefined;
      if (oldest?.done === false) records.delete(oldest.value);
      return record;
    },
  };
}

/**
 * Each of the three methods may return a value or a promise.
 *
 * - Scopes are separate: a call reads and changes only items and keys of its scope. Scopes and keys may be any text.
 * - When `apply` has returned, every later call sees the change, and it is as durable as the storage.
 * - Returned values are copies or frozen.
 * - A method throws only if the storage itself failed; the call may then be repeated with the same key.
 */
export interface KeyedStorage<TQuery, TFound, TWrite, TRecord> {
  /** Returns matching items, in the order of the query, and the number of all matches. A new scope has no items. */
  find(scope: string, query: TQuery): TFound | Promise<TFound>;
  /** Returns the record of `apply` for a key; undefined if no record was made, or if it was forgotten. */
  recall(scope: string, key: string): TRecord | undefined | Promise<TRecord | undefined>;
  /**
   * Makes one change and records its outcome under the key, atomically. If the key has a record, returns it and changes
   * nothing. Returns undefined and changes nothing if the change does not fit: the item to change or remove does not
   * exist or is not as expected, or the id to insert is in use.
   *
   * A storage may forget the oldest records. It must document how many it keeps, or for how long.
   */
  apply(scope: string, write: TWrite): TRecord | undefined | Promise<TRecord | undefined>;
}

interface Write<TChange, TOperation> {
  readonly key: string;
  readonly operation: TOperation;
  readonly change: TChange;
}

export function storageReader<TStorage>(create: () => TStorage): OptionReader<TStorage> {
  return (storage = create(), option) =>
    hasMethods(storage, ["find", "recall", "apply"])
      ? (storage as TStorage)
      : failOption(option, storage, "a storage with find, recall and apply");
}

interface WriteCall<TChange, TOperation, TRecord> {
  readonly storage: Pick<
    KeyedStorage<never, unknown, Write<NoInfer<TChange>, TOperation>, TRecord>,
    "recall" | "apply"
  >;
  readonly scope: string;
  readonly key: unknown;
  readonly operation: TOperation;
  readonly keyReused: "todo-key-reused" | "note-key-reused";
  plan(): TChange | undefined | Promise<TChange | undefined>;
}

/** Refuses a missing key, because all calls without a key would share one record. */
export async function writeOnce<TChange, TOperation extends string, TRecord extends { readonly operation: string }>({
  storage,
  scope,
  key,
  operation,
  keyReused,
  plan,
}: WriteCall<TChange, TOperation, TRecord>): Promise<{ record?: TRecord | undefined; change?: TChange | undefined }> {
  if (typeof key !== "string" || key === "") {
    failOption("context.idempotencyKey", key, "text that is the same for each attempt of a step");
  }
  // Looks for a record first, because a second attempt to delete an item could find a different item.
  let record = await storage.recall(scope, key);
  let change: TChange | undefined;
  try {
    if (record === undefined) {
      change = await plan();
      record = change && (await storage.apply(scope, { key, operation, change }));
    }
  } catch (error) {
    // Another attempt may have succeeded in the meantime.
    record = await storage.recall(scope, key);
    if (record === undefined) throw error;
  }
  if (record === undefined || record.operation === operation) return { record, change };
  const { operation: earlier } = record;
  const message = `The idempotency key ${JSON.stringify(key)} was already used for "${earlier}"; use another key for "${operation}".`;
  throw new AgentError(keyReused, message, { details: { idempotencyKey: key, operation, earlier } });
}

/** Half of the default limit for an output in a run. */
const maxPageBytes = 512 * 1_024;

export function cutPage<TItem>(items: readonly TItem[]): readonly TItem[] {
  const encoder = new TextEncoder();
  let bytes = 0;
  const tooMuch = items.findIndex((item, index) => {
    bytes += encoder.encode(JSON.stringify(item)).length + 1;
    return index > 0 && bytes > maxPageBytes;
  });
  return tooMuch === -1 ? items : items.slice(0, tooMuch);
}

export function foldText(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
