import type { DecisionNote } from "../../core/approval.ts";
import { type JsonObject, type JsonValue, toJson } from "../../core/json.ts";
import { checkOption, defined, failOption, type OptionTable, readOptions } from "../../core/option-tables.ts";
import { maxPlanBytes, namePattern, namePatternText } from "../../core/plan.ts";
import { type QuestionItem, questionId } from "../../core/question.ts";
import { type StepRef, stepRefOf } from "../../core/step.ts";
import type { InferToolInput, InferToolOutput, Tool } from "../../core/tool.ts";
import { noReason } from "../run/run-errors.ts";
import {
  type CommandOptions,
  checkName,
  type DecidingOptions,
  decidingOptions,
  readJsonObject,
} from "../run/run-options.ts";

/**
 * The subject of a decision: a pending approval of a run, an `approval-request` event, or the request that
 * `requestApproval` received, each unchanged. {@includeCode ../../../examples/10-approve-a-step.ts} @group Approval
 */
export type ApprovalItem =
  | {
      readonly kind: "approval" | "step";
      readonly stepId: string;
      /** Position of the iteration in its `forEach`, from 0. */
      readonly iteration?: number | undefined;
      readonly hash: string;
    }
  | { readonly kind: "plan-approval" | "plan"; readonly hash: string };

/** @inline */
interface DecisionNoteOptions {
  /** The person or system that decides: at most 200 characters, recorded as given. */
  by?: string | undefined;
  /** At most 2000 characters, recorded with the decision. */
  comment?: string | undefined;
}

/** Options of `approve`: a note, an input, and the options for resuming. @group Approval */
export type ApprovalOptions<TTool extends Tool = Tool> = DecidingOptions<TTool> &
  DecisionNoteOptions & {
    /** Replaces the input of the step: JSON, in which references are not resolved. */
    input?: InferToolInput<TTool> | undefined;
  };

/** Options of `reject`. @group Approval */
export type RejectionOptions<TTool extends Tool = Tool> = DecidingOptions<TTool> &
  DecisionNoteOptions & {
    /** Reason for the error message. @default `comment`, or "no reason given" */
    reason?: string | undefined;
  };

const noteOptions = { by: textUpTo(200), comment: textUpTo(2_000) } satisfies OptionTable<DecisionNoteOptions>;

const decisionOptions = {
  ...decidingOptions,
  ...noteOptions,
  input: { type: "any" },
  reason: { type: "text" },
} satisfies OptionTable<ApprovalOptions & RejectionOptions>;

export interface Decision extends DecisionNote {
  readonly ref: StepRef | undefined;
  readonly hash: string;
  readonly verdict: "approve" | "reject";
  readonly reason: string;
  /** Time of the decision in milliseconds since 1970 UTC. The decision may be received much later. */
  readonly atMs: number;
  readonly input?: JsonObject;
}

export function readDecision(
  verdict: Decision["verdict"],
  item: ApprovalItem,
  options: ApprovalOptions & RejectionOptions,
): CommandOptions & { readonly decision: Omit<Decision, "atMs"> } {
  const ref = placeOfItem(item);
  if (typeof item.hash !== "string" || !/^[\da-f]{64}$/.test(item.hash))
    failOption("item.hash", item.hash, "the 64 lowercase hex digits of the pending item's hash");
  const known = Object.keys(decisionOptions).filter((key) => key !== (verdict === "reject" ? "input" : "reason"));
  const settings = readOptions(decisionOptions, options, undefined, { known });
  const { by, comment, input, reason = comment ?? noReason, resume, thread, ...rest } = settings;
  const changed = input === undefined ? {} : { input: readInput(input, ref === undefined ? "plan" : "step") };
  return {
    decision: { verdict, ref, hash: item.hash, reason, ...defined({ by, comment }), ...changed },
    thread,
    resumes: resume,
    options: rest,
  };
}

export function readNote(note: DecisionNoteOptions): DecisionNote {
  return defined(readOptions(noteOptions, note));
}

function textUpTo(max: number) {
  const isShort = (value: unknown) => typeof value === "string" && value.length <= max;
  return { isValid: isShort, expected: `text of at most ${max} characters` };
}

export function readInput(input: unknown, kind: "step" | "plan"): JsonObject {
  if (kind === "plan") failOption("input", input, "left out: a plan is approved unchanged");
  return readJsonObject(input, "input", maxPlanBytes);
}

const items = "an approval in result.pending, or an approval-request event";

function placeOfItem(item: ApprovalItem): StepRef | undefined {
  const { kind } = (item ?? {}) as { readonly kind?: unknown };
  switch (kind) {
    case "plan-approval":
    case "plan":
      return undefined;
    case "approval":
    case "step": {
      const { stepId, iteration } = item as Extract<ApprovalItem, { stepId: string }>;
      checkName("item.stepId", stepId);
      checkOption({ type: "integer", min: 0 }, iteration, "item.iteration");
      return stepRefOf({ stepId, iteration });
    }
    default:
      return failOption("item", item, kind === "outcome" ? `${items} (for an unknown outcome, call settle)` : items);
  }
}

