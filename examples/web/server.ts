import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import express, { type ErrorRequestHandler, type Response } from "express";
import { type AgentErrorCode, createAgent, describePlan, isAgentError } from "planwright";
import { type PostedMessage, readUIMessages, toUIMessageStream } from "planwright/ai-sdk";
import { createSqliteRunStore } from "planwright/sqlite";
import { tools } from "./tools.ts";

const { DATABASE = "web.db", PORT = "3000" } = process.env;

const store = createSqliteRunStore({ path: DATABASE });
const agent = createAgent({
  tools,
  store,
  // A person reads each plan that sends an invoice before it runs.
  needsApproval: (asked) => asked.kind === "plan" && asked.plan.steps.some(({ tool }) => tool === "Invoice"),
  // How soon the runs of a process that was killed continue.
  leaseMs: 3_000,
});

// Continues runs that were cut off. It does nothing to those that wait for somebody, or that are active here.
const resumeRuns = () => agent.resumeAll().catch(console.error);
void resumeRuns();
const timer = setInterval(resumeRuns, 1_000);

const app = express();
// Put your sign-in here: anybody who reaches this server may ask and approve. Each person has a thread of their own.
const thread = "main";
app.use(express.json(), express.static(join(import.meta.dirname, "public")));

// The page posts what useChat of the AI SDK posts, and reads the same stream.
app.post("/chat", async (request, response) => {
  const posted = readUIMessages(request.body);
  const { runId, recorded } = reply(posted);
  await recorded;
  return sendRun(response, runId, posted);
});

function reply(posted: PostedMessage) {
  // The page chooses the id of a message, so that one that is sent twice is one run.
  if (posted.type === "line") return agent.start(posted.line, { thread, runId: `${thread}.${posted.messageId}` });
  const { runId } = posted;
  if (posted.type === "answer") return agent.answer(runId, posted.stepId, { answer: posted.answer }, { thread });
  const { item, approved, reason } = posted;
  return approved ? agent.approve(runId, item, { thread }) : agent.reject(runId, item, { thread, reason });
}

app.get("/chat", async (_request, response) => {
  const { runs } = await agent.listRuns({ thread, limit: 20 });
  response.json(runs.toReversed().map(({ runId, request, updatedAt }) => ({ runId, request, updatedAt })));
});

app.get("/chat/:id", async (request, response) => {
  const { id } = request.params;
  if ((await agent.getRun(id, { thread })) === undefined) return refuse(response, 404, "Unknown run.");
  return sendRun(response, id);
});

function sendRun(response: Response, runId: string, since?: PostedMessage) {
  const headers = { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" };
  response.set({ ...headers, "cache-control": "no-cache" }).flushHeaders();
  // It fails if the page was closed or the run was deleted. Neither needs an answer.
  return pipeline(toUIMessageStream(agent, runId, { since }), response).catch(() => {});
}

app.get("/approvals", async (_request, response) => {
  const { items } = await agent.listPending({ kinds: ["approval", "outcome"], limit: 50 });
  response.json(items.map(({ steps, ...asked }) => ({ ...asked, plan: steps && describePlan({ steps }, { tools }) })));
});

app.post("/runs/:id/:decision", async (request, response) => {
  const { id, decision } = request.params;
  const { stepId, iteration } = request.body ?? {};
  if (decision === "approve" || decision === "reject") await agent[decision](id, request.body).recorded;
  // Only Invoice runs once, so the outcome is that of an invoice.
  else if (decision === "happened") await agent.settle(id, stepId, { iteration, output: { sent: true } }).recorded;
  else if (decision === "retry") await agent.settle(id, stepId, { iteration, retry: true }).recorded;
  else return refuse(response, 404, "Unknown decision.");
  return response.status(202).json({ runId: id });
});

app.use((_request, response) => void refuse(response, 404, "Unknown page."));

function refuse(response: Response, status: number, message: string) {
  return response.status(status).json({ message });
}

/** The table of docs/errors.md, as far as these routes need it. */
const statuses: Partial<Record<AgentErrorCode, number>> = {
  "invalid-options": 400,
  "invalid-request": 400,
  "run-not-found": 404,
  "run-conflict": 409,
  "run-owned-elsewhere": 409,
  "resume-mismatch": 409,
  "store-failed": 503,
  interrupted: 503,
};

// The fourth parameter tells Express that it is for errors.
const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = (isAgentError(error) ? statuses[error.code] : error?.status) ?? 500;
  if (status >= 500) console.error(error);
  refuse(response, status, status < 500 ? error.message : "Try again later.");
};
app.use(answerError);

const server = app.listen(Number(PORT), () => console.log(`http://localhost:${PORT}`));

process.once("SIGTERM", async () => {
  clearInterval(timer);
  server.close();
  await agent.close({ timeoutMs: 5_000 });
  store.close();
  process.exit();
});
