import { countPending } from "../../async/promises.ts";
import { AgentError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { Planner } from "../../core/planner.ts";
import { afterDone, stepsAfter } from "../../plan/check-draft.ts";
import { shownSnapshot } from "../run/redaction.ts";
import type { Run } from "../run/run.ts";
import { revisePlan } from "./replan.ts";

export function mayReadAgain(run: Run): boolean {
  const { state, settings, engine } = run;
  const isLook = state.plan?.source.looks === true && state.replans === 0;
  return isLook && settings.thread !== undefined && engine.loadTurns !== undefined && run.canContinue();
}

export async function readAgain(run: Run): Promise<Plan | undefined> {
  const { engine, runId, settings, state } = run;
  const { thread } = settings;
  const reader = engine.loadTurns && (await countPending(engine.loadTurns()));
  if (reader === undefined || thread === undefined || state.plan === undefined) return undefined;
  const { source, steps } = state.plan;
  const planner: Planner = { name: source.planner, usesModel: false, plan: () => ({ steps: [] }) };
  const known = run.host.openThread({ thread, runId });
  const cause = new AgentError("cannot-plan", "The line names something that had to be looked up.", {
    details: { reason: "unbound", examples: [] },
  }).toJSON();
  return revisePlan(run, { planner, cause }, async (planning) => {
    const runs = await known.read(await known.list());
    const own = shownSnapshot(state, engine);
    const turn = await reader.readTurn({ ...planning.toRequest(), runs: [own, ...runs] });
    if (turn.status !== "plan" || turn.draft.source?.looks === true) return undefined;
    const all = stepsAfter(steps.map(afterDone), turn.draft.steps);
    return { plan: await planning.complete({ steps: all, source: turn.draft.source }), approvals: [] };
  });
}
