import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isAgentError } from "../../src/core/errors.ts";
import { planWith, requestOf } from "../planners/llm/ask-llm-planner.ts";
import { toTool } from "./call-tools.ts";
import { readRows } from "./data.ts";

const callsFile = "../shared/eval/function-calling.jsonl";
const hasCalls = existsSync(callsFile);
if (!hasCalls) console.log(`Right calls are not grounded: data is expected at ${callsFile}`);

interface RightCall {
  readonly name: string;
  /** The values that are right for each argument; an empty text says that it may be left out. */
  readonly arguments: Readonly<Record<string, readonly unknown[]>>;
}

/** All inputs that are right, the one with the first values first; of very many the first. */
function inputsOf({ arguments: values }: RightCall): readonly Readonly<Record<string, unknown>>[] {
  let inputs: readonly Readonly<Record<string, unknown>>[] = [{}];
  for (const [key, right] of Object.entries(values)) {
    const sorted = [...right.filter((value) => value !== ""), ...right.filter((value) => value === "")];
    inputs = sorted.flatMap((value) => inputs.map((input) => (value === "" ? input : { ...input, [key]: value })));
  }
  return inputs.slice(0, 500);
}

describe.skipIf(!hasCalls)("the right calls of published function calls", () => {
  it("are what a request says, with all tools idempotent and no field marked", async () => {
    const refused = { first: 0, all: 0 };
    const rows = readRows(callsFile).filter(({ expect: { kind } }) => (kind as string) === "calls");
    for (const { prompt, tools: described = [], expect: expected } of rows) {
      const tools = described.map(toTool);
      const toolOf = (name: string) => tools[described.findIndex((one) => one.name === name)]?.name;
      const { calls } = expected as unknown as { readonly calls: readonly RightCall[] };
      const isTaken = async (tool: string | undefined, input: object) => {
        const answer = JSON.stringify({ steps: [{ id: "s1", tool, input, dependsOn: [] }] });
        try {
          await planWith([answer], requestOf(prompt, { tools }));
          return true;
        } catch (thrown) {
          const failures = isAgentError(thrown, "planning-failed") ? (thrown.details.failures ?? []) : [];
          return failures[0]?.code !== "ungrounded";
        }
      };
      let [isFirst, isAny] = [true, true];
      for (const call of calls) {
        const [first = {}, ...others] = inputsOf(call);
        if (await isTaken(toolOf(call.name), first)) continue;
        isFirst = false;
        let isOther = false;
        for (const input of others) isOther ||= await isTaken(toolOf(call.name), input);
        isAny &&= isOther;
      }
      if (!isFirst) refused.first += 1;
      if (!isAny) refused.all += 1;
    }
    console.log(
      `published calls: of ${rows.length} right plans ${refused.first} are refused with the first of the right values, ${refused.all} with all of them`,
    );
    expect(refused.all).toBeLessThanOrEqual(2);
  });
});
