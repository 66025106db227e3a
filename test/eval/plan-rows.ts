import { performance } from "node:perf_hooks";
import {
  createCalculator,
  createMemoryRunStore,
  createOrchestrator,
  createTodoStore,
  type DefinedTool,
  type ErrorData,
  isAgentError,
  type ModelUsage,
  type PlanDraft,
  type PlanInput,
  type Planner,
  type PlanSource,
} from "planwright";
import { ModelMeter } from "../../src/runs/planning/model-meter.ts";
import { toTool } from "./call-tools.ts";
import type { DataRow } from "./data.ts";

/** A plan, or why there is none, as the scorer reads it. */
export interface PlannedRow {
  readonly id: string;
  readonly plan: PlanDraft | null;
  /** The values of the plan's calculator steps, from really running them. */
  readonly results: Readonly<Record<string, unknown>>;
  readonly error?: string;
  /** What a refusal would do if a person agreed. */
  readonly asked?: PlanDraft;
  /** What went wrong on the way. */
  readonly failures: NonNullable<PlanSource["failures"]>;
  readonly usage: ModelUsage | undefined;
  readonly tookMs: number;
}

/** The tools of the product, as everybody creates them. */
export function createTools() {
  return [createCalculator(), createTodoStore()] as const;
}

/** Sunday, 22 November 2026, noon UTC: most data has no dates of its own to fit. */
const anyDay = { nowMs: Date.UTC(2026, 10, 22, 12), timeZone: "UTC" };

/** Nothing that another request could change. */
const fatalReasons: ReadonlySet<string> = new Set(["unreachable", "unknown-model", "unauthorized"]);

/**
 * Plans every request once, with one planner and, where a row brings none, one set of tools, and runs the calculator steps of
 * each plan. Rejects if the planner's model cannot be asked at all.
 */
export async function planRows(
  rows: readonly DataRow[],
  {
    planner,
    onRow,
    clock = anyDay,
  }: { readonly planner: Planner; readonly onRow?: () => void; readonly clock?: typeof anyDay },
): Promise<readonly PlannedRow[]> {
  const tools = createTools();
  const planned: PlannedRow[] = [];
  for (const row of rows) {
    planned.push(await planRow(row, { planner, clock, tools: row.tools?.map(toTool) ?? tools }));
    onRow?.();
  }
  return planned;
}

async function planRow(
  { id, prompt }: DataRow,
  {
    planner,
    tools,
    clock,
  }: { readonly planner: Planner; readonly tools: readonly DefinedTool[]; readonly clock: typeof anyDay },
): Promise<PlannedRow> {
  const meter = new ModelMeter(undefined, undefined, { now: () => 0, emit: () => {} });
  const { signal } = new AbortController();
  const startedMs = performance.now();
  const measured = () => ({ usage: meter.usage, tookMs: performance.now() - startedMs });
  try {
    const generate = meter.generate.bind(meter);
    const plan = await planner.plan({ request: prompt, tools, maxSteps: 100, signal, generate, ...clock });
    const row = { id, plan, failures: plan.source?.failures ?? [], ...measured() };
    return { ...row, results: await runCalculators(plan) };
  } catch (thrown) {
    const { cause } = thrown as { cause?: ErrorData };
    if (isAgentError(cause, "model-failed") && fatalReasons.has(cause.details.reason)) throw cause;
    const failures = isAgentError(thrown, "planning-failed") ? (thrown.details.failures ?? []) : [];
    const error = String(thrown instanceof Error ? thrown.message : thrown);
    const steps = isAgentError(thrown, "cannot-plan") ? thrown.details.proposals?.[0]?.steps : undefined;
    const asked = steps && { asked: { steps } as PlanDraft };
    return { id, plan: null, results: {}, error, failures, ...asked, ...measured() };
  }
}

async function runCalculators({ steps }: PlanDraft): Promise<Readonly<Record<string, unknown>>> {
  const calculations = steps.filter(({ tool }) => tool === "Calculator");
  if (calculations.length === 0) return {};
  // A calculator step that uses a todo's text cannot be run by itself; no phrase makes one, but a model may.
  const tools: readonly DefinedTool[] = [createCalculator()];
  const orchestrator = createOrchestrator({ tools, store: createMemoryRunStore() });
  const known = new Set(calculations.map(({ id }) => id));
  const alone = calculations.map((step) => ({
    ...step,
    dependsOn: (step.dependsOn ?? []).filter((id) => known.has(id)),
  }));
  try {
    const result = await orchestrator.execute({ steps: alone } as PlanInput);
    const completed = result.steps.filter(({ status }) => status === "completed");
    return Object.fromEntries(completed.map(({ stepId, output }) => [stepId, output]));
  } catch {
    return {};
  }
}

/** How long each plan of rules takes, in milliseconds: in the first pass after a start, and once everything is compiled. */
export async function timePlans(
  rows: readonly DataRow[],
  planner: Planner,
): Promise<{ first: readonly number[]; warm: readonly number[] }> {
  const pass = async () => (await planRows(rows, { planner })).map(({ tookMs }) => tookMs);
  const first = await pass();
  await pass();
  return { first, warm: await pass() };
}
