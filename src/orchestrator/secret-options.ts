import { checkFunction, checkKeys, failOption } from "../core/options.ts";
import type { RunStore } from "../core/run-store.ts";
import { isSensitiveTool } from "../core/sensitive.ts";
import type { StepPlace } from "../core/step-place.ts";
import type { Tool } from "../core/tool.ts";

/** A key for the values of sensitive fields. @inline */
export interface SecretKey {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`; recorded beside what the key has sealed. */
  readonly id: string;
  /** 32 random bytes, or the same in base64. */
  readonly key: Uint8Array | string;
}

/** How the values of sensitive fields are recorded. @inline */
export interface SecretOptions {
  /** The first seals, all open: to change the key, put a new one before the old ones. */
  readonly keys: readonly SecretKey[];
}

/** What kind of value a {@link RedactFunction} receives, and where it is from. @inline */
export interface RedactPlace extends Partial<StepPlace> {
  readonly kind: "request" | "context" | "metadata" | "input" | "output" | "progress" | "message";
  readonly runId: string;
  readonly tool?: string;
}

/**
 * Returns the JSON that is shown in place of a value: to listeners, in stored runs and lists, approvals and replans.
 * What is recorded and what tools receive is unchanged. If it throws, or returns something that is not JSON, the value
 * is hidden.
 * @inline
 */
export type RedactFunction = (value: unknown, place: RedactPlace) => unknown;

/** How an engine seals values; `keys` is undefined where they must not be recorded at all. */
export interface SealingSettings {
  readonly keys: readonly SecretKey[] | undefined;
}

/** Throws `invalid-options` for keys that cannot seal, and for a `redact` that is not a function. */
export function checkSecretOptions({ secrets, redact }: { secrets?: unknown; redact?: unknown }): void {
  checkFunction("redact", redact);
  if (secrets === undefined) return;
  checkKeys("secrets", secrets, ["keys"]);
  const { keys } = secrets as { readonly keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0) failOption("secrets.keys", keys, "a list of at least one key");
  const ids = new Set<string>();
  for (const [index, one] of keys.entries()) {
    const option = `secrets.keys[${index}]`;
    checkKeys(option, one, ["id", "key"]);
    const { id, key } = one as Readonly<Record<string, unknown>>;
    if (typeof id !== "string" || !/^[\w-]{1,64}$/.test(id))
      failOption(`${option}.id`, id, "1 to 64 letters, digits, _ or -");
    if (ids.has(id)) failOption(`${option}.id`, id, "another id than those before it");
    ids.add(id);
    // The received value is not reported: it may be a key after all.
    if (!isKey(key)) failOption(`${option}.key`, typeof key, "32 bytes as a Uint8Array, or the same in base64");
  }
}

const base64Of32Bytes = /^[A-Za-z\d+/]{43}=$/;

function isKey(key: unknown): boolean {
  return key instanceof Uint8Array ? key.byteLength === 32 : typeof key === "string" && base64Of32Bytes.test(key);
}

let keyOfProcess: readonly SecretKey[] | undefined;

/** How an engine with these tools seals; undefined if none of them has a sensitive field. */
export function sealingOf(
  tools: readonly Tool[],
  { secrets, store }: { readonly secrets: SecretOptions | undefined; readonly store: RunStore },
): SealingSettings | undefined {
  if (!tools.some(isSensitiveTool)) return undefined;
  if (secrets !== undefined) return { keys: secrets.keys.map((key) => ({ ...key })) };
  if (store.isVolatile !== true) return { keys: undefined };
  // Shared by all agents: they may have the same store.
  keyOfProcess ??= [{ id: "process", key: crypto.getRandomValues(new Uint8Array(32)) }];
  return { keys: keyOfProcess };
}
