import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import express, { type ErrorRequestHandler, type Response } from "express";
import { type AgentErrorCode, createAgent, describePlan, isAgentError, toEventStream } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { tools } from "./tools.ts";

const { DATABASE = "web.db", PORT = "3000" } = process.env;

const store = createSqliteRunStore({ path: DATABASE });
const agent = createAgent({
  tools,
  store,
  // A person reads each plan before it runs.
  needsApproval: ({ kind }) => kind === "plan",
  // How soon the runs of a process that was killed continue.
  leaseMs: 3_000,
});

// Continues runs that were cut off. It does nothing to those that wait for somebody, or that are active here.
const resumeRuns = () => agent.resumeAll().catch(console.error);
void resumeRuns();
const timer = setInterval(resumeRuns, 1_000);

const app = express();
// Put your sign-in here: anybody who reaches this server may ask and approve.
app.use(express.json(), express.static(join(import.meta.dirname, "public")));

// The page chooses the id, so that a request that is sent twice is one run.
app.put("/runs/:id", async (request, response) => {
  const runId = request.params.id;
  const text: unknown = request.body?.request;
  // An object would be taken for a plan.
  if (typeof text !== "string") return refuse(response, 400, "The body must be JSON with a request.");
  await agent.start(text, { runId }).recorded;
  return response.status(202).json({ runId });
});

app.get("/runs/:id", async (request, response) => {
  const run = await agent.getRun(request.params.id);
  if (run === undefined) return refuse(response, 404, "Unknown run.");
  const { status, plan, error } = run;
  return response.json({ status, error, plan: plan && describePlan(plan, { tools }) });
});

app.get("/runs/:id/events", async (request, response) => {
  const { id } = request.params;
  const after = Number(request.get("last-event-id") ?? 0);
  // A status other than 200 tells the browser not to try again.
  const events = agent.events(id, { after, follow: true });
  if ((await agent.getRun(id)) === undefined) return refuse(response, 404, "Unknown run.");
  response.set({ "content-type": "text/event-stream", "cache-control": "no-cache" }).flushHeaders();
  // It fails if the page was closed or the run was deleted. Neither needs an answer.
  return pipeline(toEventStream(events), response).catch(() => {});
});

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
