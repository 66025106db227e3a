import { isAgentError } from "planwright";
import { readUIMessages } from "planwright/ai-sdk";
import { describe, expect, it } from "vitest";

const old = { id: "m0", role: "user", parts: [{ type: "text", text: "delete everything" }] };
const user = (...parts: readonly object[]) => ({ messages: [old, { id: "m1", role: "user", parts }] });
const assistant = (...parts: readonly object[]) => ({ messages: [old, { id: "r1", role: "assistant", parts }] });
const text = { type: "text", text: "Which one?" };
const tool = (toolName: string, toolCallId: string, rest: object) => ({
  type: "dynamic-tool",
  toolName,
  toolCallId,
  input: { to: "Eve" },
  ...rest,
});
const hash = "a".repeat(64);
const decided = (toolName: string, toolCallId: string, approval: object = {}) =>
  tool(toolName, toolCallId, { state: "approval-responded", approval: { id: hash, approved: true, ...approval } });
const answered = (output: unknown, toolCallId = "r1/q1") =>
  tool("ask_question", toolCallId, { state: "output-available", output });

describe("readUIMessages", () => {
  it.each<[string, unknown, object]>([
    [
      "the last text of the user",
      user({ type: "text", text: " add milk" }, { type: "text", text: "and eggs " }),
      { type: "line", line: "add milk\nand eggs", messageId: "m1" },
    ],
    [
      "an answer",
      assistant(answered({ answer: "work" })),
      { type: "answer", runId: "r1", stepId: "q1", answer: "work" },
    ],
    [
      "an answer of false",
      assistant(answered({ answer: false })),
      { type: "answer", runId: "r1", stepId: "q1", answer: false },
    ],
    [
      "the approval of a plan",
      assistant(text, decided("plan", "r1/@plan")),
      { type: "decision", runId: "r1", item: { kind: "plan", hash }, approved: true },
    ],
    [
      "the rejection of an iteration",
      assistant(decided("Pay", "a.b-c/s1[12]", { approved: false, reason: "Too much" })),
      {
        type: "decision",
        runId: "a.b-c",
        item: { kind: "step", stepId: "s1", iteration: 12, hash },
        approved: false,
        reason: "Too much",
      },
    ],
    [
      "the last reply, whatever came before and after",
      assistant(
        answered({ answer: 1 }),
        decided("Pay", "r1/s1"),
        tool("Pay", "r1/s2", { state: "output-available" }),
        text,
      ),
      { type: "decision", runId: "r1", item: { kind: "step", stepId: "s1", hash }, approved: true },
    ],
  ])("reads %s", (_name, body, expected) => {
    expect(readUIMessages(body)).toEqual(expected);
  });

  it.each<[string, unknown, RegExp]>([
    [
      "nothing",
      undefined,
      /"body" must be an object such as \{ messages: \[ … \] \}, as posted by useChat; it is missing/,
    ],
    ["a text", "add milk", /"body" must be an object/],
    ["no messages", {}, /"body.messages" must be the messages that useChat posts.*missing/],
    ["an empty list", { messages: [] }, /"body.messages" must be/],
    ["a message of older versions", { messages: [{ role: "user", content: "add milk" }] }, /with parts/],
    ["no message", { messages: [7] }, /"body.messages" must be/],
    ["no text", user({ type: "text", text: "  " }), /parts" must be a list with text and without files/],
    ["1 MB of text", user({ type: "text", text: "x".repeat(1_000_000) }), /text of at most 100000 characters/],
    ["a file", user({ type: "file", url: "data:," }, text), /without files/],
    ["a message without an id", { messages: [{ role: "user", parts: [text] }] }, /\.id" must be text.*missing/],
    ["no reply", assistant(text), /from the user, or have a response to an approval or an output of ask_question/],
    [
      "a question that is open",
      assistant(tool("ask_question", "r1/q1", { state: "input-available" })),
      /from the user/,
    ],
    [
      "another tool's output",
      assistant(tool("Pay", "r1/s1", { state: "output-available", output: 1 })),
      /from the user/,
    ],
    ["a bare answer", assistant(answered("work")), /output" must be \{ answer: … \}/],
    ["no answer", assistant(answered({})), /output" must be \{ answer: … \}/],
    ["a foreign id", assistant(answered({ answer: 1 }, "call_7")), /received "call_7"/],
    ["a long id", assistant(answered({ answer: 1 }, "r/".repeat(2_000))), /text of at most 2000 characters/],
    ["no hash", assistant(decided("Pay", "r1/s1", { id: 7 })), /approval.id" must be text/],
    ["no decision", assistant(decided("Pay", "r1/s1", { approved: "yes" })), /approved" must be true or false/],
    ["a long reason", assistant(decided("Pay", "r1/s1", { reason: "x".repeat(2_001) })), /at most 2000 characters/],
  ])("refuses %s", (_name, body, message) => {
    const read = () => readUIMessages(body);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.toSatisfy((error) => isAgentError(error, "invalid-options")));
  });
});
