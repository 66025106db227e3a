import { readFileSync } from "node:fs";
import { defineTool, explainRequest } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";

const sales = defineTool({
  name: "Sales",
  description: "Sales of some days",
  inputSchema: z.object({ when: z.string().meta({ slot: "range" }) }),
  effect: "pure",
  phrases: ["sales {when}"],
  execute: () => null,
});

const page = readFileSync("docs/dates.md", "utf8");
const rows = [...page.slice(page.indexOf("## Ranges")).matchAll(/^\| (`.*) \| (.*) \|$/gm)];
const codesIn = (cell: string | undefined) => [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const ranges = rows.flatMap(([, said, texts]) => {
  const expected = codesIn(texts);
  return codesIn(said).map((words, index) => [words, expected[index] ?? ""] as const);
});

describe("docs/dates.md", () => {
  it("has examples of ranges", () => expect(ranges.length).toBeGreaterThanOrEqual(10));

  it.each(ranges)("says how %s is read", async (said, text) => {
    const nowMs = Date.parse("2026-11-24T09:00:00Z");
    const { steps } = await explainRequest({
      request: `sales ${said}`,
      tools: [sales],
      nowMs,
      timeZone: "Europe/Berlin",
    });
    const now = "2026-11-24T10:00:00+01:00";
    expect(steps?.map(({ input }) => input)).toEqual([{ when: text === "../" ? `../${now}` : text }]);
  });
});
