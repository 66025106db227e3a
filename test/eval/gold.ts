import { isDeepStrictEqual } from "node:util";
import { type DataRow, readRows } from "./data.ts";
import { planRows } from "./plan-rows.ts";

/** The project's own requests, written for it, in the format of the evaluation data with each step's whole input. */
export const goldRows: readonly DataRow[] = readRows(new URL("gold.jsonl", import.meta.url).pathname);

/** Plans them all, and tells which are not planned, or refused, as they should be. */
export async function checkGold(): Promise<{ count: number; misses: readonly string[] }> {
  const lines = await planRows(goldRows);
  const misses = goldRows.flatMap((row, index) => {
    const { plan, results, error } = lines[index] ?? {};
    const made = plan?.steps.map(({ id = "", tool, input, dependsOn }) => ({
      tool: tool === "Calculator" ? "calculator" : "todo",
      input,
      dependsOn: (dependsOn ?? []).map((id) => Number(id.slice(1))),
      ...(tool === "Calculator" && { value: resultValue(results?.[id]) }),
    }));
    const wanted = row.expect.steps?.map(({ tool, input, dependsOn = [], value }) => {
      return { tool, input, dependsOn, ...(value !== undefined && { value }) };
    });
    return isDeepStrictEqual(made, wanted)
      ? []
      : [`${row.prompt}\n  wanted ${JSON.stringify(wanted)}\n  got    ${error ?? JSON.stringify(made)}`];
  });
  return { count: goldRows.length, misses };
}

function resultValue(output: unknown): unknown {
  return typeof output === "object" && output !== null && "value" in output ? output.value : undefined;
}
