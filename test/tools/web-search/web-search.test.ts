import fc from "fast-check";
import {
  createAgent,
  createNotes,
  createWebSearch,
  type ToolContext,
  type WebSearchInput,
  type WebSearchOptions,
  type WebSearchOutput,
} from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { calculator, inputsFor, refusalOf, stepsFor, todos } from "../../planners/rules/plan-for.ts";

const hit = { title: "Zod", url: "https://zod.dev/", snippet: "Schemas" };

/** A search tool, called as a run does, and what its function was asked. */
function searcher(answer: (query: string) => unknown = () => [hit], options: Partial<WebSearchOptions> = {}) {
  const asked: { query: string; limit: number; signal: AbortSignal }[] = [];
  const tool = createWebSearch({
    search(query, call) {
      asked.push({ query, ...call });
      return answer(query) as [];
    },
    ...options,
  });
  async function call(input: WebSearchInput, signal = new AbortController().signal): Promise<WebSearchOutput> {
    const parsed = await tool.inputSchema["~standard"].validate(input);
    if (parsed.issues) throw new Error(`bad input: ${parsed.issues.map(({ message }) => message).join("; ")}`);
    const output = await tool.execute(parsed.value, { signal, stepId: "s1" } as ToolContext);
    const checked = await tool.outputSchema?.["~standard"].validate(output);
    if (checked === undefined || checked.issues) throw new Error(`bad output: ${JSON.stringify(checked?.issues)}`);
    return checked.value as WebSearchOutput;
  }
  return { tool, call, asked };
}

describe("createWebSearch", () => {
  it("calls the search function, and returns its hits", async () => {
    const { call, tool, asked } = searcher();
    const { signal } = new AbortController();
    expect(await call({ query: " zod " }, signal)).toEqual({ query: "zod", results: [hit] });
    expect(asked).toEqual([{ query: "zod", limit: 5, signal }]);
    expect(asked[0]?.signal).toBe(signal);
    expect(tool.effect({})).toBe("pure");
    expect(tool.rateLimit).toEqual({ limit: 1, intervalMs: 1_000 });
    const rateLimit = { limit: 9, intervalMs: 50 };
    expect(searcher(undefined, { rateLimit }).tool.rateLimit).toEqual(rateLimit);
  });

  it("returns no more hits than the limit", async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ ...hit, url: `https://zod.dev/${index}` }));
    const { results } = await searcher(() => many).call({ query: "zod", limit: 2 });
    expect(results.map(({ url }) => url)).toEqual(["https://zod.dev/0", "https://zod.dev/1"]);
  });

  it("does not call the function once its signal is aborted", async () => {
    const { call, asked } = searcher();
    await expect(call({ query: "zod" }, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    expect(asked).toEqual([]);
  });

  it.each([
    [{}, "webSearch.search"],
    [{ search: "x" }, "webSearch.search"],
    [{ search: searcher, cache: { maxAgeMs: 1, maxEntries: 1 } }, "webSearch.cache"],
    [{ search: searcher, rateLimit: { limit: 0, intervalMs: 1 } }, "rateLimit.limit"],
    [{ search: searcher, key: "x" }, "webSearch.key"],
  ])("refuses the options %j", (options, option) => {
    expect(() => createWebSearch(options as unknown as WebSearchOptions)).toThrow(option);
  });

  it.each([
    { query: " " },
    { query: "x".repeat(501) },
    { query: "x", limit: 0 },
    { query: "x", limit: 21 },
    { query: "x", lang: "de" },
  ])("refuses the input %j", async (input) => {
    await expect(searcher().call(input)).rejects.toThrow("bad input");
  });
});

