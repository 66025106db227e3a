import { createAgent, createTodoStore } from "planwright";
import { type PostedMessage, readUIMessages, toUIMessageStream } from "planwright/ai-sdk";

const agent = createAgent({
  tools: [createTodoStore()],
  needsApproval: (asked) => asked.kind === "step" && asked.input.operation === "delete",
});

// On the page: useChat({ sendAutomaticallyWhen: (chat) => lastAssistantMessageIsCompleteWithApprovalResponses(chat) ||
// lastAssistantMessageIsCompleteWithToolCalls(chat) }). You know who is signed in, and so the thread.
async function POST(request: Request, thread: string): Promise<Response> {
  const posted = readUIMessages(await request.json());
  const { runId, recorded } = reply(posted, thread);
  await recorded;
  const headers = { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
  return new Response(toUIMessageStream(agent, runId, { since: posted }), { headers });
}

function reply(posted: PostedMessage, thread: string) {
  // The same message is the same run, however often it is posted.
  if (posted.type === "line") return agent.start(posted.line, { thread, runId: `${thread}.${posted.messageId}` });
  const { runId } = posted;
  if (posted.type === "answer") return agent.answer(runId, posted.stepId, { answer: posted.answer }, { thread });
  const { item, approved, reason } = posted;
  return approved ? agent.approve(runId, item, { thread }) : agent.reject(runId, item, { thread, reason });
}

// What the page posts, and gets.
const lines = ["add milk and eggs", "make it high", "eggs", "delete milk"];
for (const [index, text] of lines.entries()) {
  const messages = [{ id: `m${index}`, role: "user", parts: [{ type: "text", text }] }];
  const request = new Request("http://localhost/chat", { method: "POST", body: JSON.stringify({ messages }) });
  const stream = await (await POST(request, "ada")).text();
  console.log(`> ${text}`);
  for (const [, chunk = ""] of stream.matchAll(/^data: (\{.*\})$/gm)) {
    const { type, delta = "", toolName = "" } = JSON.parse(chunk);
    if (/delta|input|request/.test(type)) console.log(type, delta || toolName);
  }
}
