import { type AgentErrorData, isAgentError } from "../core/errors.ts";
import type { PendingItem } from "../core/events.ts";
import { copyJson, isRecord, type JsonObject } from "../core/json.ts";
import { addTo } from "../core/lists.ts";
import type { PlanStep } from "../core/plan.ts";
import type { QuestionItem } from "../core/question.ts";
import { describeRefusal, type RunSnapshot, type StepRecord } from "../core/run-result.ts";
import { callsTool, describeStepRef, describeWait, waitToolName } from "../core/step.ts";
import { cutText, textFrom } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { sayDate, yearAt } from "../dates/say-date.ts";
import { dependenciesOf, stepsNamedIn } from "../plan/references.ts";
import { sayNames } from "../plan/say-call.ts";
import { sayStep } from "../planners/rules/say.ts";
import { isInValues } from "./check-words.ts";
import { lookId } from "./questions.ts";
import { type DoneCall, onOneLine, sayOutput } from "./say-output.ts";
import { toolNamed } from "./things.ts";

/** A run as it is shown: with neither secrets nor what `redact` hides. */
export type SpokenRun = Pick<
  RunSnapshot,
  "status" | "plan" | "steps" | "error" | "request" | "approvals" | "notUndone"
> & {
  readonly pending?: readonly (PendingItem | QuestionItem)[];
};

export interface Saying extends DateClock {
  readonly tools: readonly Tool[];
}

const maxSaid = 2_000;
const maxMessage = 500;
const maxRun = 10_000;
const maxItems = 10;

const sentences = {
  notFound: () => "Nothing fits what you named.",
  nothingToDo: () => "Nothing had to be done.",
  more: () => "…",
  didYouMean: (meanings: readonly string[]) => `Did you mean ${meanings.map(inQuotes).join(" or ")}?`,
  forExample: (examples: readonly string[]) => `For example: ${examples.map(inQuotes).join(" or ")}.`,
  failed: (call: string, message: string) => `This failed: ${call}. ${message}`,
  cancelled: (reason: string) => `Cancelled: ${reason}`,
  declined: () => "All right, it is left as it is.",
  superseded: () => "The question was dropped for another request.",
  interrupted: () => "It was interrupted and can be continued later.",
  undone: (call: string) => `Undone: ${call}.`,
  notUndone: (call: string) => `Not undone: ${call}.`,
  option: (number: number, label: string) => `${number} ${label}`,
  approval: (call: string) => `Needs approval: ${call}.`,
  planApproval: (calls: readonly string[]) => `Needs approval: ${calls.join("; then ")}.`,
  until: (time: string) => `Waiting until ${time}.`,
  event: (wait: string) => `Waiting ${wait}.`,
  unknown: (call: string) => `It is not known whether this was done: ${call}.`,
  mismatch: (reason: string) => `It cannot continue here: ${reason}`,
  givenUp: (reason: string) => `It was given up: ${reason}`,
};

/** Says a run in sentences, one a line: what its steps have done, then what it waits for or the reason why it ended. */
export function sayRun(run: SpokenRun, saying: Saying): string {
  const lines = [...sayDoneSteps(run, saying), ...sayState(run, saying)];
  if (run.plan?.source?.looks === true && run.status === "completed") lines.unshift(sentences.notFound());
  const isEmpty = lines.length === 0 && run.plan !== undefined && run.status === "completed";
  return cutText(isEmpty ? sentences.nothingToDo() : lines.join("\n"), maxRun);
}

/** Says the outcome of a step in the words of its tool, or from its output if these are missing or not true to it. */
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
  const isSaid = ({ status, tool, stepId }: StepRecord) =>
    status === "undone" ||
    (status === "completed" && tool !== waitToolName && !feeding.has(stepId) && !isLookUp(run, stepId));
  const groups = new Map<string, StepRecord[]>();
  for (const step of run.steps.filter(isSaid)) addTo(groups, step.stepId, step);
  return [...groups.values()].map((steps) =>
    firstOf(steps, (step) =>
      step.status === "undone" ? sentences.undone(nameCall(step, saying)) : sayDone(step, saying, run.request),
    ).reduce((before, text) => `${before}${/[.!?]$/.test(before) ? "" : ";"} ${text}`),
  );
}

