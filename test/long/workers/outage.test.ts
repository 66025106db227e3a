import { it } from "vitest";
import { useWorkers } from "../../adapters/dbos/worker-processes.ts";
import { usePostgres } from "../../adapters/postgres/postgres-server.ts";
import { playOutage } from "./outage.ts";

const server = usePostgres();
const startWorker = useWorkers();

it("runs end as they should though the database is gone for 30 s", async () => {
  await playOutage({ server, startWorker, goneMs: 30_000, runCount: 120 });
});
