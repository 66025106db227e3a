import { isRecord, type JsonValue, toJson } from "../../core/json.ts";
import { checkObject, failOption } from "../../core/option-tables.ts";
import { askingTool, readCallId } from "./call-id.ts";

/** The news in what `useChat` posts. @group Events */
export type PostedMessage =
  | {
      readonly type: "line";
      readonly line: string;
      /** The id of the message: the same if it is posted again, so make it part of the run's id. */
      readonly messageId: string;
    }
  | { readonly type: "answer"; readonly runId: string; readonly stepId: string; readonly answer: JsonValue }
  | {
      readonly type: "decision";
      readonly runId: string;
      /** For `approve` or `reject`. */
      readonly item:
        | { readonly kind: "plan"; readonly hash: string }
        | { readonly kind: "step"; readonly stepId: string; readonly iteration?: number; readonly hash: string };
      readonly approved: boolean;
      readonly reason?: string;
    };

const maxLineLength = 100_000;
const maxIdLength = 1_000;
const maxReasonLength = 2_000;
const maxAnswerBytes = 1_048_576;

/**
 * Reads what `useChat` of the AI SDK posts: the text of the last message if it is the user's, else the last decision in
 * it (`addToolApprovalResponse`) or answer (`addToolOutput` of `ask_question` with `{ answer }`). Nothing else of the
 * messages is used: the run is in the store. Throws `invalid-options` for any other body, and for a line above 100,000
 * characters, a reason above 2,000, an answer above 1 MiB, an id above 1,000.
 *
 * {@includeCode ../../../examples/39-ui-stream.ts}
 * @group Events
 */
export function readUIMessages(body: unknown): PostedMessage {
  checkObject("body", body, "{ messages: [ … ] }, as useChat posts it");
  const { messages } = body as { readonly messages?: unknown };
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isRecord(last) || !Array.isArray(last.parts))
    failOption("body.messages", messages, "the messages that useChat posts, the last of them with parts");
  const parts = last.parts.filter(isRecord);
  return last.role === "user" ? readLine(last.id, parts) : readReply(parts);
}

type Part = Readonly<Record<string, unknown>>;
const place = "body.messages.at(-1)";

function readLine(id: unknown, parts: readonly Part[]): PostedMessage {
  const other = parts.find(({ type }) => type === "file");
  if (other) failOption(`${place}.parts`, "file", "parts of type text: files cannot be read", true);
  const line = parts.map(({ type, text }) => (type === "text" && typeof text === "string" ? text : "")).join("\n");
  if (line.trim() === "" || line.length > maxLineLength)
    failOption(`${place}.parts`, `${line.length} characters`, `text of 1 to ${maxLineLength} characters`, true);
  return { type: "line", line: line.trim(), messageId: readText(id, `${place}.id`, maxIdLength) };
}

function readReply(parts: readonly Part[]): PostedMessage {
  const part = parts.findLast(isReply);
  if (part === undefined) {
    const replies = `with a response to an approval, or an output of ${askingTool}`;
    failOption(place, parts.at(-1), `a message of the user, or one ${replies}`);
  }
  const toolCallId = readText(part.toolCallId, `${place} toolCallId`, maxIdLength);
  const { runId, stepId, iteration } = readCallId(toolCallId) ?? failCallId(toolCallId);
  if (part.state === "output-available") {
    const answer = readAnswer(part.output);
    return { type: "answer", runId, stepId: stepId ?? failCallId(toolCallId), answer };
  }
  const { id, approved, reason } = part.approval as Part;
  const hash = readText(id, `${place} approval.id`, maxIdLength);
  if (typeof approved !== "boolean") failOption(`${place} approval.approved`, approved, "true or false");
  const item =
    stepId === undefined
      ? ({ kind: "plan", hash } as const)
      : ({ kind: "step", stepId, ...(iteration !== undefined && { iteration }), hash } as const);
  const given = reason === undefined ? {} : { reason: readText(reason, `${place} approval.reason`, maxReasonLength) };
  return { type: "decision", runId, item, approved, ...given };
}

/** Later steps of the message have the state of their results. */
function isReply({ state, toolName, approval }: Part): boolean {
  return state === "approval-responded" ? isRecord(approval) : state === "output-available" && toolName === askingTool;
}

function readAnswer(output: unknown): JsonValue {
  const answer = isRecord(output) ? output.answer : undefined;
  const json = answer === undefined ? undefined : toJson(answer, { maxBytes: maxAnswerBytes });
  if (json?.ok) return json.value;
  return failOption(
    `${place} output`,
    output,
    `{ answer: … }, at most 1 MiB of JSON${json ? `: ${json.issue.message}` : ""}`,
  );
}

function failCallId(toolCallId: string): never {
  failOption(`${place} toolCallId`, toolCallId, "the toolCallId that toUIMessageStream gave it", true);
}

function readText(text: unknown, option: string, maxLength: number): string {
  const isShort = typeof text === "string" && text.length <= maxLength;
  return isShort ? text : failOption(option, text, `text of at most ${maxLength} characters`);
}
