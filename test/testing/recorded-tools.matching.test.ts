import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, type JsonValue, type Tool } from "planwright";
import { jsonSchema } from "planwright/schemas";
import { replayTools } from "planwright/testing";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../new-folder.ts";
import { contextOf } from "./record.ts";

let path: string;

beforeEach(() => {
  path = join(newFolder(), "calls.json");
});

interface Call {
  readonly tool?: string;
  readonly input?: JsonValue;
  readonly undone?: JsonValue;
}

/** Tools A and B that answer from these calls: each with its number. */
function replay(...calls: readonly Call[]) {
  const [one, other] = ["A", "B"].map((name) =>
    defineTool({
      name,
      description: "Does",
      effect: "pure",
      inputSchema: jsonSchema<object>({ type: "object" }),
      execute: () => {},
      undo: () => {},
    }),
  );
  const numbered = calls.map((call, output) => ({ tool: "A", input: {}, ...call, output }));
  writeFileSync(path, JSON.stringify({ version: 2, calls: numbered }));
  const replayed = replayTools(path, { tools: [one, other] as readonly Tool[] });
  const [a] = replayed;
  if (a === undefined) throw new Error("There are two.");
  return {
    assertComplete: replayed.assertComplete,
    call: async (input: unknown) => a.execute(input, contextOf()),
    undo: async (output: unknown) => a.undo?.({ input: {}, output }, contextOf()),
  };
}

/** What a replay does for each call: it walks through objects and writes JSON. */
async function countWork(recorded: readonly Call[], asked: readonly object[]): Promise<number> {
  const { call, assertComplete } = replay(...recorded);
  const entries = vi.spyOn(Object, "entries");
  const parse = vi.spyOn(JSON, "parse");
  const stringify = vi.spyOn(JSON, "stringify");
  try {
    for (const input of asked) await call(input);
    return [entries, parse, stringify].reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    vi.restoreAllMocks();
    assertComplete();
  }
}

describe("a replayed call", () => {
  it.each<[string, (index: number) => Call, (index: number) => object]>([
    ["the same input", () => ({ input: { n: 1 } }), () => ({ n: 1 })],
    ["a number", (n) => ({ input: { n } }), (n) => ({ n })],
  ])("costs the same however many are recorded, in any order, with %s", async (_, record, ask) => {
    for (const isReversed of [false, true]) {
      const workOfEach = async (count: number) => {
        const numbers = Array.from({ length: count }, (_item, index) => 100 + index);
        const asked = numbers.map(ask);
        return (await countWork(numbers.map(record), isReversed ? asked.reverse() : asked)) / count;
      };
      const few = await workOfEach(25);
      const many = await workOfEach(100);
      expect(few).toBeGreaterThan(1);
      expect(many / few).toBeLessThan(1.2);
    }
  });

  it("is never answered by one of another tool, nor execute by undo", async () => {
    const { call, undo, assertComplete } = replay({ tool: "B" }, { undone: 1 }, { undone: null });
    await expect(call({})).rejects.toThrow("No call of A is recorded");
    expect(await undo(null)).toBe(2);
    await expect(undo(2)).rejects.toThrow(
      "2 calls of A.undo are recorded; the most similar, calls[1], differs in output: 2",
    );
    expect(assertComplete).toThrow("had no answer to 2 calls");
  });

  it.each<[JsonValue, JsonValue, string]>([
    [{ a: 1 }, { a: 2 }, "input.a: 1, recorded 2"],
    [{ a: 1 }, {}, "input.a: 1, recorded undefined"],
    [{ a: [1, { b: null }] }, { a: [1, { b: false }] }, "input.a[1].b: null, recorded false"],
    [{ a: [] }, { a: [1] }, "input.a[0], which only the recorded call has"],
    [{ a: [] }, { a: {} }, "input.a: [], recorded {}"],
    [{ a: { b: 1 } }, { a: "b" }, 'input.a: {"b":1}, recorded "b"'],
    [JSON.parse('{ "__proto__": 1 }'), {}, "input.__proto__: 1, recorded undefined"],
    [{ a: `${"x".repeat(90)}one` }, { a: `${"x".repeat(90)}two` }, "input.a from character 90: "],
    [{ a: 1, b: 1, c: 1, d: 1, e: 1 }, {}, "input.c: 1, recorded undefined; and 2 more"],
  ])("%j differs from %j in %s", async (asked, recorded, difference) => {
    const miss = await replay({ input: recorded }).call(asked).catch(String);
    expect(miss).toContain("1 call of A is recorded; the most similar, calls[0], differs in ");
    expect(miss).toContain(difference);
  });

  it("is compared with the one with the fewest differences, then the one with the longest common start", async () => {
    const few = replay({ input: { a: 2, b: 3 } }, { input: { a: 1, b: 3 } });
    await expect(few.call({ a: 1, b: 2 })).rejects.toThrow("the most similar, calls[1], differs in input.b");
    const alike = replay({ input: { a: "bread" } }, { input: { a: "mint" } });
    await expect(alike.call({ a: "milk" })).rejects.toThrow("the most similar, calls[1]");
  });

  it("is cut in errors", async () => {
    const miss = await replay({ input: { a: "y".repeat(1_000_000) } })
      .call({ a: "x".repeat(1_000_000) })
      .catch(String);
    expect(miss).toContain(`its input is {"a":"${"x".repeat(74)}…. 1 call`);
    expect(String(miss).length).toBeLessThan(700);
  });
});
