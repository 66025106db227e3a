import { writeSync } from "node:fs";
import { type Agent, createAgent, isAgentError, type PendingItem, type RunStore } from "planwright";
import { childWork, type WantedRun } from "./child-work.ts";
import { type Journal, openJournal } from "./journal.ts";
import { answers, killPlans } from "./kill-plans.ts";
import { createKillClock, createKillStore, createKillSwitch } from "./kill-switch.ts";
import { createKillTools } from "./kill-tools.ts";
import { openStore } from "./store-address.ts";

// A process that resumes the runs of those that were killed before it, and may be killed itself: bundled and started by
// start-child.ts, with its work in its arguments.

const pollMs = 20;

/** Whether this process was asked to end: its agent accepts no more runs. */
let isClosing = false;

function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Resumes the stored runs until all have ended. Waiting items are answered here. */
async function finishStored(agent: Agent, store: RunStore, { journal, settles }: Looking): Promise<void> {
  for (;;) {
    const resumed = await agent.resumeAll();
    for (const { error } of resumed) {
      if (error !== undefined && error.code !== "run-owned-elsewhere") throw new Error(error.message);
    }
    const { runs: suspended } = await store.list({ status: "suspended", limit: 1_000 });
    const answered = await Promise.all(suspended.map(({ runId }) => answer(agent, { runId, journal, settles })));
    const { runs: left } = await store.list({ status: ["planning", "running", "interrupted"], limit: 1 });
    if (left.length === 0 && !answered.includes(true)) return;
    // The leases of the previous process have not expired yet.
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** How waiting items are answered. */
interface Looking {
  readonly journal: Journal;
  readonly settles: boolean;
}

interface Answering extends Looking {
  readonly runId: string;
}

/**
 * Approves requests of a run, and settles steps in doubt by checking whether they took effect. Resolves to whether the
 * run may continue.
 */
async function answer(agent: Agent, { runId, settles, journal }: Answering): Promise<boolean> {
  try {
    for (let run = await agent.getRun(runId); run?.status === "suspended"; run = await agent.getRun(runId)) {
      const item = run.pending?.[0];
      if (item === undefined) throw new Error(`Run "${runId}" waits for nothing.`);
      if (item.kind === "outcome" && !settles) return false;
      await answerItem(agent, item, { runId, journal });
    }
  } catch (thrown) {
    // Another process owns it, or was faster.
    if (!isAgentError(thrown, "run-owned-elsewhere") && !isAgentError(thrown, "run-conflict")) throw thrown;
  }
  return true;
}

async function answerItem(
  agent: Agent,
  item: PendingItem,
  { runId, journal }: Pick<Answering, "runId" | "journal">,
): Promise<void> {
  if (item.kind === "approval") await agent.approve(runId, item).result;
  if (item.kind === "question") await agent.answer(runId, item, { answer: answers[item.stepId] }).result;
  if (item.kind !== "outcome") return;
  const { stepId, iteration } = item;
  const value = journal.findEffect(`${runId}/${stepId}${iteration === undefined ? "" : `[${iteration}]`}`);
  const settlement = value === undefined ? ({ retry: true } as const) : { output: { value } };
  await agent.settle(runId, stepId, { iteration, ...settlement }).result;
}

/** Starts the runs that are not stored yet; they end, or wait for somebody. */
async function startNew(agent: Agent, store: RunStore, runs: readonly WantedRun[]): Promise<void> {
  const start = async ({ runId, kind }: WantedRun): Promise<void> => {
    if ((await store.read(runId, { limit: 1 })).length > 0) return;
    const { plan, options } = killPlans[kind];
    try {
      await agent.execute(plan as Parameters<Agent["execute"]>[0], { ...options, runId });
    } catch (thrown) {
      // Another process has claimed it without recording anything yet, and may be dead.
      if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      return start({ runId, kind });
    }
  };
  await Promise.all(runs.map(start));
}

async function main(): Promise<void> {
  const work = childWork(process.argv);
  const { address, journalPath, generation, aheadMs, leaseMs, effectMs, killPoint, armed = "first" } = work;
  const { runs, earlierRuns, closeMs, settles = true } = work;
  const journal = openJournal(journalPath, generation);
  const killSwitch = createKillSwitch(killPoint);
  const opened = openStore(address, aheadMs);
  const store = createKillStore(opened, { journal, killSwitch });
  const tools = createKillTools({ journal, killSwitch, effectMs });
  const clock = createKillClock(journal);
  const agent: Agent = createAgent({ tools, store, leaseMs, clock });
  agent.on("step-retry", () => tell("retrying"));
  process.once("SIGTERM", () => {
    isClosing = true;
    tell("closing");
    agent.close({ timeoutMs: closeMs }).then(() => process.exit());
  });
  tell("ready");
  if (armed === "first") killSwitch.arm();
  await startNew(agent, store, earlierRuns);
  await finishStored(agent, store, { journal, settles });
  killSwitch.arm();
  await startNew(agent, store, runs);
  await opened.close();
  journal.close();
  tell("done");
}

main().catch((thrown) => {
  if (isClosing) return;
  console.error(thrown);
  process.exitCode = 1;
});
