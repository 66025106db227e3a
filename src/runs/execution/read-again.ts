import { countPending } from "../../async/promises.ts";
import { AgentError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { Planner } from "../../core/planner.ts";
import { afterDone, stepsAfter } from "../../plan/check-draft.ts";
import { shownSnapshot } from "../run/redaction.ts";
import type { Run } from "../run/run.ts";
import { revisePlan } from "./replan.ts";

export function readAgain(run: Run): Promise<Plan | undefined> | undefined {
  const { engine, runId, settings, state } = run;
  const { plan, replans } = state;
  const { thread } = settings;
  const { loadTurns } = engine;
  if (plan?.source.looks !== true || replans > 0 || thread === undefined || loadTurns === undefined) return undefined;
  if (!run.canContinue()) return undefined;
  const { source, steps } = plan;
  const planner: Planner = { name: source.planner, usesModel: false, plan: () => ({ steps: [] }) };
  const known = run.host.openThread({ thread, runId });
  const cause = new AgentError("cannot-plan", "The line names something that had to be looked up.", {
    details: { reason: "unbound", examples: [] },
  }).toJSON();
  return revisePlan(run, { planner, cause }, async (planning) => {
    const reader = await countPending(loadTurns());
    const runs = await known.read(await known.list());
    const own = shownSnapshot(state, engine);
    const turn = await reader.readTurn({ ...planning.toRequest(), runs: [own, ...runs] });
    if (turn.status !== "plan" || turn.draft.source?.looks === true) return undefined;
    const all = stepsAfter(steps.map(afterDone), turn.draft.steps);
    return { plan: await planning.complete({ steps: all, source: turn.draft.source }), approvals: [] };
  });
}
