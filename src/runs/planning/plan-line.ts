import { countPending } from "../../async/promises.ts";
import { AgentError, isAgentError } from "../../core/errors.ts";
import type { TurnOutcome } from "../../core/events.ts";
import type { Plan, PlanFailure } from "../../core/plan.ts";
import type { PlanDraft, Planner, PlanRequest, Turn, TurnReader, TurnRequest } from "../../core/planner.ts";
import { toPlanningError } from "../../core/planner.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import type { ThreadListing, ThreadReader } from "../run/run.ts";

export type PlanOutcome = { readonly status: "completed"; readonly plan: Plan } | TurnOutcome;

interface Line {
  readonly thread: ThreadReader;
  readonly planner: Planner;
  readonly load: NonNullable<EngineSettings["loadTurns"]>;
  readonly needsPlan: boolean;
  toRequest(): PlanRequest;
  plan(thread: PlanRequest["thread"]): Promise<Plan>;
  complete(draft: PlanDraft): Promise<Plan>;
}

export async function planLine(line: Line): Promise<PlanOutcome> {
  const reader = await countPending(line.load());
  const listed = await line.thread.list();
  const [planned] = await Promise.allSettled([planOnce(line, reader, listed)]);
  const now = await line.thread.list();
  if (hasNews(listed, now)) return planOnce(line, reader, now);
  if (planned.status === "rejected") throw planned.reason;
  return planned.value;
}

function hasNews(before: ThreadListing, { earlier }: ThreadListing): boolean {
  const known = new Set(before.read.map(({ runId }) => runId));
  return earlier.some(({ runId }) => !known.has(runId));
}

async function planOnce(line: Line, reader: TurnReader, listed: ThreadListing): Promise<PlanOutcome> {
  const { request, tools, maxSteps, nowMs, timeZone, signal } = line.toRequest();
  const runs = await line.thread.read(listed);
  const turn: TurnRequest = { request, tools, maxSteps, nowMs, timeZone, signal, runs };
  const read = await reader.readTurn(turn);
  if (read.status === "plan") return { status: "completed", plan: await completeDraft(line, read.draft) };
  if (read.status === "request") return { status: "completed", plan: await planRequest(line, { reader, turn, read }) };
  if (line.needsPlan) throw noRequest(read);
  return read;
}

async function planRequest(
  line: Line,
  { reader, turn, read }: { reader: TurnReader; turn: TurnRequest; read: Extract<Turn, { status: "request" }> },
): Promise<Plan> {
  try {
    return await line.plan(read.thread);
  } catch (thrown) {
    const refusal = toPlanningError(line.planner, thrown);
    if (!isAgentError(refusal, "cannot-plan")) throw thrown;
    const draft = await reader.askAfter(turn, refusal);
    if (draft === undefined) throw thrown;
    const { code, message, details } = refusal;
    return completeDraft(line, draft, [...(details.failures ?? []), { planner: line.planner.name, code, message }]);
  }
}

function completeDraft(line: Line, { steps, source }: PlanDraft, failures?: readonly PlanFailure[]): Promise<Plan> {
  return line.complete({
    steps,
    source: { ...source, planner: source?.planner ?? "dialogue", ...(failures && { failures }) },
  });
}

function noRequest(read: Exclude<Turn, { readonly status: "request" | "plan" }>): AgentError<"cannot-plan"> {
  const base = { reason: "no-request", examples: [] } as const;
  switch (read.status) {
    case "words":
      return new AgentError("cannot-plan", "The line needs no plan: it is answered in words.", {
        details: { ...base, text: read.text },
      });
    case "answer":
    case "decline": {
      const { status, ...answers } = read;
      const does = status === "answer" ? "answers" : "declines to answer";
      const message = `The line ${does} the question "${read.stepId}" of run "${read.runId}": it needs no plan.`;
      return new AgentError("cannot-plan", message, { details: { ...base, answers } });
    }
    case "undo": {
      const { runId } = read;
      const message = `The line undoes run "${runId}": it needs no plan.`;
      return new AgentError("cannot-plan", message, { details: { ...base, undoes: { runId } } });
    }
    default:
      return read satisfies never;
  }
}
