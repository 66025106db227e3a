import { expect, it } from "vitest";
import { startExample } from "../../scenario/start-example.ts";
import { freePort } from "../postgres/embedded-server.mjs";
import { usePostgres } from "../postgres/postgres-server.ts";

const server = usePostgres();

it("the application of examples/deploy runs a request, waits for approval, and ends when it is told to", async () => {
  const DATABASE_URL = await server.newDatabase();
  const PORT = String(await freePort());
  const [web, worker] = await Promise.all([
    startExample("deploy/web.ts", { DATABASE_URL, PORT }),
    startExample("deploy/worker.ts", { DATABASE_URL, CONCURRENCY: "2", VERSION: "" }),
  ]);
  const ask = async (path: string, body?: object) => {
    const init = body && { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${PORT}${path}`, init);
    return { status: response.status, body: (await response.json()) as { readonly pending?: readonly object[] } };
  };
  const runs = async () => (await ask("/runs/r1")).body;
  const request = "Write a report on tea, then send a letter to Ada";
  expect(await ask("/runs", { request, runId: "r1" })).toEqual({ status: 202, body: { runId: "r1" } });
  expect(await ask("/runs", { request: "Write a report on milk", runId: "r1" })).toMatchObject({ status: 409 });
  expect(await ask("/runs", {})).toMatchObject({ status: 400 });
  expect(await ask("/runs/none")).toMatchObject({ status: 404 });
  await expect.poll(runs).toMatchObject({ status: "suspended" });
  const [item] = (await runs()).pending ?? [];
  expect(await ask("/runs/r1/approve", item)).toMatchObject({ status: 202 });
  await expect.poll(runs).toMatchObject({ status: "completed", output: "A letter to Ada was sent" });
  expect(await Promise.all([web.stop(), worker.stop()])).toEqual([0, 0]);
});
