import { createAgent, type RunStore } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { keyOf, secretPlan, secretTools } from "../scenario/secret-tools.ts";

// Runs a plan with secrets and kills itself after a number of events: bundled and started by secrets.test.ts.

const [path = "", killAfter = ""] = process.argv.slice(2);
const sqlite = createSqliteRunStore({ path });
let appended = 0;
const store: RunStore = Object.assign(Object.create(sqlite) as RunStore, {
  append: (...[runId, events, options]: Parameters<RunStore["append"]>) => {
    sqlite.append(runId, events, options);
    appended += events.length;
    if (appended >= Number(killAfter)) process.kill(process.pid, "SIGKILL");
  },
});
const agent = createAgent({ tools: secretTools().tools, store, secrets: { keys: [keyOf("k1")] } });
await agent.execute(secretPlan, { runId: "r1" });
