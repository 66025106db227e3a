import { AbortSource } from "../../async/abort.ts";
import { monotonicNow } from "../../async/clock.ts";
import { isAgentError } from "../../core/errors.ts";
import type { TurnOutcome } from "../../core/events.ts";
import type { Plan } from "../../core/plan.ts";
import { questionId } from "../../core/question.ts";
import type { RunResult } from "../../core/run-result.ts";
import { openQuestionOf } from "../../core/run-state.ts";
import { callsTool } from "../../core/step.ts";
import type { DefinedTool } from "../../core/tool.ts";
import type { Commands } from "../commands/commands.ts";
import { isSurelyPure } from "../execution/replan.ts";
import type { CarriedOut, Run } from "../run/run.ts";
import { cancelledBy } from "../run/run-errors.ts";
import type { CommandOptions } from "../run/run-options.ts";
import { opened } from "../run/run-secrets.ts";
import { loadSpeech } from "../run/run-words.ts";
import { endingOf } from "../steps/end-run.ts";
import type { Opening, RunRegistry } from "../stored/run-registry.ts";
import { isDamaged, listRuns, readExisting } from "../stored/stored-runs.ts";
import { sendCommand, toAnswer } from "./send-command.ts";
import { undoRun } from "./undo-run.ts";

/** Acts on other runs of the thread as the line asks. Idempotent. */
export async function carryOut(runs: RunRegistry, run: Run): Promise<CarriedOut> {
  const { turn } = run.state;
  switch (turn?.status) {
    case undefined:
      await endQuestions(runs, run);
      return {};
    case "words":
      return { text: turn.text };
    case "answer":
      return { result: await act(runs, run, (acting) => deliverAnswer(runs, acting, turn)) };
    case "decline":
      return { result: await cancel(runs, run, { runId: turn.runId, reason: "declined" }) };
    case "undo":
      return { text: await undo(runs, run, turn.runId) };
    default:
      return turn satisfies never;
  }
}

type Acting = Omit<Opening, "runId"> & CommandOptions;

async function act<T>(runs: RunRegistry, run: Run, send: (acting: Acting) => Promise<T>): Promise<T> {
  const { resources, thread } = run.settings;
  const cancelling = run.openSource();
  const startedMs = monotonicNow(runs.settings.clock);
  const options = { resources, signal: undefined, throwOnFailure: false };
  try {
    return await send({ startedMs, cancelling, thread, resumes: true, options });
  } finally {
    run.closeSource(cancelling);
  }
}

async function deliverAnswer(runs: RunRegistry, acting: Acting, { runId, stepId, answer }: Answer): Promise<RunResult> {
  const given = { thread: acting.thread, stepId, id: questionId(runId, stepId), answer: { answer } };
  const command = (await toAnswer(runs, runId, given)) as Commands["answer"];
  return sendCommand(runs, { ...acting, runId, type: "answer", command: { ...command, typed: true } });
}

type Answer = Extract<TurnOutcome, { readonly status: "answer" }>;

function cancel(runs: RunRegistry, run: Run, { runId, reason }: { runId: string; reason: string }): Promise<RunResult> {
  const cancelling = new AbortSource();
  cancelling.abort(cancelledBy(reason));
  const sent = { runId, cancelling, type: "cancel", command: { reason } } as const;
  return act(runs, run, (acting) => sendCommand(runs, { ...acting, ...sent }));
}

async function undo(runs: RunRegistry, run: Run, runId: string): Promise<string> {
  try {
    const undone = await act(runs, run, (acting) => undoRun(runs, { ...acting, runId }));
    const say = await loadSpeech(run);
    return say?.(undone) || "There was nothing to undo.";
  } catch (thrown) {
    if (isAgentError(thrown, "run-conflict") || isAgentError(thrown, "run-not-found")) return thrown.message;
    throw thrown;
  }
}

async function endQuestions(runs: RunRegistry, run: Run): Promise<void> {
  const { runId, thread, createdAt, plan } = run.state;
  const { store } = runs.settings;
  if (plan === undefined || !(await mayChange(run, opened(run, plan)))) return;
  const asking = await listRuns(store, { thread, pending: "question" });
  // Includes runs that a process was about to cancel when it died.
  const stopped = await listRuns(store, { thread, resumable: true, status: ["running", "interrupted"] });
  for (const one of [...asking.runs, ...stopped.runs]) {
    if (one.runId === runId || one.createdAt > createdAt) continue;
    try {
      const { state } = await readExisting(runs.settings, one.runId);
      const isAsking = [...state.steps.values()].some((step) => openQuestionOf(step) !== undefined);
      if (isAsking || endingOf(state) !== undefined)
        await cancel(runs, run, { runId: one.runId, reason: "superseded" });
    } catch (thrown) {
      if (!isAgentError(thrown, "run-not-found") && !isDamaged(thrown)) throw thrown;
    }
  }
}

async function mayChange(run: Run, { steps }: Plan): Promise<boolean> {
  const { tools } = run.settings;
  for (const step of steps) {
    const isChange = callsTool(step)
      ? !(await isSurelyPure(step, tools.get(step.tool) as DefinedTool))
      : "ask" in step.wait;
    if (isChange) return true;
  }
  return false;
}
