import { existsSync } from "node:fs";
import { join } from "node:path";
import { readRows } from "./data.ts";
import { cell, loadScorer, type MeasureOptions } from "./measure.ts";
import { type PlannedRow, planRows } from "./plan-rows.ts";

/** How well a planner plans for tools that are not ours: the table, and what was planned. Undefined if there is no such data. */
export async function measureCalls(
  folder: string,
  { planner, limit, ...options }: MeasureOptions,
): Promise<{ readonly table: string; readonly lines: readonly PlannedRow[] } | undefined> {
  const path = join(folder, "function-calling.jsonl");
  if (!existsSync(path)) return undefined;
  const rows = readRows(path).slice(0, limit);
  const lines = await planRows(rows, { planner, ...options });
  const { items } = (await loadScorer(folder)).score(rows, lines);
  const categories = [...new Set(rows.map(({ category = "" }) => category))];
  const table = [
    "| function calling | right |",
    "| --- | --- |",
    ...[...categories, "all"].map((category) => {
      const part = items.filter(({ row }) => category === "all" || row.category === category);
      return `| ${category} | ${cell({ hits: part.filter(({ exact }) => exact).length, count: part.length })} |`;
    }),
  ];
  return { table: table.join("\n"), lines };
}
