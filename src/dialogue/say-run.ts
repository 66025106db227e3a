import { type AgentErrorData, isAgentError } from "../core/errors.ts";
import type { PendingItem } from "../core/events.ts";
import { copyJson, isRecord, type JsonObject } from "../core/json.ts";
import { addTo } from "../core/lists.ts";
import type { PlanStep, QuestionOption } from "../core/plan.ts";
import type { QuestionItem } from "../core/question.ts";
import { describeRefusal, type RunSnapshot, type StepRecord, undoReasons } from "../core/run-result.ts";
import { callsTool, describeStepRef, describeWait, waitToolName } from "../core/step.ts";
import { cutText, textFrom } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { sayDate, yearAt } from "../dates/say-date.ts";
import { dependenciesOf, stepsNamedIn } from "../plan/references.ts";
import { sayNames } from "../plan/say-call.ts";
import { sayStep } from "../planners/rules/say.ts";
import { isInValues } from "./check-words.ts";
import { lookId } from "./focus.ts";
import { type DoneCall, onOneLine, sayOutput } from "./say-output.ts";
import { toolNamed } from "./things.ts";

/** A run without secrets and without values that `redact` hides. */
export interface SpokenRun
  extends Pick<RunSnapshot, "status" | "plan" | "steps" | "error" | "request" | "approvals" | "notUndone"> {
  readonly pending?: readonly (PendingItem | QuestionItem)[];
}

export interface Saying extends DateClock {
  readonly tools: readonly Tool[];
}

const maxSaid = 2_000;
const maxMessage = 500;
const maxRun = 10_000;
const maxItems = 10;

export function sayRun(run: SpokenRun, saying: Saying): string {
  const lines = [...sayDoneSteps(run, saying), ...sayState(run, saying)];
  if (run.plan?.source?.looks === true && run.status === "completed") lines.unshift("Nothing fits what you named.");
  const isEmpty = lines.length === 0 && run.plan !== undefined && run.status === "completed";
  return cutText(isEmpty ? "Nothing had to be done." : lines.join("\n"), maxRun);
}

export function sayDone(step: DoneCall, { tools, ...clock }: Saying, request?: string): string {
  const { input, output } = step;
  const tool = toolNamed(tools, step.tool);
  const own = tool && textFrom(() => tool.say?.(copyJson({ input, output })), maxSaid);
  const text = own === undefined ? "" : onOneLine(own, maxSaid);
  if (tool !== undefined && text !== "" && isInValues(text, { values: [input, output, request], tool, clock }))
    return text;
  return cutText(sayOutput(tools, step, clock), maxSaid);
}

function sayDoneSteps(run: SpokenRun, saying: Saying): readonly string[] {
  const feeding = findFeeding(run);
  const isHidden = ({ tool, stepId }: StepRecord) =>
    isUndone(run) || tool === waitToolName || feeding.has(stepId) || isLookUp(run, stepId);
  const isSaid = (step: StepRecord) => step.status === "undone" || (step.status === "completed" && !isHidden(step));
  const groups = new Map<string, StepRecord[]>();
  for (const step of run.steps.filter(isSaid)) addTo(groups, step.stepId, step);
  return [...groups.values()].map((steps) =>
    firstOf(steps, (step) =>
      step.status === "undone" ? `Undone: ${nameCall(step, saying)}.` : sayDone(step, saying, run.request),
    ).reduce((before, text) => `${before}${/[.!?]$/.test(before) ? "" : ";"} ${text}`),
  );
}

function isLookUp({ plan }: SpokenRun, stepId: string): boolean {
  return stepId === lookId && plan?.source?.looks !== true;
}

function firstOf<T>(items: readonly T[], sayItem: (item: T) => string): readonly string[] {
  const said = items.slice(0, maxItems).map(sayItem);
  return items.length > maxItems ? [...said, "…"] : said;
}

/** Finds reads whose outputs other steps have used. */
function findFeeding({ plan, steps }: SpokenRun): ReadonlySet<string> {
  const started = new Set(steps.filter(({ status }) => status !== "skipped").map(({ stepId }) => stepId));
  const usedBy = (step: PlanStep) =>
    dependenciesOf({ ...step, dependsOn: [] }, undefined, { stepIds: stepsNamedIn(step, { has: () => true }) });
  const used = new Set(plan?.steps.filter(({ id }) => started.has(id)).flatMap(usedBy));
  return new Set(
    steps.filter(({ stepId, effect }) => effect === "pure" && used.has(stepId)).map(({ stepId }) => stepId),
  );
}

