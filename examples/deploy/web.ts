import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { type AgentErrorCode, type ApprovalItem, isAgentError } from "planwright";
import { createDbosClient } from "planwright/dbos";
import * as z from "zod/v4";
import { agent, store } from "./agent.ts";
import { settings } from "./settings.ts";

const { databaseUrl, port } = settings;
// Without a version: its runs are for the workers of the latest one.
const client = createDbosClient<typeof agent>({ databaseUrl, store });

const submission = z.object({ request: z.string(), runId: z.string().optional() });

/** `POST /runs`, `GET /runs/<id>`, `GET /approvals`, `POST /runs/<id>/approve` with the item of one. It runs no step. */
async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
  const [place, runId, verb] = (request.url ?? "").split("/").slice(1);
  const route = `${request.method} ${place} ${runId === undefined ? "" : "id"} ${verb ?? ""}`.trimEnd();
  if (route === "POST runs") {
    const { request: text, ...options } = submission.parse(await json(request));
    return { status: 202, body: await client.submit(text, options) };
  }
  if (route === "GET runs id") {
    const run = await agent.getRun(runId ?? "");
    return run === undefined ? { status: 404, body: {} } : { status: 200, body: run };
  }
  if (route === "GET approvals") return { status: 200, body: await agent.listPending({ kinds: "approval" }) };
  if (route === "POST runs id approve") {
    await client.approve(runId ?? "", (await json(request)) as ApprovalItem);
    return { status: 202, body: { runId } };
  }
  return { status: 404, body: {} };
}

/** The table of docs/errors.md: 4xx is the caller's mistake, 503 is worth another try. */
const statuses: Partial<Record<AgentErrorCode, number>> = {
  "invalid-options": 400,
  "invalid-request": 400,
  "unknown-tool": 400,
  "run-not-found": 404,
  "run-conflict": 409,
  "run-owned-elsewhere": 409,
  "resume-mismatch": 409,
  "plan-not-approved": 409,
  "approval-expired": 409,
  cancelled: 409,
  "cannot-plan": 422,
  "invalid-plan": 422,
  "invalid-tool-input": 422,
  "invalid-tool-output": 422,
  "limit-exceeded": 429,
  "store-failed": 503,
  interrupted: 503,
  "planning-failed": 503,
  timeout: 504,
};

function failure(thrown: unknown): { status: number; body: unknown } {
  if (thrown instanceof z.ZodError || thrown instanceof SyntaxError) return { status: 400, body: thrown.message };
  if (!isAgentError(thrown)) return { status: 500, body: {} };
  const status = statuses[thrown.code] ?? 500;
  return { status, body: status < 500 ? thrown.toJSON() : {} };
}

const server = createServer(async (request, response) => {
  const { status, body } = await answer(request).catch(failure);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
});
server.listen(port, () => console.log("listens on", port));

process.once("SIGTERM", async () => {
  await new Promise((resolve) => server.close(resolve));
  await client.close();
  process.exit();
});
