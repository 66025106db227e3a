import { countPending } from "../../async/pending-work.ts";
import type { RateLimitOptions } from "../../async/rate-limit.ts";
import { defineTool } from "../../core/define-tool.ts";
import { checkKeys, failOption } from "../../core/options.ts";
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
export interface WebSearchOptions {
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

const defaultCache = { maxAgeMs: 300_000, maxEntries: 100 };
const defaultRateLimit = { limit: 1, intervalMs: 1_000 };

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
export function createWebSearch(options: WebSearchOptions): DefinedTool<"WebSearch", WebSearchInput, WebSearchOutput> {
  checkOptions(options);
  const { cache = defaultCache, rateLimit = defaultRateLimit } = options;
  // Typed with the public interfaces, so that users need no types of zod.
  const inputSchema: StandardSchema<WebSearchInput, Required<WebSearchInput>> = createInputSchema();
  return defineTool({
    name: "WebSearch",
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
      return { query, results: readHits(await options.search(query, { limit, signal }), { limit, stepId }) };
    },
  });
}

function checkOptions(options: object): void {
  checkKeys("webSearch", options, ["search", "cache", "rateLimit"]);
  const { search, cache } = options as Record<string, unknown>;
  if (typeof search !== "function") failOption("webSearch.search", search, "a function that returns hits for a query");
  if (cache === undefined || cache === false) return;
  checkKeys("webSearch.cache", cache, ["maxAgeMs", "maxEntries"]);
}
