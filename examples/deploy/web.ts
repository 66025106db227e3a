import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { isAgentError } from "planwright";
import { createDbosClient } from "planwright/dbos";
import * as z from "zod/v4";
import { agent, store } from "./agent.ts";
import { settings } from "./settings.ts";

const { databaseUrl, port } = settings;
// Without a version: its runs are for the workers of the latest one.
const client = createDbosClient<typeof agent>({ databaseUrl, store });

const submission = z.object({ request: z.string(), runId: z.string().optional() });
const approval = z.object({ kind: z.literal("approval"), stepId: z.string(), hash: z.string() });

/** `POST /runs`, `GET /runs/<id>`, `POST /runs/<id>/approve` with an item of its `pending`. It runs no step. */
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
  if (route === "POST runs id approve") {
    await client.approve(runId ?? "", approval.parse(await json(request)));
    return { status: 202, body: { runId } };
  }
  return { status: 404, body: {} };
}

/** 503 is worth another try; 4xx is the caller's mistake. */
function failure(thrown: unknown): { status: number; body: unknown } {
  if (thrown instanceof z.ZodError || thrown instanceof SyntaxError) return { status: 400, body: thrown.message };
  if (!isAgentError(thrown) || thrown.code === "store-failed") return { status: 503, body: {} };
  return { status: thrown.code === "run-not-found" ? 404 : 409, body: thrown.toJSON() };
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
