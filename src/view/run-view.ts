import { isAgentError } from "../core/errors.ts";
import type { AgentEvent, ModelEndEvent } from "../core/events.ts";
import { hideSealed } from "../core/json.ts";
import { addTo } from "../core/lists.ts";
import { failOption } from "../core/option-tables.ts";
import type { Plan } from "../core/plan.ts";
import {
  type ApprovalRecord,
  type RunResult,
  type RunSnapshot,
  type StepRecord,
  toRunSnapshot,
} from "../core/run-result.ts";
import { foldEvents } from "../core/run-state.ts";
import { describeWaiting, isHold, isWait } from "../core/run-summary.ts";
import { maskPaths } from "../core/sensitive-paths.ts";
import { callsTool, describeStepRef, describeSubject, stepRefOf } from "../core/step.ts";
import { textFrom } from "../core/text.ts";
import type { DescribeCall, SaidCall } from "../core/tool.ts";
import type { ToolFingerprint } from "../core/tool-schemas.ts";
import { type Bar, type Execution, hasFailed, Timeline } from "./timeline.ts";

/** A run to draw: the result of `getRun`, `run`, `resume` or the like, or the run's events, which contain more. */
export type DrawnRun = RunSnapshot | RunResult | readonly AgentEvent[];

/** Options of {@link toHtml}. @inline */
export interface DrawOptions {
  /** Describes a call: `(call) => describeCall(call, { tools })`. @default none: steps show the names of their tools */
  describeCall?: DescribeCall | undefined;
}

interface ApprovalView {
  readonly subject: string;
  readonly status: ApprovalRecord["status"] | "waiting";
  readonly at?: string;
  readonly by?: string;
  readonly comment?: string;
}

export interface RunView {
  readonly run: RunSnapshot | RunResult;
  readonly updatedAt: string;
  readonly steps: ReadonlyMap<string, readonly StepRecord[]>;
  readonly bars: ReadonlyMap<string, readonly Bar[]>;
  readonly planning: readonly Bar[];
  readonly executions: readonly Execution[];
  readonly approvals: readonly ApprovalView[];
  readonly modelCalls: readonly ModelEndEvent[];
  readonly earlierPlans: readonly Plan[];
  wordsOf(call: Partial<SaidCall>): string | undefined;
}

type SayCall = RunView["wordsOf"];

export function toRunView(run: DrawnRun, { describeCall }: DrawOptions = {}): RunView {
  const wordsOf: SayCall = ({ tool, input, given }) =>
    tool && textFrom(() => describeCall?.({ tool, input, ...(given !== undefined && { given }) }));
  if (isEvents(run)) return readEvents(run, wordsOf);
  const { runId, status, steps } = (run ?? {}) as Partial<RunSnapshot>;
  const isRun = typeof runId === "string" && typeof status === "string" && Array.isArray(steps);
  return isRun ? toMaskedView(mask(run, new Map()), wordsOf) : failOption("run", run, drawnRun);
}

export const drawnRun =
  "a run from getRun, the result of run, resume or a similar call, or a list of the events of a run (listRuns returns only summaries: call getRun for each)";

export function drawOrRefuse(value: unknown, { expected, draw }: { expected: string; draw: () => string }): string {
  try {
    return draw();
  } catch (thrown) {
    if (isAgentError(thrown)) throw thrown;
    return failOption("run", value, expected, false, thrown);
  }
}

export function isEvents(run: DrawnRun): run is readonly AgentEvent[] {
  return Array.isArray(run);
}

function readEvents(events: readonly AgentEvent[], wordsOf: SayCall): RunView {
  const state = foldEvents(events[0]?.runId ?? "", events);
  const paths = getPaths(state.tools ?? []);
  const timeline = new Timeline();
  for (const event of events) timeline.follow(event);
  timeline.close();
  const plans = events.flatMap((event) => {
    if (event.type === "run-start" && event.plan !== undefined) return [event.plan];
    const isPlan = event.type === "plan-end" || event.type === "plan-revise";
    return isPlan && event.outcome.status === "completed" ? [event.outcome.plan] : [];
  });
  return {
    ...toMaskedView(mask(toRunSnapshot(state), paths), wordsOf),
    bars: timeline.bars,
    planning: timeline.planning,
    executions: timeline.executions,
    modelCalls: events.filter((event) => event.type === "model-end"),
    earlierPlans: plans.slice(0, -1).map((plan) => maskPlan(plan, paths)),
  };
}