/** True for a list that was looked up for other steps. */
function isLookUp({ plan }: SpokenRun, stepId: string): boolean {
  return stepId === lookId && plan?.source?.looks !== true;
}

function firstOf<T>(items: readonly T[], sayItem: (item: T) => string): readonly string[] {
  const said = items.slice(0, maxItems).map(sayItem);
  return items.length > maxItems ? [...said, sentences.more()] : said;
}

/** The reads whose outputs other steps have used. */
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
  if (status === "interrupted") return [sentences.interrupted()];
  if (isAgentError(error, "cannot-plan")) return sayRefusal(error);
  if (isAgentError(error, "cancelled")) return sayCancelled(run, error.details.reason, saying);
  const refusal = describeRefusal(run);
  if (refusal !== undefined) return [say(`${refusal}.`)];
  const failed = steps.filter((step) => step.status === "failed" && step.error !== undefined);
  const said = firstOf(failed, (step) =>
    sentences.failed(nameCall(step, saying), messageOf(step.error as AgentErrorData)),
  );
  return said.length > 0 ? [...new Set(said)] : [messageOf(error)];
}

function sayRefusal({ message, details }: AgentErrorData<"cannot-plan">): readonly string[] {
  const { proposals = [], examples } = details;
  const meanings = proposals.filter(({ asks }) => asks === undefined).map(({ text }) => say(text));
  if (meanings.length > 0) return [say(message), sentences.didYouMean(meanings)];
  const shown = examples.slice(0, 2).map(say);
  return [say(message), ...(shown.length > 0 ? [sentences.forExample(shown)] : [])];
}

function sayCancelled({ steps, notUndone = [] }: SpokenRun, reason: string, saying: Saying): readonly string[] {
  if (reason === "undone" && steps.some(({ status }) => status === "undone" || status === "completed"))
    return firstOf(notUndone, (left) => {
      const step = steps.find((one) => describeStepRef(one) === describeStepRef(left));
      return sentences.notUndone(step === undefined ? left.tool : nameCall(step, saying));
    });
  if (reason.endsWith("declined")) return [sentences.declined()];
  return [reason === "superseded" ? sentences.superseded() : sentences.cancelled(say(reason))];
}

function sayPending(item: PendingItem | QuestionItem, { plan, steps }: SpokenRun, saying: Saying): readonly string[] {
  switch (item.kind) {
    case "question":
      return [
        say(item.message),
        ...(item.options ?? []).map(({ label }, index) => sentences.option(index + 1, say(label))),
      ];
    case "approval":
      return [sentences.approval(nameCall(item, saying))];
    case "plan-approval":
      return [sentences.planApproval(firstOf((plan?.steps ?? []).filter(callsTool), (step) => nameCall(step, saying)))];
    case "wait": {
      const when = { timeZone: saying.timeZone, year: yearAt(saying.nowMs, saying.timeZone) };
      if (item.event !== undefined || item.until === undefined) return [sentences.event(say(describeWait(item)))];
      return [sentences.until(sayDate(item.until, when)?.text ?? say(item.until))];
    }
    case "outcome": {
      const step = steps.find((one) => describeStepRef(one) === describeStepRef(item));
      return [sentences.unknown(step === undefined ? say(describeStepRef(item)) : nameCall(step, saying))];
    }
    case "mismatch":
      return [sentences.mismatch(say(item.reason))];
    case "given-up":
      return [sentences.givenUp(say(item.reason))];
    default:
      return item satisfies never;
  }
}

function nameCall(
  { tool: name, input }: { readonly tool: string; readonly input: unknown },
  { tools }: Saying,
): string {
  const tool = toolNamed(tools, name);
  if (tool === undefined || !isRecord(input)) return say(sayNames(name, {}));
  return say(sayStep(tool, input as JsonObject) ?? sayNames(name, input as JsonObject));
}

/** The words of the tool, without which step it was. */
function messageOf(error: AgentErrorData): string {
  const thrown = isAgentError(error, "tool-failed") ? error.details.errors.at(-1) : undefined;
  return say((thrown ?? error).message);
}

function say(text: string): string {
  return onOneLine(text, maxMessage);
}

function inQuotes(text: string): string {
  return `"${text}"`;
}
