import { type AgentErrorData, isAgentError } from "../core/errors.ts";
import type { PendingItem } from "../core/events.ts";
import { copyJson, isRecord, type JsonObject } from "../core/json.ts";
import type { PlanStep } from "../core/plan.ts";
import { describeRefusal, type RunSnapshot } from "../core/run-result.ts";
import { describeStepRef, describeWait, waitToolName } from "../core/step.ts";
import { cutText, textFrom } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import type { QuestionItem } from "../core/turn.ts";
import { sayDate, yearAt } from "../dates/say-date.ts";
import { dependenciesOf, stepsNamedIn } from "../plan/references.ts";
import { sayNames } from "../plan/say-call.ts";
import { sayStep } from "../planners/rules/say.ts";
import { isInValues } from "./check-words.ts";
import { type Clock, type DoneCall, onOneLine, sayOutput } from "./say-output.ts";
import { toolNamed } from "./things.ts";

/** A run as it is shown: with neither secrets nor what `redact` hides. */
export type SpokenRun = Pick<RunSnapshot, "status" | "plan" | "steps" | "error" | "request" | "approvals"> & {
  readonly pending?: readonly (PendingItem | QuestionItem)[];
};

export interface Saying extends Clock {
  readonly tools: readonly Tool[];
}

const maxSaid = 2_000;
const maxMessage = 500;
const maxRun = 10_000;
const maxIterations = 10;

const sentences = {
  nothingToDo: () => "Nothing had to be done.",
  more: () => "…",
  refused: (message: string) => message,
  didYouMean: (meanings: readonly string[]) => `Did you mean ${meanings.map(inQuotes).join(" or ")}?`,
  forExample: (examples: readonly string[]) => `For example: ${examples.map(inQuotes).join(" or ")}.`,
  failed: (call: string, message: string) => `This failed: ${call}. ${message}`,
  stopped: (message: string) => message,
  cancelled: (reason: string) => `Cancelled: ${reason}`,
  declined: () => "All right, it is left as it is.",
  superseded: () => "The question was dropped for another request.",
  interrupted: () => "It was interrupted and can be continued later.",
  undone: (call: string) => `Undone: ${call}.`,
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
  const { steps, request } = run;
  const groups = new Map<string, string[]>();
  const feeding = findFeeding(run);
  for (const step of steps) {
    const isSaid = step.tool !== waitToolName && !feeding.has(step.stepId);
    const text =
      step.status === "undone"
        ? sentences.undone(nameCall(step, saying))
        : step.status === "completed" && isSaid
          ? sayDone(step, saying, request)
          : undefined;
    if (text !== undefined) groups.set(step.stepId, [...(groups.get(step.stepId) ?? []), text]);
  }
  return [...groups.values()].map((texts) => {
    const more = texts.length > maxIterations ? [sentences.more()] : [];
    const said = [...texts.slice(0, maxIterations), ...more];
    return said.reduce((before, text) => `${before}${/[.!?]$/.test(before) ? "" : ";"} ${text}`);
  });
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
  if (status === "suspended") return pending.flatMap((item) => sayPending(item, run, saying));
  if (error === undefined || status === "completed") return [];
  if (status === "interrupted") return [sentences.interrupted()];
  if (isAgentError(error, "cannot-plan")) return sayRefusal(error);
  if (isAgentError(error, "cancelled")) return [sayCancelled(error.details.reason)];
  const refusal = describeRefusal(run);
  if (refusal !== undefined) return [sentences.stopped(say(`${refusal}.`))];
  const failed = steps.filter((step) => step.status === "failed" && step.error !== undefined);
  const said = failed.map((step) => sentences.failed(nameCall(step, saying), messageOf(step.error as AgentErrorData)));
  return said.length > 0 ? [...new Set(said)] : [sentences.stopped(messageOf(error))];
}

function sayRefusal({ message, details }: AgentErrorData<"cannot-plan">): readonly string[] {
  const { proposals = [], examples } = details;
  const asked = proposals.find(({ asks }) => asks !== undefined)?.asks?.text;
  const meanings = proposals.map(({ text }) => say(text));
  if (asked !== undefined) return [sentences.refused(say(message)), say(asked)];
  if (meanings.length > 0) return [sentences.refused(say(message)), sentences.didYouMean(meanings)];
  const shown = examples.slice(0, 2).map(say);
  return [sentences.refused(say(message)), ...(shown.length > 0 ? [sentences.forExample(shown)] : [])];
}

function sayCancelled(reason: string): string {
  if (reason === "declined") return sentences.declined();
  return reason === "superseded" ? sentences.superseded() : sentences.cancelled(say(reason));
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
      return [sentences.planApproval((plan?.steps ?? []).flatMap((step) => namePlanned(step, saying)))];
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

function namePlanned(step: PlanStep, saying: Saying): readonly string[] {
  return step.tool === undefined ? [] : [nameCall(step, saying)];
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
