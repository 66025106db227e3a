import {
  AbstractChat,
  type ChatState,
  DefaultChatTransport,
  type DynamicToolUIPart,
  isDynamicToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from "ai";
import { createAgent, defineTool } from "planwright";
import { type PostedMessage, readUIMessages, toUIMessageStream } from "planwright/ai-sdk";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

/** The state of `useChat`, without a page. */
class PlainState implements ChatState<UIMessage> {
  status: ChatState<UIMessage>["status"] = "ready";
  error: Error | undefined;
  messages: UIMessage[] = [];
  pushMessage = (message: UIMessage) => void this.messages.push(message);
  popMessage = () => void this.messages.pop();
  replaceMessage = (index: number, message: UIMessage) => void this.messages.splice(index, 1, this.snapshot(message));
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

class PlainChat extends AbstractChat<UIMessage> {}

/** An agent behind a route, and the AI SDK's own chat in front of it, which posts replies by itself. */
function setUp({ needsPlanApproval = false } = {}) {
  const calls: unknown[] = [];
  const book = defineTool({
    name: "Book",
    description: "Books a table",
    inputSchema: z.object({ name: z.string(), people: z.int().min(1) }),
    outputSchema: z.object({ booking: z.number(), name: z.string(), people: z.number() }),
    needsApproval: true,
    phrases: ["book a table for {name}[ for {people} people]"],
    say: ({ output }) => `Booked for ${output.name}, ${output.people} people.`,
    execute(input, { progress }) {
      progress("ringing up");
      calls.push(input);
      return { booking: calls.length, ...input };
    },
  });
  const agent = createAgent({ tools: [book], needsApproval: ({ kind }) => needsPlanApproval && kind === "plan" });
  const posts: PostedMessage[] = [];
  const reply = (posted: PostedMessage, thread: string) => {
    if (posted.type === "line") return agent.start(posted.line, { thread, runId: `${thread}.${posted.messageId}` });
    const { runId } = posted;
    if (posted.type === "answer") return agent.answer(runId, posted.stepId, { answer: posted.answer }, { thread });
    const { item, approved, reason } = posted;
    return approved ? agent.approve(runId, item, { thread }) : agent.reject(runId, item, { thread, reason });
  };
  const route: typeof fetch = async (_url, init) => {
    const posted = readUIMessages(JSON.parse(String(init?.body)));
    posts.push(posted);
    const { runId, recorded } = reply(posted, "ada");
    await recorded;
    return new Response(toUIMessageStream(agent, runId, { since: posted }));
  };
  const errors: Error[] = [];
  let count = 0;
  const chat = new PlainChat({
    id: "chat",
    state: new PlainState(),
    generateId: () => `m${++count}`,
    transport: new DefaultChatTransport({ api: "http://localhost/chat", fetch: route }),
    sendAutomaticallyWhen: (one) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(one) || lastAssistantMessageIsCompleteWithToolCalls(one),
    onError: (error) => errors.push(error),
  });
  const open = () => {
    const part = chat.lastMessage?.parts.filter(isDynamicToolUIPart).at(-1);
    if (part === undefined) throw new Error("The message has no tool.");
    return part;
  };
  const approve = (approved: boolean, reason?: string) =>
    chat.addToolApprovalResponse({ id: open().approval?.id ?? "", approved, ...(reason && { reason }) });
  const answer = (output: unknown) =>
    chat.addToolOutput({ tool: "ask_question", toolCallId: open().toolCallId, output: output as never });
  /** The chat posts by itself, and nobody is told when that is done. */
  const settled = (state: DynamicToolUIPart["state"]) =>
    expect.poll(() => [chat.status, open().state, errors]).toEqual(["ready", state, []]);
  return { chat, agent, posts, calls, open, approve, answer, settled };
}

const textsOf = ({ parts }: UIMessage) => parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
const toolsOf = ({ parts }: UIMessage) =>
  parts.filter(isDynamicToolUIPart).map(({ toolName, toolCallId, state }) => `${toolName} ${toolCallId} ${state}`);

describe("the chat of the AI SDK", () => {
  it("asks the question, the approval, and shows the step in one message", async () => {
    const { chat, posts, calls, open, approve, answer, settled } = setUp();
    await chat.sendMessage({ text: "book a table for Ada" });
    await settled("input-available");
    expect(open()).toMatchObject({
      toolName: "ask_question",
      toolCallId: "ada.m1/q1",
      input: { message: expect.any(String), display: "text", allowText: true },
    });
    await answer({ answer: 4 });
    await settled("approval-requested");
    expect(open()).toMatchObject({ toolName: "Book", input: { name: "Ada", people: 4 } });
    expect(calls).toEqual([]);
    await approve(true);
    await settled("output-available");
    expect(calls).toEqual([{ name: "Ada", people: 4 }]);
    expect(chat.messages).toHaveLength(2);
    const [, message] = chat.messages as [UIMessage, UIMessage];
    expect(message.id).toBe("ada.m1");
    expect(toolsOf(message)).toEqual(["ask_question ada.m1/q1 output-available", "Book ada.m1/s1 output-available"]);
    expect(open()).toMatchObject({ output: { booking: 1, name: "Ada", people: 4 }, approval: { approved: true } });
    expect(textsOf(message).at(-1)).toBe("Booked for Ada, 4 people.");
    expect(message.parts.filter(({ type }) => type === "data-plan")).toHaveLength(1);
    expect(posts.map(({ type }) => type)).toEqual(["line", "answer", "decision"]);
  });

  it("approves a plan, and refuses its step with a reason", async () => {
    const { chat, agent, posts, calls, open, approve, settled } = setUp({ needsPlanApproval: true });
    await chat.sendMessage({ text: "book a table for Ada for 3 people" });
    await settled("approval-requested");
    expect(open()).toMatchObject({ toolName: "plan", input: { steps: [{ tool: "Book" }] } });
    await approve(true);
    await expect.poll(() => open().toolName).toBe("Book");
    await settled("approval-requested");
    await approve(false, "She is away");
    await settled("output-denied");
    expect(calls).toEqual([]);
    expect(toolsOf(chat.messages[1] as UIMessage)).toEqual([
      "plan ada.m1/@plan output-available",
      "Book ada.m1/s1 output-denied",
    ]);
    expect(await agent.getRun("ada.m1")).toMatchObject({
      status: "failed",
      error: { details: { reason: "She is away" } },
    });
    expect(posts).toHaveLength(3);
  });

  it("types the answer, whose message then goes on with what the run still asks", async () => {
    const { chat, calls, open, approve, settled } = setUp();
    await chat.sendMessage({ text: "book a table for Ada" });
    await chat.sendMessage({ text: "4" });
    await settled("approval-requested");
    expect(open().toolCallId).toBe("ada.m1/s1");
    await approve(true);
    await settled("output-available");
    expect(calls).toEqual([{ name: "Ada", people: 4 }]);
    expect(chat.messages.map(({ id }) => id)).toEqual(["m1", "ada.m1", "m3", "ada.m3"]);
    expect(textsOf(chat.messages[3] as UIMessage).at(-1)).toBe("Booked for Ada, 4 people.");
  });

  it("shows a refusal and mere words as text, and does the same message once", async () => {
    const { chat, agent, posts } = setUp();
    await chat.sendMessage({ text: "fly to the moon" });
    expect(textsOf(chat.lastMessage as UIMessage)).toEqual([expect.stringMatching(/cannot be planned/)]);
    await chat.sendMessage({ text: "hello" });
    expect(textsOf(chat.lastMessage as UIMessage)).toEqual([expect.any(String)]);
    await chat.regenerate();
    expect(chat.messages).toHaveLength(4);
    expect(posts).toHaveLength(3);
    expect((await agent.listRuns({ thread: "ada" })).runs).toHaveLength(2);
  });
});
