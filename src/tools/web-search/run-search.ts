import type { ToolContext } from "../../core/tool.ts";
import { readHits } from "./read-hits.ts";
import { SearchCache } from "./search-cache.ts";
import type { WebSearchCacheOptions, WebSearchInput, WebSearchOptions, WebSearchOutput } from "./web-search.ts";

/** What a search is made with. */
export interface SearchRunnerOptions {
  search: WebSearchOptions["search"];
  /** Undefined to keep nothing. */
  readonly cache: WebSearchCacheOptions | undefined;
  now(): number;
}

/** Searches, and keeps what was found. */
export class SearchRunner {
  readonly #cache: SearchCache | undefined;

  constructor(private readonly options: SearchRunnerOptions) {
    const { cache, now } = options;
    this.#cache = cache && new SearchCache(cache, now);
  }

  async run(input: Required<WebSearchInput>, { signal, stepId }: ToolContext): Promise<WebSearchOutput> {
    const { query, limit } = input;
    const known = this.#cache?.get(input);
    if (known !== undefined) return { query, results: known };
    const results = readHits(await this.options.search(query, { limit, signal }), { limit, stepId });
    this.#cache?.set(input, results);
    return { query, results };
  }
}
