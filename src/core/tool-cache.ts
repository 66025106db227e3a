import type { JsonObject } from "./json.ts";
import { maxDurationMs, type OptionTable } from "./options.ts";

/** How a `pure` tool keeps results for later calls, over all runs of an agent. Each agent has its own, in memory. */
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

/** What a key may depend on besides the input. */
export interface ToolCacheContext<TResources = unknown> {
  /** What the caller of the run passed as `resources`. */
  readonly resources: TResources;
  /** What the caller of the run passed as `metadata`. */
  readonly metadata: JsonObject;
}

/** The options of a `cache`. */
export const toolCacheOptions = {
  maxAgeMs: { type: "number", min: 1, max: maxDurationMs, isRequired: true },
  maxEntries: { type: "integer", min: 1, max: 10_000, isRequired: true },
  key: { type: "function" },
} satisfies OptionTable<ToolCacheOptions>;
