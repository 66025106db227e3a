import { isRecord } from "../../core/json.ts";
import { checkObject, failOption } from "../../core/option-tables.ts";

export const askingTool = "ask_question";
/** Id that stands for the plan. No step can have it. */
export const planStep = "@plan";

/** New part of what `useChat` posted: a line, an answer or a decision. @group Events */
export type PostedMessage =
  /** Make `messageId` part of the run's id: a message that is posted again has the same `messageId`. */
  | { readonly type: "line"; readonly line: string; readonly messageId: string }
  | { readonly type: "answer"; readonly runId: string; readonly stepId: string; readonly answer: unknown }
  | {
      readonly type: "decision";
      readonly runId: string;
      /** Item to pass to `approve` or `reject`. */
      readonly item:
        | { readonly kind: "plan"; readonly hash: string }
        | { readonly kind: "step"; readonly stepId: string; readonly iteration?: number; readonly hash: string };
      readonly approved: boolean;
      readonly reason?: string;
    };

/**
 * Reads the body that `useChat` posts: the text of the last message if it is the user's; otherwise its last decision
 * (`addToolApprovalResponse`) or answer (`addToolOutput` of `ask_question` with `{ answer }`). Other messages are
 * ignored, as the store has the run. Throws `invalid-options` for any other body, a line longer than 100,000
 * characters, and an id or reason longer than 2,000.
 *
 * {@includeCode ../../../examples/39-ui-stream.ts}
 * @group Events
 */
export function readUIMessages(body: unknown): PostedMessage {
  checkObject("body", body, "{ messages: [ … ] }, as posted by useChat");
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
  const line = parts
    .map(({ type, text }) => (type === "text" ? text : ""))
    .join("\n")
    .trim();
  if (line === "" || parts.some(({ type }) => type === "file"))
    failOption(`${place}.parts`, parts, "a list with text and without files");
  return { type: "line", line: readText(line, `${place}.parts`, 100_000), messageId: readText(id, `${place}.id`) };
}

function readReply(parts: readonly Part[]): PostedMessage {
  const isAnswer = ({ state, toolName }: Part) => state === "output-available" && toolName === askingTool;
  const part = parts.findLast((one) => one.state === "approval-responded" || isAnswer(one));
  if (part === undefined)
    failOption(place, parts.at(-1), `from the user, or have a response to an approval or an output of ${askingTool}`);
  const { runId, stepId, iteration } = readCallId(part.toolCallId);
  if (isAnswer(part)) {
    const { answer } = isRecord(part.output) ? part.output : {};
    if (answer === undefined) failOption(`${place} output`, part.output, "{ answer: … }");
    return { type: "answer", runId, stepId, answer };
  }
  const { id, approved, reason } = isRecord(part.approval) ? part.approval : {};
  const hash = readText(id, `${place} approval.id`);
  if (typeof approved !== "boolean") failOption(`${place} approval.approved`, approved, "true or false");
  const ofStep = { kind: "step", stepId, ...(iteration && { iteration: Number(iteration) }), hash } as const;
  const item = stepId === planStep ? ({ kind: "plan", hash } as const) : ofStep;
  const given = reason === undefined ? {} : { reason: readText(reason, `${place} approval.reason`) };
  return { type: "decision", runId, item, approved, ...given };
}

function readCallId(toolCallId: unknown) {
  const pattern = /^(?<runId>[\w.-]+)\/(?<stepId>@plan|[A-Za-z_][\w-]*)(?:\[(?<iteration>\d{1,9})\])?$/;
  const { groups } = pattern.exec(readText(toolCallId, `${place} toolCallId`)) ?? {};
  if (groups === undefined) failOption(`${place} toolCallId`, toolCallId, "an id from toUIMessageStream", true);
  return groups as { readonly runId: string; readonly stepId: string; readonly iteration?: string };
}

function readText(text: unknown, option: string, maxLength = 2_000): string {
  const isShort = typeof text === "string" && text.length <= maxLength;
  return isShort ? text : failOption(option, text, `text of at most ${maxLength} characters`);
}
