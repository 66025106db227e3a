import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAgent, defineTool } from "planwright";
import { createFakeTool, createManualClock, recordTools, replayTools } from "planwright/testing";
import { beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/v4";
import type { ReplayToolsOptions } from "../../src/testing/recorded-tools.ts";
import { newFolder } from "../new-folder.ts";
import { step } from "../scenario/plans.ts";
import { contextOf, qwen } from "./record.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = newFolder();
  path = join(folder, "calls.json");
});

let made = 0;
const weather = defineTool({
  name: "Weather",
  description: "Current weather in a city",
  inputSchema: z.object({ city: z.string(), unit: z.string().optional(), days: z.array(z.int()).optional() }),
  effect: "idempotent",
  outputSchema: z.object({ celsius: z.number() }),
  retry: { maxAttempts: 5 },
  execute: () => ({ celsius: ++made }),
  undo: () => {},
});

async function record(...inputs: object[]) {
  made = 0;
  const [tool] = recordTools([weather], path);
  for (const input of inputs) await tool.execute(input, contextOf());
}

describe("replayTools", () => {
  it("answers equal calls in the order of the recording, and as often", async () => {
    await record({ city: "Rome" }, { city: "Oslo" }, { city: "Rome" });
    const tools = replayTools(path, { tools: [weather] });
    const [tool] = tools;
    expect(await tool.execute({ city: "Rome" }, contextOf())).toEqual({ celsius: 1 });
    expect(await tool.execute({ city: "Rome" }, contextOf())).toEqual({ celsius: 3 });
    expect(() => tools.assertComplete()).toThrow(
      `The recording "${path}" has calls that were not made: calls[1]. To record it again, run once with recordTools(tools, "${path}").`,
    );
    await expect(tool.execute({ city: "Rome" }, contextOf())).rejects.toThrow(
      'from Weather for this call: it was recorded 2 times, but made more often (its input is {"city":"Rome"}). To record',
    );
    await tool.execute({ city: "Oslo" }, contextOf());
    await expect(tool.execute({ city: "Oslo" }, contextOf())).rejects.toThrow("it was recorded once");
    expect(() => tools.assertComplete()).toThrow(
      `The recording "${path}" had no answer to 2 calls. The first: it was recorded 2 times, but made`,
    );
  });

  it("ignores the order of keys", async () => {
    await record({ city: "Rome", unit: "C" });
    expect(await replayTools(path, { tools: [weather] })[0].execute({ unit: "C", city: "Rome" }, contextOf())).toEqual({
      celsius: 1,
    });
  });

  it("returns an output that the caller may change", async () => {
    await record({ city: "Rome" }, { city: "Rome" });
    const [tool] = replayTools(path, { tools: [weather] });
    const output = (await tool.execute({ city: "Rome" }, contextOf())) as { celsius: number };
    output.celsius = -1;
    expect(await tool.execute({ city: "Rome" }, contextOf())).toEqual({ celsius: 2 });
  });

  it("says where a call differs from the nearest one, and has it not retried", async () => {
    await record({ city: "Rome" }, { city: "Paris", unit: "C", days: [1, 2, 3] });
    const clock = createManualClock();
    const tools = replayTools(path, { tools: [weather] });
    const agent = createAgent({ tools, clock });
    const input = { city: "Paris", unit: "F", days: [1, 2, 4, 5] };
    const { steps, error } = await clock.runUntil(agent.execute({ steps: [step("s1", "Weather", { input })] }));
    expect(steps[0]).toMatchObject({ status: "failed", attempts: 1 });
    expect(error?.message.replaceAll(path, "calls.json")).toMatchInlineSnapshot(
      `"Step "s1" (Weather) failed: The recording "calls.json" has no answer from Weather for this call: its input is {"city":"Paris","days":[1,2,4,5],"unit":"F"}. 2 calls of Weather are recorded; the most similar, calls[1], differs in input.unit: "F", recorded "C"; input.days[2]: 4, recorded 3; input.days[3], which only this call has. To record it again, run once with recordTools(tools, "calls.json")."`,
    );
    expect(() => tools.assertComplete()).toThrow("had no answer to 1 call. The first: its input is");
  });

  it("reports undoing that was not recorded", async () => {
    await record({ city: "Rome" });
    const [tool] = replayTools(path, { tools: [weather] });
    const done = { input: { city: "Rome" }, output: { celsius: 1 } };
    await expect(tool.undo?.(done, contextOf())).rejects.toThrow(
      'has no answer from Weather.undo for this call: its input is {"city":"Rome"}. No call of Weather.undo is recorded.',
    );
  });

  it("checks an output that did not come from the recording", async () => {
    await record({ city: "Rome" });
    const validate = replayTools(path, { tools: [weather] })[0].outputSchema?.["~standard"].validate;
    expect(await validate?.({ celsius: "warm" })).toMatchObject({ issues: [{ path: ["celsius"] }] });
    expect(await validate?.({ celsius: 3 })).toEqual({ value: { celsius: 3 } });
  });
});