/**
 * Options of `settle`: exactly one of `output`, `retry` and `failed`, and the options for resuming.
 * @group Runs and results
 */
export type SettleOptions<TTool extends Tool = Tool> = DecidingOptions<TTool> & {
  /** Position of the iteration in its `forEach`, from 0. */
  iteration?: number | undefined;
  /** Output of the step, if it took effect. */
  output?: InferToolOutput<TTool> | undefined;
  /** True if the step did not take effect: it runs again, with the same idempotency key. */
  retry?: true | undefined;
  /** Reason for the failure, if the step did not take effect and must not run again. */
  failed?: string | undefined;
};

export type Settlement = { readonly output: unknown } | { readonly retry: true } | { readonly failed: string };

const settleOptions = {
  ...decidingOptions,
  iteration: { type: "integer", min: 0 },
  output: { type: "any" },
  retry: { type: "any" },
  failed: { type: "any" },
} satisfies OptionTable<SettleOptions>;

export function readSettleOptions(
  stepId: string,
  options: SettleOptions,
): CommandOptions & { readonly ref: StepRef; readonly settlement: Settlement } {
  checkName("stepId", stepId);
  const { iteration, output, retry, failed, resume, thread, ...rest } = readOptions(settleOptions, options);
  const given = ["output", "retry", "failed"].filter((key) => Object.hasOwn(options, key));
  const expected = `an object with exactly one of output, retry and failed (here: ${given.join(" and ") || "none"})`;
  if (given.length !== 1) failOption("options", options, expected);
  if (given[0] === "retry" && retry !== true) failOption("retry", retry, "true");
  if (given[0] === "failed" && (typeof failed !== "string" || failed === "")) failOption("failed", failed, "a reason");
  const settlement: Settlement =
    given[0] === "retry" ? { retry: true } : given[0] === "failed" ? { failed: failed ?? "" } : { output };
  return { ref: stepRefOf({ stepId, iteration }), settlement, thread, resumes: resume, options: rest };
}

/** Options of `deliver`: an id, and the options for resuming. @group Runs and results */
export type DeliverOptions<TTool extends Tool = Tool> = DecidingOptions<TTool> & {
  /** Identifies the event, for example the id of a webhook. A second event with the same id is ignored. */
  id: string;
};

/** The question to answer: a pending item of kind `question`, unchanged, or the id of its step. @inline */
export type AnsweredItem = string | Pick<QuestionItem, "kind" | "stepId" | "id">;

/** The answer to a question. @inline */
export interface GivenAnswer {
  /** JSON that fits the `responseSchema` of the question, or the id of an option. */
  readonly answer: unknown;
}

export interface UnreadAnswer {
  readonly thread?: string | undefined;
  readonly stepId: string;
  readonly id: string;
  readonly answer: string | { readonly answer: JsonValue };
}

const answerOption = {
  answer(value, option): JsonValue {
    const json = value === undefined ? undefined : toJson(value, { maxBytes: 1_048_576 });
    if (json?.ok) return json.value;
    return failOption(option, value, `JSON of at most 1 MiB${json ? `: ${json.issue.message}` : ""}`);
  },
} satisfies OptionTable<GivenAnswer>;

export function readAnswer(
  runId: string,
  item: AnsweredItem,
  { answer, options }: { readonly answer: string | GivenAnswer; readonly options: DecidingOptions },
): CommandOptions & { readonly given: UnreadAnswer } {
  checkName("runId", runId);
  const isId = typeof item === "string";
  if (!isId && item?.kind !== "question")
    failOption("item", item, 'an item of result.pending of kind "question", or the id of its step');
  const stepId = isId ? item : item.stepId;
  checkName("item.stepId", stepId);
  if (!isId && typeof item.id !== "string") failOption("item.id", item.id, "the id of the pending question");
  const { resume, thread, ...rest } = readOptions(decidingOptions, options);
  const given = { thread, stepId, id: isId ? questionId(runId, stepId) : item.id };
  if (typeof answer === "string") return { given: { ...given, answer }, resumes: resume, options: rest };
  return { given: { ...given, answer: readOptions(answerOption, answer, "answer") }, resumes: resume, options: rest };
}

export interface NamedEvent {
  readonly name: string;
  readonly value: unknown;
  readonly id: string;
}

const deliverOptions = {
  id: (id, option): string => {
    const isText = typeof id === "string" && id !== "";
    return isText ? id : failOption(option, id, "text that identifies the event, such as the id of a webhook");
  },
  ...decidingOptions,
} satisfies OptionTable<DeliverOptions>;

export function readDelivery(
  runId: string,
  { name, value }: Omit<NamedEvent, "id">,
  options: DeliverOptions,
): CommandOptions & { readonly given: NamedEvent } {
  checkName("runId", runId);
  if (typeof name !== "string" || !namePattern.test(name))
    failOption("name", name, `the name of an event: ${namePatternText}`, true);
  const { id, resume, thread, ...rest } = readOptions(deliverOptions, options);
  return { given: { name, value, id }, thread, resumes: resume, options: rest };
}
