import { startDbosWorker } from "planwright/dbos";
import { agent } from "./agent.ts";
import { settings } from "./settings.ts";

const { databaseUrl, concurrency, version } = settings;
const worker = await startDbosWorker(agent, { databaseUrl, concurrency, version });
console.log("ready");

// Once: a second signal ends the process at once.
process.once("SIGTERM", async () => {
  await worker.stop({ timeoutMs: 10_000 });
  process.exit();
});
