import { type OptionTable, readOptions } from "../../core/options.ts";

/** Options of a storage in memory. @inline */
export interface MemoryRecordsOptions {
  /**
   * The number of latest changes, over all scopes, that are remembered by their key, so that a second attempt is
   * recognised. At least 1. @default 10_000
   */
  readonly rememberedWrites?: number | undefined;
}

const recordOptions = {
  rememberedWrites: { type: "number", min: 1, default: 10_000 },
} satisfies OptionTable<MemoryRecordsOptions>;

/** The records of one scope. */
export interface MemoryShelf<TRow> {
  /** By id, in the order of insertion. */
  readonly rows: Map<string, TRow>;
  /** The rows in other orders, by a name of the order. Emptied by each change. */
  readonly sorted: Map<string, readonly TRow[]>;
}

/** Reads and changes the rows of a scope. */
interface RecordKind<TRow, TQuery, TFound, TChange, TOutcome> {
  find(shelf: MemoryShelf<TRow>, query: TQuery): TFound;
  /** The outcome of a change; undefined, with nothing changed, if it does not fit. */
  change(rows: Map<string, TRow>, change: TChange): TOutcome | undefined;
}

/** A storage in memory: the rows of each scope, and the outcomes of the latest writes by their key. */
export function createMemoryRecords<TRow, TQuery, TFound, TChange, TOutcome extends object, TOperation>(
  option: string,
  options: MemoryRecordsOptions,
  { find, change }: RecordKind<TRow, TQuery, TFound, TChange, TOutcome>,
) {
  type Outcome = TOutcome & { readonly operation: TOperation };
  const { rememberedWrites } = readOptions(recordOptions, options, option);
  const shelves = new Map<string, MemoryShelf<TRow>>();
  const records = new Map<string, Outcome>();
  // A Map keeps the insertion order of keys. A new iterator would have to skip all that were deleted before.
  const oldestFirst = records.keys();
  const shelfOf = (scope: string) => shelves.get(scope) ?? { rows: new Map(), sorted: new Map() };
  const nameOf = (scope: string, key: string) => JSON.stringify([scope, key]);
  return {
    find: (scope: string, query: TQuery): TFound => find(shelfOf(scope), query),
    recall: (scope: string, key: string): Outcome | undefined => records.get(nameOf(scope, key)),
    apply(scope: string, write: { readonly key: string; readonly operation: TOperation; readonly change: TChange }) {
      const name = nameOf(scope, write.key);
      const known = records.get(name);
      if (known !== undefined) return known;
      const shelf = shelfOf(scope);
      const outcome = change(shelf.rows, write.change);
      if (outcome === undefined) return undefined;
      shelf.sorted.clear();
      if (shelf.rows.size === 0) shelves.delete(scope);
      else shelves.set(scope, shelf);
      const record: Outcome = Object.freeze({ operation: write.operation, ...outcome });
      records.set(name, record);
      const oldest = records.size > rememberedWrites ? oldestFirst.next() : undefined;
      if (oldest?.done === false) records.delete(oldest.value);
      return record;
    },
  };
}
