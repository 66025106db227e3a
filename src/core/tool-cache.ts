import type { JsonObject } from "./json.ts";
import { checkFunction, checkKeys, checkNumber, maxDurationMs } from "./options.ts";

/**
 * How a `pure` tool keeps results for later calls, over all runs of an agent. Each agent has its own, in memory.
 * @inline
 */
export interface ToolCacheOptions<TInput = unknown, TResources = unknown> {
  /** How long a result may be used, from 1. */
  readonly maxAgeMs: number;
  /** How many results are kept; the least recently used one is dropped first. From 1 to 10 000. */
  readonly maxEntries: number;
  /**
   * What makes two calls the same. If it throws, there is a warning, and nothing is kept.
   * @default the parsed input. Then the result of a call that has read `resources` or `metadata` is not kept
   */
  key?(input: TInput, context: ToolCacheContext<TResources>): string;
}

/** What a key may depend on besides the input. @inline */
export interface ToolCacheContext<TResources = unknown> {
  /** What the caller of the run passed as `resources`. */
  readonly resources: TResources;
  /** What the caller of the run passed as `metadata`. */
  readonly metadata: JsonObject;
}

/** Throws `invalid-options` for anything that is not the `cache` of a tool. */
export function checkToolCache(option: string, cache: unknown): void {
  if (cache === undefined) return;
  checkKeys(option, cache, ["maxAgeMs", "maxEntries", "key"]);
  const { maxAgeMs, maxEntries, key } = cache as Partial<ToolCacheOptions>;
  checkNumber(`${option}.maxAgeMs`, maxAgeMs, { min: 1, max: maxDurationMs, isRequired: true });
  checkNumber(`${option}.maxEntries`, maxEntries, { min: 1, max: 10_000, isInteger: true, isRequired: true });
  checkFunction(`${option}.key`, key);
}
