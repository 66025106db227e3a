import type { AgentErrorData } from "../core/errors.ts";
import type { RunResult } from "../core/run-result.ts";
import type { DefinedTool } from "../core/tool.ts";
import { type ToolFingerprint, toolFingerprint } from "../core/tool-schemas.ts";
import { compileExpressions, type PlanExpressions } from "../plan/expressions.ts";
import { askAboutPlan, mayNeedPlanApproval } from "./decisions/approvals.ts";
import { endExecution } from "./end-execution.ts";
import { replan } from "./planning/replan.ts";
import type { Run } from "./run.ts";
import { hasAnswer, isAllDone } from "./run-progress.ts";
import { shownResult } from "./show.ts";
import { runSteps } from "./steps/schedule.ts";

/** The trace context of an execution, as its first event contains it. */
export function traceOf({ engine, runId }: Pick<Run, "engine" | "runId">): { readonly traceparent?: string } {
  const traceparent = engine.traceparent?.(runId);
  return traceparent === undefined ? {} : { traceparent };
}

/** Runs the plan, if there is one, and its revisions by the planner, until the execution is closed. */
export async function runExecution(run: Run, planningError?: AgentErrorData): Promise<RunResult> {
  let expressions: PlanExpressions | undefined;
  let plan = planningError === undefined ? run.state.plan : undefined;
  while (plan !== undefined) {
    const compiling = compileExpressions(plan.steps);
    expressions = compiling && (await compiling);
    // A plan that is under way needs no approval, unless it still waits for it.
    const isNew = run.state.isUnderWay !== true;
    if ((isNew || run.approvalOf(undefined) !== undefined) && mayNeedPlanApproval(run)) await askAboutPlan(run, plan);
    await run.commandsRecorded();
    const approval = run.approvalOf(undefined);
    if (approval !== undefined && approval.status !== "approved") break;
    const { sequence } = run.state;
    await runSteps(run, plan, expressions);
    if (isAllDone(run)) break;
    const revised = await replan(run);
    await run.commandsRecorded();
    // Steps approved after all others ended must run, if they can; from here until the execution is closed nobody can
    // decide anything.
    const isStuck = run.state.sequence === sequence;
    if (revised === undefined && (isStuck || !hasAnswer(run))) break;
    plan = run.state.plan;
  }
  await endExecution(run, { planningError, expressions });
  return shownResult(run.state, run.engine, run);
}

/** By the tools of a run, which are mostly those of its engine. */
const fingerprints = new WeakMap<ReadonlyMap<string, DefinedTool>, readonly ToolFingerprint[]>();

/** Computes the fingerprints of a run's tools, once. */
export function fingerprintsOf(
  tools: ReadonlyMap<string, DefinedTool>,
): readonly ToolFingerprint[] | Promise<readonly ToolFingerprint[]> {
  const known = fingerprints.get(tools);
  if (known !== undefined) return known;
  return Promise.all([...tools.values()].map(toolFingerprint)).then((computed) => {
    fingerprints.set(tools, Object.freeze(computed));
    return computed;
  });
}
