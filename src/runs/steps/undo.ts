import { notInTime, settleWithin } from "../../async/timeout.ts";
import type { AgentError, AgentErrorData } from "../../core/errors.ts";
import type { EventInit, NotUndone } from "../../core/events.ts";
import { copyJson } from "../../core/json.ts";
import type { PlanStep } from "../../core/plan.ts";
import { instancesOf, isFailedInDoubt, type StepState } from "../../core/run-state.ts";
import { parseWith } from "../../core/schema.ts";
import { stepRefOf } from "../../core/step.ts";
import type { Run } from "../run/run.ts";
import { opened } from "../run/run-secrets.ts";
import { invalidInput, refOfTask, type StepCall, stepTimeout } from "../run/step-call.ts";
import { admit } from "./limits.ts";
import { type Executed, executeAdmitted, notCalled } from "./step.ts";

/** Undoes steps, beginning with the one that ended last. A step that cannot be undone does not stop the others. */
export async function undoSteps(run: Run): Promise<readonly NotUndone[]> {
  run.startUndoing();
  const notUndone: NotUndone[] = [];
  // A tool that threw counts as having done nothing, unless its step must run only once.
  const hasEffect = (step: StepState) => step.effect !== "pure" && (step.status === "completed" || isInDoubt(step));
  const ended = instancesOf(run.state.steps.values()).filter(hasEffect);
  ended.sort((one, other) => (other.endSequence ?? 0) - (one.endSequence ?? 0));
  for (const state of ended) {
    if (run.recorder.failure !== undefined) break;
    const reason = await undoStep(run, state);
    if (reason !== undefined) notUndone.push({ ...stepRefOf(state), tool: state.tool, reason });
  }
  return notUndone;
}

/** A step that was cut off, timed out or returned an invalid output may have taken effect. */
function isInDoubt(step: StepState): boolean {
  const { status, attempts, error } = step;
  if (status === "unknown" || isFailedInDoubt(step)) return true;
  if (attempts === 0) return false;
  if (status === "cancelled" || status === "interrupted") return true;
  if (error?.code !== "tool-failed") return error?.code === "timeout" || error?.code === "invalid-tool-output";
  const { errors, attempts: made } = error.details;
  // Errors from elsewhere may have other details, and only the first of many large errors are kept.
  return errors === undefined || errors.length < made || errors.some(({ code }) => code === "timeout");
}

async function undoStep(run: Run, state: StepState): Promise<NotUndone["reason"] | undefined> {
  const { stepId, iteration, input, output = null } = state;
  if (isInDoubt(state)) return "unknown";
  // The original run executed the step, with another idempotency key, and may need its effect.
  if (state.isTakenOver) return "forked";
  const tool = run.settings.tools.get(state.tool);
  if (tool?.undo === undefined) return "no-undo";
  // The secrets of the run cannot be opened here.
  if (run.hold !== undefined && run.secrets === undefined && run.state.mayBeSealed) return "failed";
  const step: PlanStep = { id: stepId, tool: tool.name, input };
  const pass = iteration === undefined ? undefined : { index: iteration, count: 0, item: null };
  const task = { step, tool, iteration: pass };
  const base = { ...refOfTask(task), tool: tool.name };
  await run.emit({ type: "undo-start", ...base });
  if (failureOf(run) !== undefined) return "failed";
  const undone = await undo(run, { ...task, input, effect: "idempotent", parsed: undefined, undone: { output } });
  const { attempts } = undone;
  const end = (error?: AgentErrorData): EventInit => {
    const outcome = error === undefined ? ({ status: "completed" } as const) : ({ status: "failed", error } as const);
    return { type: "undo-end", ...base, attempts, outcome };
  };
  const error = undone.outcome.status === "completed" ? undefined : undone.outcome.error;
  await run.emit(end(error));
  const failure = failureOf(run);
  if (failure !== undefined && run.phase !== "closed") run.recorder.emitUnrecorded(end(failure));
  return error === undefined && failure === undefined ? undefined : "failed";
}

/** Separate function, as TypeScript would keep its earlier narrowing after an `await`. */
function failureOf({ recorder }: Run): AgentErrorData | undefined {
  return recorder.failure?.toJSON() as AgentErrorData | undefined;
}

async function undo(run: Run, call: StepCall): Promise<Executed> {
  const { stepTimeoutMs, clock } = run.engine;
  const timeoutMs = call.tool.timeoutMs ?? stepTimeoutMs;
  // Nothing aborts this parsing, so an async schema must not block undoing.
  const parsing = Promise.resolve(parseWith(call.tool.inputSchema, copyJson(opened(run, call.input))));
  const parsed = await settleWithin(parsing, timeoutMs, clock);
  if (parsed === notInTime) return failed(stepTimeout(call, timeoutMs));
  if (!parsed.ok) return failed(invalidInput(call, parsed.issues));
  const admitted = await admit(run, call);
  if (admitted.type === "refused") return failed(admitted.error);
  if (admitted.type === "aborted") return notCalled(run);
  return executeAdmitted(run, { ...call, parsed: parsed.value }, admitted);
}

function failed(error: AgentError): Executed {
  return { outcome: { status: "failed", error: error.toJSON() }, attempts: 0 };
}