function sayState(run: SpokenRun, saying: Saying): readonly string[] {
  const { status, error, steps, pending = [] } = run;
  if (status === "suspended") return firstOf(pending, (item) => sayPending(item, run, saying).join("\n"));
  if (error === undefined || status === "completed") return [];
  if (status === "interrupted") return ["The request was interrupted and can be continued later."];
  if (isAgentError(error, "cannot-plan")) return sayRefusal(error);
  if (isAgentError(error, "cancelled")) return sayCancelled(run, error.details.reason, saying);
  const refusal = describeRefusal(run);
  if (refusal !== undefined) return [say(`${refusal}.`)];
  const failed = steps.filter((step) => step.status === "failed" && step.error !== undefined);
  const said = firstOf(
    failed,
    (step) => `This failed: ${nameCall(step, saying)}. ${messageOf(step.error as AgentErrorData)}`,
  );
  return said.length > 0 ? [...new Set(said)] : [messageOf(error)];
}

function sayRefusal({ message, details }: AgentErrorData<"cannot-plan">): readonly string[] {
  const { proposals = [], examples } = details;
  const meanings = proposals.filter(({ asks }) => asks === undefined).map(({ text }) => `"${say(text)}"`);
  if (meanings.length > 0) return [say(message), `Did you mean ${meanings.join(" or ")}?`];
  const shown = examples.slice(0, 2).map((example) => `"${say(example)}"`);
  return [say(message), ...(shown.length > 0 ? [`For example: ${shown.join(" or ")}.`] : [])];
}

/** A description may contain the label: "booking 31: Patel, 4 people". */
function sayOption({ label, description = label }: QuestionOption): string {
  return say(description.includes(label) ? description : `${label}: ${description}`);
}

function isUndone({ error }: Pick<SpokenRun, "error">): boolean {
  return isAgentError(error, "cancelled") && error.details.reason === "undone";
}

function sayCancelled({ error, steps, notUndone = [] }: SpokenRun, reason: string, saying: Saying): readonly string[] {
  if (isUndone({ error }))
    return firstOf(notUndone, (left) => {
      const step = steps.find((one) => describeStepRef(one) === describeStepRef(left));
      return `Not undone: ${step === undefined ? left.tool : nameCall(step, saying)} (${undoReasons[left.reason]}).`;
    });
  if (reason.endsWith("declined")) return ["All right, leaving it as it is."];
  return [reason === "superseded" ? "The question was replaced by another request." : `Cancelled: ${say(reason)}`];
}

function sayPending(item: PendingItem | QuestionItem, { plan, steps }: SpokenRun, saying: Saying): readonly string[] {
  switch (item.kind) {
    case "question":
      return [say(item.message), ...(item.options ?? []).map((option, at) => `${at + 1} ${sayOption(option)}`)];
    case "approval":
      return [`Needs approval: ${nameCall(item, saying)}.`];
    case "plan-approval":
      return [
        `Needs approval: ${firstOf((plan?.steps ?? []).filter(callsTool), (step) => nameCall(step, saying)).join("; then ")}.`,
      ];
    case "wait": {
      const when = { timeZone: saying.timeZone, year: yearAt(saying.nowMs, saying.timeZone) };
      if (item.event !== undefined || item.until === undefined) return [`Waiting ${say(describeWait(item))}.`];
      return [`Waiting until ${sayDate(item.until, when)?.text ?? say(item.until)}.`];
    }
    case "outcome": {
      const step = steps.find((one) => describeStepRef(one) === describeStepRef(item));
      const call = step === undefined ? say(describeStepRef(item)) : nameCall(step, saying);
      return [`It is not known whether this was done: ${call}.`];
    }
    case "mismatch":
      return [`The request cannot continue here: ${say(item.reason)}`];
    case "given-up":
      return [`The request was given up: ${say(item.reason)}`];
    default:
      return item satisfies never;
  }
}

function nameCall({ tool: name, input }: DoneCall, { tools }: Saying): string {
  const tool = toolNamed(tools, name);
  if (tool === undefined || !isRecord(input)) return say(sayNames(name, {}));
  return say(sayStep(tool, input as JsonObject) ?? sayNames(name, input as JsonObject));
}

function messageOf(error: AgentErrorData): string {
  const thrown = isAgentError(error, "tool-failed") ? error.details.errors.at(-1) : undefined;
  return say((thrown ?? error).message);
}

function say(text: string): string {
  return onOneLine(text, maxMessage);
}
