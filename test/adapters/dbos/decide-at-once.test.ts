import { createDbosClient, type DbosClient } from "planwright/dbos";
import { expect, it, onTestFinished } from "vitest";
import { decideAtOnce } from "../../scenario/decide-at-once.ts";
import type { Decide } from "../../scenario/deciders.ts";
import { openStore, usePostgres } from "../postgres/postgres-server.ts";
import { newRuns, useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();

const clientDecider =
  (client: DbosClient): Decide =>
  ({ runId, item, verdict, by }) =>
    client[verdict](runId, item as never, { by }).then(
      () => ({}),
      ({ code, details }) => ({ code, decided: details?.decided }),
    );

it("one of two clients that decide at once decides, 200 times", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const other = createDbosClient({ databaseUrl });
  onTestFinished(() => other.close());
  await decideAtOnce(openStore(databaseUrl), [client, other].map(clientDecider));
});

it("a worker acts on the first decision, and both clients see how the run ends", async () => {
  const { databaseUrl, client } = await newRuns(server);
  const other = createDbosClient({ databaseUrl });
  onTestFinished(() => other.close());
  await startWorker({ databaseUrl }).ready;
  const deciders = [client, other].map(clientDecider);
  for (let round = 0; round < 5; round++) {
    const runId = `r${round}`;
    await client.submit({ steps: [{ id: "s0", tool: "Ask", input: {} }] }, { runId });
    const [item] = (await client.result(runId)).pending ?? [];
    const asked = { runId, item: item as never };
    const told = await Promise.all([
      deciders[0]?.({ ...asked, verdict: "approve", by: "ada" }),
      deciders[1]?.({ ...asked, verdict: "reject", by: "bob" }),
    ]);
    const winner = told.findIndex((one) => one?.code === undefined);
    expect(told[1 - winner]).toMatchObject({ code: "run-conflict", decided: { by: ["ada", "bob"][winner] } });
    const { status } = await (winner === 0 ? client : other).result(runId);
    expect(status).toBe(winner === 0 ? "completed" : "failed");
  }
});
