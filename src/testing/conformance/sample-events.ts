import { type AgentEvent, formatVersion, type PendingItem } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Plan } from "../../core/plan.ts";
import type { ListRunsOptions, RunPage, RunStore } from "../../core/run-store.ts";

/** Records runs up to number `count`, `r1` first, each created a minute after the one before. */
export async function fillStore(store: RunStore, count: number, from = 1): Promise<void> {
  for (let number = from; number <= count; number++) {
    await store.append(`r${number}`, [runStart(`r${number}`, { minute: number })], { sequence: 1 });
  }
}

/** Joins the ids of runs, in their order. */
export function joinIds(runs: RunPage["runs"]): string {
  return runs.map(({ runId }) => runId).join(" ");
}

/** Lists the ids of a page of runs, in its order. */
export async function listIds(store: RunStore, options?: ListRunsOptions): Promise<string> {
  return joinIds((await store.list(options)).runs);
}

const firstMs = Date.UTC(2026, 0, 1);

/** The timestamp of a minute of the samples, counted from 0. */
export function at(minute: number): string {
  return new Date(firstMs + minute * 60_000).toISOString();
}

function samplePlan(minute: number): Plan {
  return {
    version: 1,
    id: "plan_1",
    request: "",
    source: { planner: "given" },
    createdAt: at(minute),
    steps: [{ id: "s1", tool: "Fake", input: { text: 'use ${HOME} {"$ref":"s1"} \u0000 \u{1F600}' } }],
  };
}

/** The first event of a run: of a request, or of a plan if there is none. */
export function runStart(
  runId: string,
  {
    request,
    minute = 0,
    metadata = { user: "ada" },
  }: { request?: string; minute?: number; metadata?: JsonObject } = {},
): AgentEvent {
  return {
    type: "run-start",
    version: formatVersion,
    runId,
    sequence: 1,
    timestamp: at(minute),
    ...(request === undefined ? { plan: samplePlan(minute) } : { request }),
    metadata,
    options: { maxSteps: 10, concurrency: 1, timeZone: "UTC" },
    tools: [],
  };
}

/** The end of planning. */
export function planEnd(runId: string, sequence: number, status: "completed" | "failed"): AgentEvent {
  const details = { planner: "x" };
  const error = { name: "AgentError", code: "planning-failed", message: "", retryable: false, details } as const;
  const outcome = status === "completed" ? { status, plan: samplePlan(0) } : { status, error };
  return { type: "plan-end", runId, sequence, timestamp: at(0), outcome };
}

/** The start of another execution. */
export function runResume(runId: string, sequence: number, minute = 0): AgentEvent {
  return { type: "run-resume", runId, sequence, timestamp: at(minute), version: formatVersion, tools: [] };
}

/** The suspension of a run. */
export function runSuspend(runId: string, sequence: number, pending: readonly PendingItem[] = []): AgentEvent {
  return { type: "run-suspend", runId, sequence, timestamp: at(0), pending };
}

/** The start of a step, as event number `sequence`. */
export function stepStart(runId: string, sequence: number, minute = 0): AgentEvent {
  const base = { type: "step-start", stepId: `s${sequence}`, tool: "Fake", input: { n: sequence } } as const;
  return { ...base, runId, sequence, timestamp: at(minute) };
}

/** A status in which a run ends. */
export type EndStatus = "completed" | "failed" | "cancelled" | "interrupted";

/** The end of a run. */
export function runEnd(
  runId: string,
  { sequence = 2, status = "completed", minute = 0 }: { sequence?: number; status?: EndStatus; minute?: number } = {},
): AgentEvent {
  const code = status === "interrupted" ? status : "cancelled";
  const error = {
    name: "AgentError",
    code,
    message: "It ended",
    retryable: false,
    details: { reason: "stop" },
  } as const;
  const outcome = status === "completed" ? { status, output: null } : { status, error };
  return { type: "run-end", runId, sequence, timestamp: at(minute), outcome };
}
