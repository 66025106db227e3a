import { existsSync } from "node:fs";
import type { JsonObject } from "planwright";
import { describe, expect, it } from "vitest";
import { accountFor } from "../../src/planners/rules/account.ts";
import { toTool } from "./call-tools.ts";
import { readRows } from "./data.ts";

type CallRow = ReturnType<typeof readRows>[number];

const callsFile = "../shared/eval/function-calling.jsonl";
const hasCalls = existsSync(callsFile);
if (!hasCalls) console.log(`Right calls have no account: data is expected at ${callsFile}`);

interface RightCall {
  readonly name: string;
  /** The values that are right for each argument; an empty text says that it may be left out. */
  readonly arguments: Readonly<Record<string, readonly unknown[]>>;
}

/** The input with the first of the right values, with or without what may be left out. */
function inputOf({ arguments: values }: RightCall, { isWhole }: { readonly isWhole: boolean }): object {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, right]) => {
      const [first] = right.filter((value) => value !== "");
      return first === undefined || (!isWhole && right.includes("")) ? [] : [[key, first]];
    }),
  );
}

/** How many of the plans are refused because the request does not say what is in them. */
async function countRefused(rows: readonly CallRow[], options: { readonly isWhole: boolean }): Promise<number> {
  let refused = 0;
  for (const { prompt, tools: described = [], expect: expected } of rows) {
    const tools = described.map(toTool);
    const { calls } = expected as unknown as { readonly calls: readonly RightCall[] };
    const steps = calls.map((call, index) => ({
      id: `s${index + 1}`,
      tool: tools[described.findIndex(({ name }) => name === call.name)]?.name ?? "",
      input: inputOf(call, options) as JsonObject,
      dependsOn: [],
    }));
    const texts = [{ source: { type: "request" as const }, value: prompt }];
    const { unsaid } = await accountFor(steps, { tools, texts, clock: { nowMs: 0, timeZone: "UTC" } });
    if (unsaid.length > 0) refused += 1;
  }
  return refused;
}

describe.skipIf(!hasCalls)("the right plans of published function calls", () => {
  it("are what a request says, by its account", async () => {
    const rows = readRows(callsFile).filter(({ expect: { kind } }) => (kind as string) === "calls");
    const whole = await countRefused(rows, { isWhole: true });
    const least = await countRefused(rows, { isWhole: false });
    console.log(
      `published calls: of ${rows.length} right plans ${least} are refused without what may be left out, ${whole} with it`,
    );
    // These figures only fall.
    expect(least).toBeLessThanOrEqual(20);
    expect(whole).toBeLessThanOrEqual(32);
  });
});
