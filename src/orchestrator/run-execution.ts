import type { AgentErrorData } from "../core/errors.ts";
import { compileExpressions, type PlanExpressions } from "../core/expressions.ts";
import type { RunResult } from "../core/run-result.ts";
import type { DefinedTool } from "../core/tool.ts";
import { type ToolFingerprint, toolFingerprint } from "../core/tool-schemas.ts";
import { askAboutPlan, mayNeedPlanApproval } from "./approvals.ts";
import { endExecution, hasAnswer, isAllDone } from "./end-execution.ts";
import { replan } from "./replan.ts";
import type { Run } from "./run.ts";
import { runSteps } from "./run-steps.ts";
import { shownResult } from "./show.ts";

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
    while (run.deciding !== undefined) await run.deciding;
    const approval = run.approvalOf(undefined);
    if (approval !== undefined && approval.status !== "approved") break;
    const { sequence } = run.state;
    await runSteps(run, plan, expressions);
    if (isAllDone(run)) break;
    const revised = await replan(run);
    while (run.deciding !== undefined) await run.deciding;
    // Steps approved after all others ended must run, if they can; from here until the execution is closed nobody can
    // decide anything.
    const isStuck = run.state.sequence === sequence;
    if (revised === undefined && (isStuck || !hasAnswer(run))) break;
    plan = run.state.plan;
  }
  await endExecution(run, { planningError, expressions });
  return shownResult(run.state, run.engine, run);
}

/** Keyed by the tools of a run, which are mostly those of its engine. */
const made = new WeakMap<ReadonlyMap<string, DefinedTool>, readonly ToolFingerprint[]>();

/** The fingerprints of a run's tools, if they were computed before. */
export function knownFingerprints(tools: ReadonlyMap<string, DefinedTool>): readonly ToolFingerprint[] | undefined {
  return made.get(tools);
}

/** The fingerprints of a run's tools, computed once. */
export async function fingerprintsOf(tools: ReadonlyMap<string, DefinedTool>): Promise<readonly ToolFingerprint[]> {
  const fingerprints = Object.freeze(await Promise.all([...tools.values()].map(toolFingerprint)));
  made.set(tools, fingerprints);
  return fingerprints;
}
