import { AgentError } from "../../core/errors.ts";
import { failOption } from "../../core/options.ts";

/** A storage that records the outcome of each write under its key. */
interface KeyedStorage<TChange, TOperation, TRecord> {
  recall(scope: string, key: string): TRecord | undefined | Promise<TRecord | undefined>;
  apply(
    scope: string,
    write: { readonly key: string; readonly operation: TOperation; readonly change: TChange },
  ): TRecord | undefined | Promise<TRecord | undefined>;
}

/** A call that changes something. */
interface WriteCall<TChange, TOperation, TRecord> {
  readonly storage: KeyedStorage<TChange, TOperation, TRecord>;
  readonly scope: string;
  /** The idempotency key of the call. */
  readonly key: unknown;
  readonly operation: TOperation;
  /** The code of the error for a key that was used for another operation. */
  readonly keyReused: "todo-key-reused" | "note-key-reused";
  /** Determines the change. Nothing is written if it throws, or if there is no change to make. */
  plan(): TChange | undefined | Promise<TChange | undefined>;
}

/**
 * Makes a change once for its key, and returns its record; undefined if there was none to make, or it did not fit.
 *
 * Throws `invalid-options` without a key, as all such calls would look like the first one.
 */
export async function writeOnce<TChange, TOperation extends string, TRecord extends { readonly operation: string }>({
  storage,
  scope,
  key,
  operation,
  keyReused,
  plan,
}: WriteCall<TChange, TOperation, TRecord>): Promise<TRecord | undefined> {
  if (typeof key !== "string" || key === "") {
    failOption("context.idempotencyKey", key, "text that is the same for each attempt of a step");
  }
  const write = async () => {
    const change = await plan();
    return change && storage.apply(scope, { key, operation, change });
  };
  // The key is looked up first: once an item is gone, a second attempt to delete it could find another one.
  let record = await storage.recall(scope, key);
  try {
    record ??= await write();
  } catch (error) {
    // Another attempt may have ended while this one was looking for its item.
    record = await storage.recall(scope, key);
    if (record === undefined) throw error;
  }
  if (record === undefined || record.operation === operation) return record;
  const { operation: earlier } = record;
  const message = `The idempotency key ${JSON.stringify(key)} was already used for "${earlier}"; "${operation}" needs one of its own.`;
  throw new AgentError(keyReused, message, { details: { idempotencyKey: key, operation, earlier } });
}