describe("hits", () => {
  const results = async (...hits: unknown[]) => (await searcher(() => hits).call({ query: "x", limit: 20 })).results;

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://zod.dev/",
    "https://google.com@evil.example/",
    "https://:secret@zod.dev/",
    "//zod.dev/",
    "zod.dev",
    "",
    `https://zod.dev/${"x".repeat(2_048)}`,
    // Short as it was given, and long as a URL.
    `https://zod.dev/${"ä".repeat(700)}`,
  ])("are dropped if their URL is unsafe: %s", async (url) => {
    expect(await results({ ...hit, url }, hit)).toEqual([hit]);
  });

  it("are dropped if they have no URL", async () => {
    const { url: _url, ...answer } = hit;
    expect(await results(answer, { ...hit, url: null }, hit)).toEqual([hit]);
  });

  it("are returned as URLs and single lines of text, shortened", async () => {
    const [first, second] = await results(
      { title: ` a\n\tb\u0000\u202ec `, url: "HTTP://Zod.dev/ä b\n", snippet: `${"x".repeat(2_000)}\ud800`, extra: 1 },
      { title: "\u0007", url: "https://zod.dev:8080/x", snippet: null },
    );
    expect(first).toEqual({ title: "a b c", url: "http://zod.dev/%C3%A4%20b", snippet: `${"x".repeat(999)}…` });
    expect(second).toEqual({ title: "zod.dev:8080", url: "https://zod.dev:8080/x", snippet: "" });
    expect((await results({ ...hit, title: "a\ud800b" }))[0]?.title.isWellFormed()).toBe(true);
  });

  it.each([
    [undefined, "expected a list of hits, got undefined"],
    [null, "expected a list of hits, got null"],
    [{ results: [] }, "expected a list of hits, got object"],
    [[null], "at hits.0: expected { title, url, snippet }, got null"],
    [[hit, []], "at hits.1: expected { title, url, snippet }, got a list"],
    [[hit, { ...hit, url: new URL("https://zod.dev") }], "at hits.1.url: expected text, got object"],
    [[{ ...hit, title: 5 }], "at hits.0.title: expected text, got number"],
    [[{ ...hit, snippet: ["x"] }], "at hits.0.snippet: expected text, got a list"],
  ])("that are invalid are reported, and not retried: %j", async (answer, message) => {
    const { call, asked } = searcher(() => answer);
    await expect(call({ query: "x" })).rejects.toMatchObject({
      code: "invalid-tool-output",
      retryable: false,
      message: expect.stringContaining(message),
      details: { tool: "WebSearch", stepId: "s1" },
    });
    expect(asked).toHaveLength(1);
  });

  it("report at most ten issues", async () => {
    const { call } = searcher(() => Array.from({ length: 20 }, () => 1));
    await expect(call({ query: "x", limit: 20 })).rejects.toMatchObject({
      details: { issues: Array.from({ length: 10 }, (_, index) => expect.objectContaining({ path: ["hits", index] })) },
    });
  });

  it("are not read completely if none can be used", async () => {
    const useless = Array.from({ length: 2_000 }, () => ({ ...hit, url: "about:blank" }));
    expect(await results(...useless, hit)).toEqual([]);
    expect(await results(...useless.slice(0, 900), hit)).toEqual([hit]);
  });

  it("stay within their limits, whatever the function returns", async () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 2_000 }), fc.constant(null), fc.constant(undefined));
    const url = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string(),
      fc.constant(hit.url),
    );
    const hits = fc.array(fc.record({ title: text, url, snippet: text }), { maxLength: 25 });
    const property = fc.asyncProperty(hits, fc.integer({ min: 1, max: 20 }), async (given, limit) => {
      const { results } = await searcher(() => given).call({ query: "x", limit });
      expect(results.length).toBeLessThanOrEqual(Math.min(limit, given.length));
      for (const { title, url, snippet } of results) {
        expect(url).toMatch(/^https?:\/\/[\x21-\x7e]{1,2040}$/);
        for (const [line, max] of [
          [title, 300],
          [snippet, 1_000],
        ] as const) {
          expect(line).toMatch(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u);
          expect(line.length <= max && line.isWellFormed() && line === line.trim()).toBe(true);
        }
        expect(title).not.toBe("");
      }
    });
    await fc.assert(property, { numRuns: 80 });
  });
});

