import type { AgentError, AgentErrorData } from "../../core/errors.ts";
import { answeredBy, type RunResult } from "../../core/run-result.ts";
import { planInRun } from "../planning/planning.ts";
import type { CarriedOut, Run } from "../run/run.ts";
import { dataOf } from "../run/step-call.ts";
import { endExecution } from "../steps/end-run.ts";
import { runExecution } from "./schedule.ts";

export async function runRequest(run: Run, request: string): Promise<RunResult> {
  const error = run.state.turn === undefined ? await planInRun(run, request) : undefined;
  if (run.state.turn === undefined) return runExecution(run, error ?? (await prepareThread(run)));
  const end = { planningError: undefined, expressions: undefined };
  if (!run.canContinue()) return endExecution(run, end);
  const { done: { text, result } = {}, failure } = await carryOut(run);
  const own = await endExecution(run, { ...end, planningError: failure, isActedOn: failure === undefined, text });
  if (result === undefined || own.status !== "completed") return own;
  return { ...result, answered: answeredBy(run.state) };
}

export async function prepareThread(run: Run): Promise<AgentErrorData | undefined> {
  const { thread, plan, request, isUnderWay } = run.state;
  const isReady = run.engine.loadTurns !== undefined && plan !== undefined && isUnderWay !== true && run.canContinue();
  if (!isReady || thread === undefined || request === undefined) return undefined;
  return (await carryOut(run)).failure;
}

async function carryOut(run: Run): Promise<{ readonly done?: CarriedOut; readonly failure?: AgentErrorData }> {
  try {
    return { done: await run.host.carryOut(run) };
  } catch (thrown) {
    return { failure: dataOf(run, thrown as AgentError) };
  }
}
