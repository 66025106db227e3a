import type { PlanStep } from "planwright";
import { readRows } from "./data.ts";
import { type PlannedRow, planRows } from "./plan-rows.ts";

/** A sentence that was written for the project, with the operations of the todo store that it asks for, or `calc`; none to refuse. */
interface Sentence {
  readonly prompt: string;
  readonly operations: readonly string[];
}

const path = new URL("sentences.jsonl", import.meta.url).pathname;

/** Plans the sentences, and says for how many the operations are right, asked about, refused or wrong. */
export async function describeSentences(planner: Parameters<typeof planRows>[1]["planner"]): Promise<string> {
  const sentences = readRows(path) as unknown as readonly Sentence[];
  const rows = sentences.map(({ prompt }, at) => ({ id: `${at}`, prompt, expect: { kind: "plan" as const } }));
  const lines = await planRows(rows, { planner });
  const counts = { right: 0, asked: 0, refused: 0, wrong: 0 };
  for (const [at, line] of lines.entries()) counts[judge(line, sentences[at]?.operations ?? [])]++;
  const shown = Object.entries(counts).map(([name, count]) => `${((100 * count) / rows.length).toFixed(1)} % ${name}`);
  return `${rows.length} written sentences, by their operations: ${shown.join(", ")}.`;
}

function judge({ plan, asked }: PlannedRow, wanted: readonly string[]): "right" | "asked" | "refused" | "wrong" {
  const isWanted = (steps: readonly PlanStep[]) => {
    const made = new Set(steps.map((step) => ("input" in step ? String(step.input?.operation ?? "calc") : "wait")));
    return [...made].every((each) => wanted.includes(each)) && wanted.every((each) => made.has(each));
  };
  if (plan !== null) return isWanted(plan.steps as readonly PlanStep[]) ? "right" : "wrong";
  if (wanted.length === 0) return "right";
  return asked !== undefined && isWanted(asked.steps as readonly PlanStep[]) ? "asked" : "refused";
}