describe("a web search in a run", () => {
  it("calls the function once a second", async () => {
    const clock = createManualClock();
    const { tool, asked } = searcher();
    const agent = createAgent({ tools: [tool], clock });
    const search = (id: string, limit: number) => ({ id, tool: "WebSearch", input: { query: "zod", limit } });
    const { result } = agent.start({ steps: [search("a", 5), search("b", 6)] } as never);
    await clock.advance(0);
    expect(asked.map(({ limit }) => limit)).toEqual([5]);
    await clock.advance(1_000);
    expect((await result).status).toBe("completed");
    expect(asked.map(({ limit }) => limit)).toEqual([5, 6]);
  });

  it("is retried when its function says so", async () => {
    const clock = createManualClock();
    let calls = 0;
    const search = () => {
      if (++calls > 1) return [hit];
      throw Object.assign(new Error("HTTP 429"), { headers: new Headers({ "retry-after": "7" }) });
    };
    const agent = createAgent({ tools: [createWebSearch({ search })], clock });
    const delays: number[] = [];
    agent.on("step-retry", ({ delayMs }) => void delays.push(delayMs));
    const { result } = agent.start("search the web for zod");
    await clock.advance(10_000);
    expect((await result).output).toEqual({ query: "zod", results: [hit] });
    expect(delays).toEqual([7_000]);
    expect(calls).toBe(2);
  });

  it("reports the error of the function", async () => {
    const search = () => {
      throw Object.assign(new Error("The key of the search engine is wrong"), { retryable: false });
    };
    const { status, error } = await createAgent({ tools: [createWebSearch({ search })] }).run("google for zod");
    expect(status).toBe("failed");
    expect(error?.message).toContain("The key of the search engine is wrong");
  });
});

const tools = [calculator, todos, createNotes(), createWebSearch({ search: () => [] })];

describe("webSearchPhrases", () => {
  it.each([
    "search the web for zod 4",
    "Search the internet about zod 4",
    "could you please search online for zod 4?",
    "look on the web for zod 4",
    "look up zod 4 online",
    "find zod 4 on the web",
    "find information about zod 4 on the internet",
    "web search: zod 4",
    "do a google search for zod 4",
    "google for zod 4",
    "what does the internet say about zod 4",
  ])("search: %s", async (request) => {
    expect(await inputsFor(request, tools)).toEqual([{ query: "zod 4" }]);
  });

  it.each([
    "show me the top 3 web results for zod 4",
    "find the first three results on the web for zod 4",
    "get the best 3 pages about zod 4 online",
  ])("read a limit: %s", async (request) => {
    expect(await inputsFor(request, tools)).toEqual([{ query: "zod 4", limit: 3 }]);
  });

  it("keep a query whole, and continue with further requests", async () => {
    expect(await inputsFor("search the web for cheap flights and add a todo to book one", tools)).toEqual([
      { query: "cheap flights" },
      { operation: "add", title: "book one" },
    ]);
    expect(await inputsFor("calculate 6 * 7 and search the web for the result", tools)).toEqual([
      { expression: "6 * 7" },
      { query: "${s1.value}" },
    ]);
  });

  it.each([
    "search my list for milk",
    "find milk on my list",
    "remind me to search the web for shoes",
    "add look up flights online to my list",
    "create a task called search the web for shoes",
  ])("leave todos to the TodoStore: %s", async (request) => {
    const steps = await stepsFor(request, { tools });
    expect(steps.map(({ tool }) => tool)).toEqual(["TodoStore"]);
    expect(steps.map(({ input }) => input)).toEqual(await inputsFor(request));
  });

  it.each([
    "search for milk",
    "ok google play some music",
    "search the web",
    "search the web for it",
    "show me the top 99 web results for milk",
  ])("refuse an ambiguous request: %s", async (request) => {
    expect(await refusalOf(request, { tools })).toHaveProperty("reason");
  });
});
