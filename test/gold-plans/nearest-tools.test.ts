import { existsSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { createLlmPlanner, type DefinedTool } from "planwright";
import { createScriptedModel } from "planwright/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { define } from "../../src/core/define-tool.ts";
import { toolOf } from "../../src/core/step.ts";
import { readNearest } from "../../src/planners/llm/nearest-tools.ts";
import { toTool } from "../eval/call-tools.ts";
import { readRows } from "../eval/data.ts";
import { seededRandom } from "../kills/seeded-random.ts";
import { type GoldTool, goldFolder, goldSets, hasGold, readGoldPlans, readGoldTools } from "./gold.ts";
import { schemasOf } from "./gold-tools.ts";

const callsFile = "../shared/eval/function-calling.jsonl";
const isMissing = !hasGold || !existsSync(callsFile);
if (isMissing) console.log(`The choice of tools is not measured: data is expected at ${goldFolder} and ${callsFile}`);

const toolCount = 200;
/** Of the lines of the tools that a planner of the nearest shows. */
const maxTokens = 1_000;
const unclear = '{"steps": [{"do": "unclear"}]}';
const toDefined = (tool: GoldTool): DefinedTool =>
  define({ name: tool.name, description: tool.description, ...schemasOf(tool), execute: () => null });

describe.skipIf(isMissing)("the nearest of 200 tools", () => {
  const random = seededRandom(17);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  // The body of a skipped suite is run, too: nothing is read before a test of it.
  let published: readonly DefinedTool[] = [];
  beforeAll(() => {
    published = goldSets.flatMap((set) => readGoldTools(set)).map(toDefined);
  });

  /** A list with some tools, filled up by others in a random place. */
  const mixed = (own: readonly DefinedTool[]): readonly DefinedTool[] => {
    const byName = new Map(own.map((tool) => [tool.name, tool]));
    while (byName.size < toolCount) {
      const other = pick(published);
      if (!byName.has(other.name)) byName.set(other.name, other);
    }
    return [...byName.values()].sort((left, right) => left.name.localeCompare(right.name));
  };

  it("have the right ones in 98 % of published function calls, in less than 3 000 tokens", async () => {
    const rows = readRows(callsFile);
    const own = new Map(rows.flatMap(({ tools = [] }) => tools.map((tool) => [tool.name, toTool(tool)] as const)));
    const tools = mixed([...own.values()]);
    const nearest = await readNearest(tools, { maxTokens, schemaOf: undefined });
    let [right, count, most] = [0, 0, 0];
    for (const { prompt, expect: expected } of rows) {
      const { calls = [] } = expected as { calls?: readonly { name: string }[] };
      if (calls.length === 0) continue;
      const shown = nearest?.(prompt, new Set()).first ?? [];
      count += 1;
      if (calls.every(({ name }) => shown.includes(own.get(name) as DefinedTool))) right += 1;
      const model = createScriptedModel([unclear, unclear]);
      const request = {
        request: prompt,
        tools,
        maxSteps: 20,
        nowMs: 0,
        timeZone: "UTC",
        signal: new AbortController().signal,
      };
      await Promise.resolve(createLlmPlanner({ model, tools: "nearest" }).plan(request)).catch(() => undefined);
      for (const { messages } of model.requests) {
        most = Math.max(most, encode(messages.map(({ content }) => content).join("\n")).length);
      }
    }
    console.log(`${right} of ${count} have their tools among those chosen; the longest prompt has ${most} tokens`);
    expect(right / count).toBeGreaterThanOrEqual(0.98);
    expect(most).toBeLessThan(3_000);
  });

  it("have all of several tools in most published plans", async () => {
    const byName = new Map(published.map((tool) => [tool.name, tool]));
    const told: string[] = [];
    for (const set of goldSets) {
      const plans = readGoldPlans(set).filter(({ expect: { valid } }) => valid);
      let right = 0;
      const count = Math.min(60, plans.length);
      for (let index = 0; index < count; index += 1) {
        const { request, plan } = pick(plans);
        const names = [...new Set(plan.steps.map(toolOf))];
        const nearest = await readNearest(mixed(names.map((name) => byName.get(name) as DefinedTool)), {
          maxTokens,
          schemaOf: undefined,
        });
        const shown = new Set(nearest?.(request, new Set()).first.map(({ name }) => name));
        if (names.every((name) => shown.has(name))) right += 1;
      }
      told.push(`${set} ${right} of ${count}`);
      expect(right / count).toBeGreaterThan(0.5);
    }
    console.log(told.join(", "));
  });
});
