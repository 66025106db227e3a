import { performance } from "node:perf_hooks";
import {
  createCalculator,
  createMemoryRunStore,
  createOrchestrator,
  createRulePlanner,
  createTodoStore,
  type PlanDraft,
  type PlanInput,
  type Tool,
} from "../../src/index.ts";
import type { DataRow } from "./data.ts";

/** A plan, or why there is none, as the scorer reads it. */
export interface PlannedRow {
  readonly id: string;
  readonly plan: PlanDraft | null;
  /** The values of the plan's calculator steps, from really running them. */
  readonly results: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

/** The tools of the product, as everybody creates them. */
export function createTools() {
  return [createCalculator(), createTodoStore()] as const;
}

/** Sunday, 22 November 2026, noon UTC: the data has no dates of its own to fit. */
const clock = { nowMs: Date.UTC(2026, 10, 22, 12), timeZone: "UTC" };

/** Plans every request once, with one planner and one set of tools, and runs the calculator steps of each plan. */
export async function planRows(rows: readonly DataRow[]): Promise<readonly PlannedRow[]> {
  const tools = createTools();
  const planner = createRulePlanner();
  const planned: PlannedRow[] = [];
  for (const { id, prompt } of rows) {
    try {
      const signal = new AbortController().signal;
      const plan = await planner.plan({ request: prompt, tools, maxSteps: 100, signal, ...clock });
      planned.push({ id, plan, results: await runCalculators(plan) });
    } catch (thrown) {
      planned.push({ id, plan: null, results: {}, error: String(thrown instanceof Error ? thrown.message : thrown) });
    }
  }
  return planned;
}

async function runCalculators({ steps }: PlanDraft): Promise<Readonly<Record<string, unknown>>> {
  const calculations = steps.filter(({ tool }) => tool === "Calculator");
  if (calculations.length === 0) return {};
  // A calculator step that uses a todo's text can not be run by itself; no phrase makes one.
  const tools: readonly Tool[] = [createCalculator()];
  const orchestrator = createOrchestrator({ tools, store: createMemoryRunStore() });
  const known = new Set(calculations.map(({ id }) => id));
  const alone = calculations.map((step) => ({
    ...step,
    dependsOn: (step.dependsOn ?? []).filter((id) => known.has(id)),
  }));
  const result = await orchestrator.execute({ steps: alone } as PlanInput);
  const completed = result.steps.filter(({ status }) => status === "completed");
  return Object.fromEntries(completed.map(({ stepId, output }) => [stepId, output]));
}

/** How long each plan takes, in milliseconds: in the first pass after a start, and once everything is compiled. */
export async function timePlans(rows: readonly DataRow[]): Promise<{ first: number[]; warm: number[] }> {
  const tools = createTools();
  const planner = createRulePlanner();
  const pass = async () => {
    const times: number[] = [];
    for (const { prompt } of rows) {
      const signal = new AbortController().signal;
      const start = performance.now();
      try {
        await planner.plan({ request: prompt, tools, maxSteps: 100, signal, ...clock });
      } catch {
        // A refusal takes its time as well.
      }
      times.push(performance.now() - start);
    }
    return times;
  };
  const first = await pass();
  await pass();
  return { first, warm: await pass() };
}
