import { isDeepStrictEqual } from "node:util";
import { createRulePlanner, type Planner } from "planwright";
import { type DataRow, readRows } from "./data.ts";
import { type PlannedRow, planRows } from "./plan-rows.ts";

/** The project's own requests, written for it, in the format of the evaluation data with each step's whole input. */
export const goldRows: readonly DataRow[] = readRows(new URL("gold.jsonl", import.meta.url).pathname);

/** What came of the project's own requests. */
export interface GoldResult {
  readonly count: number;
  readonly misses: readonly string[];
  readonly lines: readonly PlannedRow[];
}

/** Plans them, and tells which are not planned, or refused, as they should be. */
export async function checkGold({
  planner = createRulePlanner(),
  limit = Number.POSITIVE_INFINITY,
  onRow,
}: {
  planner?: Planner;
  limit?: number;
  onRow?: () => void;
} = {}): Promise<GoldResult> {
  const rows = goldRows.slice(0, limit);
  const lines = await planRows(rows, { planner, ...(onRow && { onRow }) });
  const misses = rows.flatMap((row, index) => {
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
  return { count: rows.length, misses, lines };
}

function resultValue(output: unknown): unknown {
  return typeof output === "object" && output !== null && "value" in output ? output.value : undefined;
}
