import type { WebSearchCacheOptions, WebSearchInput, WebSearchResult } from "./web-search.ts";

interface Entry {
  readonly results: readonly WebSearchResult[];
  readonly untilMs: number;
}

/** Results of earlier searches, by query and limit. */
export class SearchCache {
  /** A Map keeps the order in which keys came: what is used comes again, so the first was not used for the longest time. */
  readonly #entries = new Map<string, Entry>();

  constructor(
    private readonly options: WebSearchCacheOptions,
    private readonly now: () => number,
  ) {}

  get(input: Required<WebSearchInput>): readonly WebSearchResult[] | undefined {
    const key = keyOf(input);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.untilMs <= this.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.results;
  }

  set(input: Required<WebSearchInput>, results: readonly WebSearchResult[]): void {
    const { maxAgeMs, maxEntries } = this.options;
    const key = keyOf(input);
    this.#entries.delete(key);
    this.#entries.set(key, { results, untilMs: this.now() + maxAgeMs });
    const oldest = this.#entries.size > maxEntries ? this.#entries.keys().next() : undefined;
    if (oldest?.done === false) this.#entries.delete(oldest.value);
  }
}

function keyOf({ query, limit }: Required<WebSearchInput>): string {
  return `${limit} ${query}`;
}
