// Writes format-<number>.db.gz beside this file: a database as this version of planwright leaves it behind, with a run in each
// state that one can be in. Run it once for a release that has changed the format: npx tsx test/adapters/sqlite/formats/write-fixture.ts
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { upgrades } from "../../../../src/adapters/sqlite/formats.ts";
import { createSqliteRunStore } from "../../../../src/adapters/sqlite/sqlite-run-store.ts";
import { createSqliteTodos } from "../../../../src/adapters/sqlite/sqlite-todos.ts";
import { createAgent } from "../../../../src/agent.ts";
import type { PlanInput } from "../../../../src/core/plan.ts";
import type { Planner } from "../../../../src/core/planner.ts";
import { createFaultyRunStore } from "../../../../src/testing/faulty-run-store.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";
import { createFixtureTools, type Trouble } from "./fixture-tools.ts";

const folder = mkdtempSync(join(tmpdir(), "planwright-fixture-"));
const path = join(folder, "runs.db");
const clock = createManualClock();
const runs = createSqliteRunStore({ path, now: () => clock.now() });
const todos = createSqliteTodos({ path });
let ids = 0;

/** A process of its own, which may die. */
function createProcess(trouble: Trouble = {}, planner?: Planner) {
  const store = createFaultyRunStore(runs);
  const tools = createFixtureTools(todos, trouble);
  const createId = () => `id-${++ids}`;
  return { store, agent: createAgent({ tools, store, clock, createId, planner, random: () => 1 }) };
}

/** Hangs until the run is aborted. */
const hang: Trouble[keyof Trouble] = ({ signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

const fail = () => {
  throw Object.assign(new Error("out of order"), { retryable: false });
};

const list = { id: "list", tool: "List", input: { count: 3 } } as const;
const steps = (tool: "Save" | "Pay" | "Ask"): PlanInput => ({
  steps: [list, { id: "act", tool, input: { value: { $ref: "list.numbers[1]" } } }],
});
const loop: PlanInput = {
  steps: [list, { id: "each", tool: "Save", forEach: "list.numbers", input: { value: { $ref: "item" } } }],
};

/** A run whose process dies in a call of a tool. */
async function killIn(tool: keyof Trouble, plan: PlanInput, runId: string, nth = 1): Promise<void> {
  let calls = 0;
  const process = createProcess({
    [tool]: () => {
      if (++calls < nth) return;
      process.store.crash();
      return new Promise(() => {});
    },
  });
  process.agent.start(plan, { runId });
  await process.store.crashed;
}

await createProcess().agent.run("Add milk to my list", { runId: "todo-milk", metadata: { user: "ada" } });
await createProcess().agent.run('Add "call \u{1F600}" to my list', { runId: "todo-call" });
await createProcess().agent.run("Complete milk", { runId: "todo-done" });
await createProcess().agent.execute(steps("Save"), { runId: "completed" });
await createProcess({ Save: fail }).agent.execute(steps("Save"), { runId: "failed" });
const undoing: PlanInput = {
  steps: [list, { id: "save", tool: "Save", input: { value: 1 } }, { id: "pay", tool: "Pay", input: { value: 1 } }],
};
await createProcess({ Pay: fail }).agent.execute(undoing, { runId: "undone", undoOnFailure: true });
await createProcess().agent.execute(steps("Ask"), { runId: "waiting" });
await killIn("Save", steps("Save"), "killed");
await killIn("Save", loop, "killed-in-loop", 2);
await killIn("Pay", steps("Pay"), "in-doubt");

const cancelling = new AbortController();
const cancelled = createProcess({ Save: () => cancelling.abort("enough") });
await cancelled.agent.execute(loop, { runId: "cancelled", signal: cancelling.signal });

const closed = createProcess({ Save: hang }).agent;
closed.start(steps("Save"), { runId: "interrupted" });
await clock.advance(1);
const closing = closed.close({ timeoutMs: 1_000 });
for (let turn = 0; turn < 100; turn++) {
  // What is loaded meanwhile takes time of the machine, not of the clock.
  await new Promise((resolve) => setTimeout(resolve, 20));
  await clock.advance(10);
}
await closing;

const unplanned = createProcess(
  {},
  {
    name: "dies",
    plan: () => {
      unplanned.store.crash();
      return new Promise(() => {});
    },
  },
);
unplanned.agent.start("Add bread to my list", { runId: "unplanned" });
await unplanned.store.crashed;

todos.close();
runs.close();
writeFileSync(
  new URL(`./format-${upgrades.length}.db.gz`, import.meta.url),
  gzipSync(readFileSync(path), { level: 9 }),
);
rmSync(folder, { recursive: true });
