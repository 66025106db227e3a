import { countPending } from "../../async/promises.ts";
import { AgentError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { Planner } from "../../core/planner.ts";
import type { RunSnapshot } from "../../core/run-result.ts";
import { afterDone, stepsAfter } from "../../plan/check-draft.ts";
import { Planning, taskIn } from "../planning/planning.ts";
import { shownSnapshot } from "../run/redaction.ts";
import type { Run } from "../run/run.ts";

/** True if the plan of a line has only looked up what the line names. */
export function mayReadAgain(run: Run): boolean {
  const { state, settings, engine } = run;
  const isLook = state.plan?.source.looks === true && state.replans === 0;
  return isLook && settings.thread !== undefined && engine.loadTurns !== undefined && run.canContinue();
}

/** Reads the line again with what was looked up, and revises the plan; undefined if it still means nothing more. */
export async function readAgain(run: Run): Promise<Plan | undefined> {
  const { engine, runId, settings, state } = run;
  const { thread } = settings;
  const reader = engine.loadTurns && (await countPending(engine.loadTurns()));
  if (reader === undefined || thread === undefined || state.plan === undefined) return undefined;
  const { request, source: looked, steps } = state.plan;
  const source = run.openSource();
  const planner: Planner = { name: looked.planner, usesModel: false, plan: () => ({ steps: [] }) };
  const planning = new Planning(taskIn(run, { request, planner, source }));
  const known = run.host.openThread({ thread, runId });
  const cause = new AgentError("cannot-plan", "The line names something that had to be looked up.", {
    details: { reason: "unbound", examples: [] },
  }).toJSON();
  const base = { type: "plan-revise", planner: planner.name, replan: 1, cause } as const;
  try {
    const plan = await planning.ask(async () => {
      const runs = await known.read(await known.list());
      const own = shownSnapshot(state, engine) as RunSnapshot;
      const turn = await reader.readTurn({ ...planning.toRequest(), runs: [own, ...runs] });
      if (turn.type !== "plan" || turn.draft.source?.looks === true) return undefined;
      const all = stepsAfter(steps.map(afterDone), turn.draft.steps);
      return planning.complete({ steps: all, source: turn.draft.source });
    }, 1);
    if (plan === undefined) return undefined;
    const sealed = run.secrets === undefined ? plan : await run.secrets.sealPlan(plan);
    await run.emit({ ...base, ...planning.end(), outcome: { status: "completed", plan: sealed } });
    run.recountSteps();
    return run.recorder.failure === undefined ? plan : undefined;
  } catch (thrown) {
    await run.emit({ ...base, ...planning.end(), outcome: planning.failureOf(thrown) });
    return undefined;
  } finally {
    run.closeSource(source);
  }
}
