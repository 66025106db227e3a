import { failOption, type OptionTable, readOptions } from "../../core/options.ts";
import type { RunStore } from "../../core/run-store.ts";
import { isSensitiveTool } from "../../core/sensitive.ts";
import type { StepRef } from "../../core/step.ts";
import type { Tool } from "../../core/tool.ts";

/** A key for the values of sensitive fields. @inline */
export interface SecretKey {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`; recorded beside what the key has sealed. */
  readonly id: string;
  /** 32 random bytes, or the same in base64. */
  readonly key: Uint8Array | string;
}

/** The keys that the values of sensitive fields are recorded with. @inline */
export interface SecretOptions {
  /** The first seals, all open: to change the key, put a new one before the old ones. */
  readonly keys: readonly SecretKey[];
}

/** The kind of a value that a {@link RedactFunction} receives, and its place in a run. @inline */
export interface RedactPlace extends Partial<StepRef> {
  readonly kind: "request" | "context" | "metadata" | "input" | "output" | "progress" | "message";
  readonly runId: string;
  readonly tool?: string;
}

/**
 * Returns the JSON that is shown in place of a value: to listeners, in stored runs and lists, approvals and replans.
 * Records, and the values that tools receive, are unchanged. If it throws, or returns something that is not JSON, the value
 * is hidden.
 * @inline
 */
export type RedactFunction = (value: unknown, place: RedactPlace) => unknown;

/** The keys of an engine that seals values; undefined if values must not be recorded at all. */
export interface SealingSettings {
  readonly keys: readonly SecretKey[] | undefined;
}

const keyOptions = {
  id: {
    isValid: (id) => typeof id === "string" && /^[\w-]{1,64}$/.test(id),
    expected: "1 to 64 letters, digits, _ or -",
    isRequired: true,
  },
  key: (key, option) => {
    // The received value is not reported: it may be a key after all.
    if (!isKey(key)) failOption(option, typeof key, "32 bytes as a Uint8Array, or the same in base64");
    return key;
  },
} satisfies OptionTable<SecretKey>;

/** The options of `secrets`. */
export const secretOptions = {
  keys: (keys, option): readonly SecretKey[] => {
    if (!Array.isArray(keys) || keys.length === 0) failOption(option, keys, "a list of at least one key");
    const ids = new Set<string>();
    return Array.from(keys as readonly SecretKey[], (one, index) => {
      const key = readOptions(keyOptions, one, `${option}[${index}]`);
      if (ids.has(key.id)) failOption(`${option}[${index}].id`, key.id, "another id than those before it");
      ids.add(key.id);
      return key;
    });
  },
} satisfies OptionTable<SecretOptions>;

const base64Of32Bytes = /^[A-Za-z\d+/]{43}=$/;

function isKey(key: unknown): key is SecretKey["key"] {
  return key instanceof Uint8Array ? key.byteLength === 32 : typeof key === "string" && base64Of32Bytes.test(key);
}

let keyOfProcess: readonly SecretKey[] | undefined;

/** The sealing of an engine with these tools; undefined if none of them has a sensitive field. */
export function sealingOf(
  tools: readonly Tool[],
  { secrets, store }: { readonly secrets: SecretOptions | undefined; readonly store: RunStore },
): SealingSettings | undefined {
  if (!tools.some(isSensitiveTool)) return undefined;
  if (secrets !== undefined) return secrets;
  if (store.isVolatile !== true) return { keys: undefined };
  // Shared by all agents: they may have the same store.
  keyOfProcess ??= [{ id: "process", key: crypto.getRandomValues(new Uint8Array(32)) }];
  return { keys: keyOfProcess };
}