/** Drops the output of the run, which repeats the output of a step without hiding its sensitive values. */
function toMaskedView({ output: _output, ...run }: RunSnapshot | RunResult, wordsOf: SayCall): RunView {
  const steps = new Map<string, StepRecord[]>();
  for (const record of run.steps) addTo(steps, record.stepId, record);
  const times = run.steps.flatMap(({ completedAt }) => completedAt ?? []).sort();
  const updatedAt = "updatedAt" in run ? run.updatedAt : (run.endedAt ?? times.at(-1) ?? run.createdAt);
  return {
    ...{ run: run as RunSnapshot, updatedAt, steps, approvals: getApprovals(run as RunSnapshot, wordsOf), wordsOf },
    ...{ planning: [], modelCalls: [], earlierPlans: [] },
    bars: new Map(run.steps.map((record) => [describeStepRef(record), getBars(record)])),
    executions: [{ startMs: Date.parse(run.createdAt), endMs: Date.parse(updatedAt) }],
  };
}

function getBars({ status, attempts, startedAt, completedAt }: StepRecord): readonly Bar[] {
  if (startedAt === undefined) return [];
  const title = attempts > 1 ? `${attempts} attempts` : "attempt 1";
  const end = completedAt === undefined ? {} : { endMs: Date.parse(completedAt) };
  return [{ kind: "attempt", startMs: Date.parse(startedAt), ...end, hasFailed: hasFailed(status), title }];
}

function getApprovals({ approvals = [], pending = [] }: RunSnapshot, wordsOf: SayCall): readonly ApprovalView[] {
  const decided = approvals.map((approval) => {
    const { status, decidedAt: at, by, comment } = approval;
    const subject = describeSubject(approval.kind === "step" ? stepRefOf(approval) : undefined);
    return { subject, status, at, ...(by !== undefined && { by }), ...(comment !== undefined && { comment }) };
  });
  const waiting = pending.flatMap((item) => {
    if (isWait(item) || isHold(item)) return [];
    const words = item.kind === "approval" ? wordsOf(item) : undefined;
    const named = describeSubject(item.kind === "plan-approval" ? undefined : stepRefOf(item));
    const subject = words === undefined ? named : `${named}: ${words}`;
    return { subject: item.kind === "outcome" ? `the outcome of ${subject}` : subject, status: "waiting" as const };
  });
  return [...decided, ...waiting];
}

type Paths = ReadonlyMap<string, NonNullable<ToolFingerprint["sensitive"]>>;

function getPaths(tools: readonly ToolFingerprint[]): Paths {
  return new Map(tools.flatMap(({ name, sensitive }) => (sensitive === undefined ? [] : [[name, sensitive] as const])));
}

function mask<TRun extends RunSnapshot | RunResult>(run: TRun, paths: Paths): TRun {
  const { plan, steps } = run;
  return {
    ...hideSealed({ ...run, plan: undefined, steps: [] }),
    ...(plan !== undefined && { plan: maskPlan(plan, paths) }),
    steps: steps.map((step) => maskStep(step, paths)),
  };
}

function maskPlan(plan: Plan, paths: Paths): Plan {
  return { ...plan, steps: plan.steps.map((step) => (callsTool(step) ? maskStep(step, paths) : hideSealed(step))) };
}

function maskStep<TStep extends { readonly tool: string; readonly input: unknown; readonly output?: unknown }>(
  step: TStep,
  paths: Paths,
): TStep {
  const { input = [], output = [] } = paths.get(step.tool) ?? {};
  return {
    ...hideSealed(step),
    input: maskPaths(step.input, input),
    ...("output" in step && { output: maskPaths(step.output, output) }),
  };
}

export function getWaits({ run, approvals }: Pick<RunView, "run" | "approvals">): readonly string[] {
  const decisions = approvals.filter(({ status }) => status === "waiting").map(({ subject }) => subject);
  const waits = (run.pending ?? []).flatMap((item) => (isWait(item) ? [describeWaiting(item)] : []));
  const holds = (run.pending ?? []).filter(isHold).map(({ reason }) => `to be resumed: ${reason}`);
  return [...holds, ...(decisions.length > 0 ? [`for a decision about ${decisions.join(", ")}`] : []), ...waits];
}

export function getBusyMs({ executions, updatedAt }: RunView): number {
  return executions.reduce((sum, { startMs, endMs = Date.parse(updatedAt) }) => sum + Math.max(0, endMs - startMs), 0);
}
