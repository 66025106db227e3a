import type { JsonObject } from "./json.ts";
import { checkFunction, checkKeys, checkNumber, maxDurationMs } from "./options.ts";

/** What a `pure` tool keeps for later calls, over all runs of an agent. Each agent has its own, in memory. */
export interface ToolCacheOptions<TInput = unknown, TResources = unknown> {
  /** How long a result serves, from 1. */
  readonly maxAgeMs: number;
  /** How many results are kept; the one that was not used for the longest time goes first. From 1 to 10 000. */
  readonly maxEntries: number;
  /**
   * What makes two calls the same. One that throws is a warning, and nothing is kept.
   * @default the parsed input. Then what a call gives that has read `resources` or `metadata` is not kept
   */
  key?(input: TInput, context: ToolCacheContext<TResources>): string;
}

/** What a key may be made of besides the input. */
export interface ToolCacheContext<TResources = unknown> {
  /** What the caller of the run passed as `resources`. */
  readonly resources: TResources;
  /** What the caller of the run passed as `metadata`. */
  readonly metadata: JsonObject;
}

/** Throws `invalid-options` for what is not the `cache` of a tool. */
export function checkToolCache(option: string, cache: unknown): void {
  if (cache === undefined) return;
  checkKeys(option, cache, ["maxAgeMs", "maxEntries", "key"]);
  const { maxAgeMs, maxEntries, key } = cache as Partial<ToolCacheOptions>;
  checkNumber(`${option}.maxAgeMs`, maxAgeMs, { min: 1, max: maxDurationMs, isRequired: true });
  checkNumber(`${option}.maxEntries`, maxEntries, { min: 1, max: 10_000, isInteger: true, isRequired: true });
  checkFunction(`${option}.key`, key);
}
