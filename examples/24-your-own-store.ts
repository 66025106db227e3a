import {
  createAgent,
  createCalculator,
  createMemoryRunStore,
  digestAfter,
  type RunDigest,
  type RunStatus,
  type RunStore,
  runStatusAfter,
} from "planwright";
import { runStoreConformance } from "planwright/testing";

/** The table that a store keeps for its lists. */
const rows = new Map<string, { status: RunStatus; digest: RunDigest | undefined }>();

/** Stands for a database: the events themselves are kept in memory. */
function createTableStore({ now = Date.now }: { now?: () => number }): RunStore {
  const store = createMemoryRunStore({ now });
  const append = store.append.bind(store);
  store.append = async (runId, events, options) => {
    await append(runId, events, options);
    let { status = "planning", digest } = rows.get(runId) ?? {};
    for (const event of events) {
      status = runStatusAfter(event) ?? status;
      digest = digestAfter(digest, event);
    }
    rows.set(runId, { status, digest });
  };
  return store;
}

const agent = createAgent({ tools: [createCalculator()], store: createTableStore({}) });
await agent.run("Calculate 1 / 0", { runId: "r1", metadata: { user: "ada" } });
console.log(rows.get("r1")?.status, rows.get("r1")?.digest?.metadata, rows.get("r1")?.digest?.error?.code);

// In a test: for (const { name, run } of cases) it(name, run);
const cases = runStoreConformance({ createStore: createTableStore });
for (const { run } of cases) await run();
console.log(cases.length > 50, "all cases pass");
