import { countPending } from "../../async/pending-work.ts";
import type { RateLimitOptions } from "../../async/rate-limit.ts";
import { toolName } from "../../core/check-tool.ts";
import { defineTool } from "../../core/define-tool.ts";
import { checkKeys, type OptionTable, readOptions } from "../../core/options.ts";
import type { StandardSchema } from "../../core/schema.ts";
import type { DefinedTool, ToolCacheOptions } from "../../core/tool.ts";
import { createInputSchema, createOutputSchema, type WebSearchInput, type WebSearchOutput } from "./search-schemas.ts";

/** A page that a search returns. A hit whose URL is not safe to follow is left out. @inline */
export interface WebSearchHit {
  readonly title?: string | null | undefined;
  readonly url: string;
  readonly snippet?: string | null | undefined;
}

/** The second argument of a search. @inline */
export interface WebSearchCall {
  /** The most results that are used. */
  readonly limit: number;
  /** Aborted when the attempt times out, or the run is cancelled or ends. */
  readonly signal: AbortSignal;
}

/** Options of {@link createWebSearch}. @group Built-in tools */
export interface WebSearchOptions<TName extends string = string> {
  /** The name of the tool. @default "WebSearch" */
  readonly name?: TName | undefined;
  /**
   * Asks a search engine. It may throw anything: an error with `retryable: false` is final, and the `Retry-After` of an
   * error is honoured.
   */
  search(query: string, call: WebSearchCall): readonly WebSearchHit[] | Promise<readonly WebSearchHit[]>;
  /**
   * Serves the same query and limit from memory to later runs of an agent; `false` turns it off. Failures are not kept.
   * @default `{ maxAgeMs: 300_000, maxEntries: 100 }`
   */
  readonly cache?: Pick<ToolCacheOptions, "maxAgeMs" | "maxEntries"> | false | undefined;
  /** How often the function may be called, over all runs of an agent. @default one call a second */
  readonly rateLimit?: RateLimitOptions | undefined;
}

const searchOptions = {
  name: { ...toolName, default: "WebSearch" },
  search: { type: "function", isRequired: true },
  // The rest of both is checked with the tool.
  cache: { read: readCache, default: { maxAgeMs: 300_000, maxEntries: 100 } },
  rateLimit: { type: "any", default: { limit: 1, intervalMs: 1_000 } },
} satisfies OptionTable<WebSearchOptions>;

/**
 * A tool that searches the web with a function of yours: `{ query, limit? }` to `{ query, results }`.
 *
 * It is `pure`. The result of the function is checked and cut: see {@link WebSearchOutput}. An answer that is not a
 * list of hits fails with `invalid-tool-output`, which is not retried.
 *
 * Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/17-notes-and-web-search.ts}
 * @group Built-in tools
 */
export function createWebSearch<const TName extends string = "WebSearch">(
  options: WebSearchOptions<TName>,
): DefinedTool<TName, WebSearchInput, WebSearchOutput> {
  const { name, cache, rateLimit } = readOptions(searchOptions, options, "webSearch");
  // Typed with the public interfaces, so that users need no types of zod.
  const inputSchema: StandardSchema<WebSearchInput, Required<WebSearchInput>> = createInputSchema();
  return defineTool({
    name,
    description: "Searches the web and gives title, URL and snippet of the pages that were found",
    inputSchema,
    outputSchema: createOutputSchema(),
    effect: "pure",
    result: "results",
    rateLimit,
    ...(cache !== false && { cache }),
    phrases: async () => (await import("./phrases.ts")).webSearchPhrases,
    async execute({ query, limit }, { signal, stepId }) {
      signal.throwIfAborted();
      // Loaded by the first call, as many users import the package for something else.
      const { readHits } = await countPending(import("./read-hits.ts"));
      const hits = await options.search(query, { limit, signal });
      return { query, results: readHits(hits, { limit, tool: name, stepId }) };
    },
  });
}

/** The default `key` of a cache is the one that fits. */
function readCache(cache: unknown, option: string): NonNullable<WebSearchOptions["cache"]> {
  if (cache !== false) checkKeys(option, cache, ["maxAgeMs", "maxEntries"]);
  return cache as NonNullable<WebSearchOptions["cache"]>;
}