describe("a recording of tools that cannot be replayed", () => {
  const tools = [createFakeTool({ name: "A" })];
  const call = { tool: "A", input: {}, output: null };
  const whole = { version: 2, calls: [call] };

  it("is missing, or not a file", () => {
    expect(() => replayTools(path, { tools })).toThrow(
      `There is no recording "${path}". To record it again, run once with recordTools(tools, "${path}").`,
    );
    expect(() => replayTools(folder, { tools })).toThrow(`The recording "${folder}" cannot be read (Error: EISDIR`);
  });

  it.each<[string, unknown, string]>([
    ["no JSON", "{", "it is not JSON: "],
    ["no object", [], "Invalid input"],
    ["null", null, "Invalid input"],
    [
      "of a model",
      { version: 1, model: qwen, calls: [] },
      "it is a recording of a model: replay it with createRecordedModel",
    ],
    ["without a version", { ...whole, version: undefined }, "version: Invalid input: expected 2"],
    ["of a newer version", { ...whole, version: 3 }, "it has version 3, but this older planwright reads version 2"],
    [
      "of an older version",
      { ...whole, version: 1, tools: [] },
      "it has version 1, but this newer planwright reads version 2",
    ],
    ["with a key too many", { ...whole, calls: [{ ...call, at: 1 }] }, "calls.0: Unrecognized key"],
    ["without calls", { ...whole, calls: undefined }, "calls: Invalid input"],
    ["with a call without input", { ...whole, calls: [{ tool: "A", output: 1 }] }, "calls.0.input: Invalid input"],
    [
      "with a call without outcome",
      { ...whole, calls: [{ tool: "A", input: {} }] },
      "calls.0 must have exactly one of output, error",
    ],
    [
      "with a call of two outcomes",
      { ...whole, calls: [{ ...call, error: { name: "Error", message: "" } }] },
      "calls.0 must have exactly one of output, error and invalidOutput",
    ],
    [
      "with a damaged cause",
      { ...whole, calls: [{ tool: "A", input: {}, error: { name: "Error", message: "", cause: { name: 1 } } }] },
      "calls.0.error.cause.name: Invalid input",
    ],
  ])("is %s", async (_, content, message) => {
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    expect(() => replayTools(path, { tools })).toThrow(`The recording "${path}" cannot be read: ${message}`);
    expect(() => replayTools(path, { tools })).toThrow("To record it again");
  });

  it.each<[unknown, unknown, string]>([
    ["", { tools: [weather] }, 'Option "path" must be the path of a file; received "".'],
    [undefined, { tools: [weather] }, 'Option "path" must be the path of a file; it is missing.'],
    ["x", undefined, 'Option "options" must be an object'],
    ["x", {}, 'Option "options.tools" must be the recorded tools; it is missing.'],
    ["x", [], 'Option "options" must be an object'],
    ["x", { tool: weather }, 'Unknown option "tool". Did you mean "tools"?'],
    ["x", { tools: [weather, weather] }, 'Two tools are named "Weather"'],
  ])("is asked for with %j, %j", (file, options, message) => {
    expect(() => replayTools(file as string, options as ReplayToolsOptions<[]>)).toThrow(message);
  });

  it("is of other tools than the given ones", async () => {
    await writeFile(path, JSON.stringify(whole));
    expect(() => replayTools(path, { tools: [weather] })).toThrow(
      'Option "options.tools" must be all recorded tools, including A; received "Weather".',
    );
  });
});
