import { it } from "vitest";
import { playOutage } from "../../long/workers/outage.ts";
import { usePostgres } from "../postgres/postgres-server.ts";
import { useWorkers } from "./worker-processes.ts";

const server = usePostgres();
const startWorker = useWorkers();

it("runs end as they should though the database is gone for a while", async () => {
  await playOutage({ server, startWorker, goneMs: 3_000, runCount: 24 });
});
