import { AbortSource } from "../../async/abort.ts";
import { monotonicNow } from "../../async/clock.ts";
import { isAgentError } from "../../core/errors.ts";
import type { NotUndone, TurnOutcome } from "../../core/events.ts";
import type { Plan } from "../../core/plan.ts";
import type { RunResult } from "../../core/run-result.ts";
import { callsTool, describeStepRef, type StepRef } from "../../core/step.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { isSurelyPure } from "../execution/replan.ts";
import type { CarriedOut, Run } from "../run/run.ts";
import { cancelledBy, notWaiting } from "../run/run-errors.ts";
import type { CommandOptions } from "../run/run-options.ts";
import { opened } from "../run/run-secrets.ts";
import type { Opening, RunRegistry } from "../stored/run-registry.ts";
import { listRuns, readExisting } from "../stored/stored-runs.ts";
import { sendCommand } from "./send-command.ts";
import { undoRun } from "./undo-run.ts";

/** Acts on other runs of the thread, as a line says. To do it again changes nothing. */
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
      return { text: await act(runs, run, (acting) => undo(runs, acting, turn.runId)) };
    default:
      return turn satisfies never;
  }
}

interface Acting extends Opening, CommandOptions {
  /** The run of the line. */
  readonly runId: string;
}

/** What is resumed is cancelled with the run of the line. */
async function act<T>(runs: RunRegistry, run: Run, send: (acting: Acting) => Promise<T>): Promise<T> {
  const { resources, thread } = run.settings;
  const cancelling = run.openSource();
  const startedMs = monotonicNow(runs.settings.clock);
  const options = { resources, signal: undefined, throwOnFailure: false };
  try {
    return await send({ runId: run.runId, startedMs, cancelling, thread, resumes: true, options });
  } finally {
    run.closeSource(cancelling);
  }
}

async function deliverAnswer(runs: RunRegistry, acting: Acting, turn: Answer): Promise<RunResult> {
  const { runId, stepId, answer: value } = turn;
  const { state } = await readExisting(runs.settings, runId);
  const name = state.steps.get(stepId)?.wait?.event;
  if (name === undefined) throw notWaiting(runId, `step "${stepId}" waits for no answer`);
  const command = { name, value, id: acting.runId };
  return sendCommand(runs, { ...acting, runId, type: "deliver", command });
}

type Answer = Extract<TurnOutcome, { readonly status: "answer" }>;

function cancel(runs: RunRegistry, run: Run, { runId, reason }: { runId: string; reason: string }): Promise<RunResult> {
  const cancelling = new AbortSource();
  cancelling.abort(cancelledBy(reason));
  const sent = { runId, cancelling, type: "cancel", command: { reason } } as const;
  return act(runs, run, (acting) => sendCommand(runs, { ...acting, ...sent }));
}

async function undo(runs: RunRegistry, acting: Acting, runId: string): Promise<string> {
  try {
    return sayUndone(await undoRun(runs, { ...acting, runId }));
  } catch (thrown) {
    if (isAgentError(thrown, "run-conflict") || isAgentError(thrown, "run-not-found")) return thrown.message;
    throw thrown;
  }
}

const reasons: Readonly<Record<NotUndone["reason"], string>> = {
  "no-undo": "its tool cannot undo it",
  failed: "undoing it failed",
  unknown: "its outcome is unknown",
  forked: "another run did it",
};

function sayUndone({ steps, notUndone = [] }: RunResult): string {
  const nameOf = (step: StepRef & { readonly tool: string }) => `${describeStepRef(step)} (${step.tool})`;
  const undone = steps.filter(({ status }) => status === "undone").map(nameOf);
  const left = notUndone.map((step) => `${nameOf(step)}: ${reasons[step.reason]}`);
  const parts = [
    ...(undone.length > 0 ? [`Undone: ${undone.join(", ")}.`] : []),
    ...(left.length > 0 ? [`Not undone: ${left.join("; ")}.`] : []),
  ];
  return parts.length > 0 ? parts.join(" ") : "There was nothing to undo.";
}

async function endQuestions(runs: RunRegistry, run: Run): Promise<void> {
  const { runId, thread, createdAt, plan } = run.state;
  if (plan === undefined || !(await mayChange(run, opened(run, plan)))) return;
  const { runs: suspended } = await listRuns(runs.settings.store, { thread, status: "suspended" });
  for (const one of suspended) {
    const asks = one.pending?.kinds.some((kind: string) => kind === "question") === true;
    if (!asks || one.runId === runId || one.createdAt > createdAt) continue;
    try {
      await cancel(runs, run, { runId: one.runId, reason: "superseded" });
    } catch (thrown) {
      if (!isAgentError(thrown, "run-not-found")) throw thrown;
    }
  }
}

async function mayChange(run: Run, { steps }: Plan): Promise<boolean> {
  for (const step of steps) {
    if (
      !callsTool(step)
        ? "ask" in step.wait
        : !(await isSurelyPure(step, run.settings.tools.get(step.tool) as DefinedTool))
    )
      return true;
  }
  return false;
}
