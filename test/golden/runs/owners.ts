import type { RunHandle } from "planwright";
import { failure, type GoldenRun, step, type World } from "../world.ts";

const slowPlan = { steps: [step("s", "Slow"), step("t", "Slow")] };

/** The process of a run sleeps until its lease is over, and another one takes the run. */
async function sleepAndLose(w: World, handle: RunHandle, asleepMs: number): Promise<void> {
  w.clock.setNow(w.clock.now() + asleepMs);
  w.note("it slept, and another process takes the run");
  await w.end(w.agent([w.tool("Slow", [{ returns: 2 }])]).resume("r"));
  await w.end(handle);
}

/** Leases, messages between processes, closing, stores that fail. */
export const owners: Readonly<Record<string, GoldenRun>> = {
  "lease-is-renewed": async (w) => {
    const tools = () => [w.tool("Slow", [{ afterMs: 25_000 }])];
    const handle = w.agent(tools()).start({ steps: [step("s", "Slow")] }, { runId: "r" });
    await w.clock.advance(20_000);
    const other = w.agent(tools());
    await w.end(other.resume("r"));
    await w.end(other.resumeAll());
    await w.end(handle);
  },

  "lease-is-lost-while-a-tool-runs": async (w) => {
    const agent = w.agent([w.tool("Slow", [{ hangs: true, stops: true }])], { leaseMs: 900 });
    const handle = agent.start(slowPlan, { runId: "r" });
    await w.clock.advance(100);
    await sleepAndLose(w, handle, 2_000);
  },

  "fence-is-checked-at-an-append": async (w) => {
    const agent = w.agent([w.tool("Slow", [{ afterMs: 200, returns: 1 }])], { leaseMs: 900 });
    const handle = agent.start(slowPlan, { runId: "r" });
    await w.clock.advance(100);
    await sleepAndLose(w, handle, 2_000);
  },

  "lease-is-checked-before-a-retry": async (w) => {
    const agent = w.agent([w.tool("Slow", [{ throws: failure("again") }, {}])], { leaseMs: 30_000 });
    const handle = agent.start(slowPlan, { runId: "r" });
    await w.clock.advance(500);
    await sleepAndLose(w, handle, 60_000);
  },

  "cancelled-from-elsewhere": async (w) => {
    const tools = () => [w.tool("Slow", [{ hangs: true, stops: true }])];
    const handle = w.agent(tools()).start(slowPlan, { runId: "r" });
    await w.clock.advance(1_000);
    const cancelled = w.agent(tools()).cancel("r", "from elsewhere");
    await w.end(handle);
    await w.end(cancelled);
  },

  "settled-from-elsewhere": async (w) => {
    const tools = () => [
      w.tool("Send", [{ hangs: true }], { effect: "once", timeoutMs: 100 }),
      w.tool("Slow", [{ afterMs: 20_000 }]),
    ];
    const steps = [
      step("s", "Send", { dependsOn: [] }),
      step("b", "Slow", { dependsOn: [] }),
      step("c", "Slow", { dependsOn: ["s"] }),
    ];
    const handle = w.agent(tools()).start({ steps }, { runId: "r", concurrency: 2 });
    await w.clock.advance(5_000);
    const settled = w.agent(tools()).settle("r", "s", { output: "sent" });
    await w.end(handle);
    await w.end(settled);
  },

  "message-to-a-dead-owner": async (w) => {
    const tools = () => [w.tool("Slow", [{ hangs: true }]), w.tool("Quick")];
    const dead = w.process(tools());
    dead.agent.start({ steps: [step("s", "Slow"), step("q", "Quick")] }, { runId: "r" });
    await w.clock.advance(1_000);
    const cancelled = w.agent(tools()).cancel("r", "no longer needed");
    await w.clock.advance(1_000);
    dead.store.crash();
    await w.died(dead);
    await w.end(w.agent(tools()).resume("r"));
    void cancelled.catch(() => {});
  },

  "closed-and-resumed": async (w) => {
    const tools = () => [
      w.tool("Stops", [{ hangs: true, stops: true }, { returns: 1 }]),
      w.tool("Ends", [{ afterMs: 1_000, returns: 2 }]),
    ];
    const steps = [step("a", "Stops", { dependsOn: [] }), step("b", "Ends", { dependsOn: [] }), step("c", "Ends")];
    const agent = w.agent(tools());
    const handle = agent.start({ steps }, { runId: "r", concurrency: 2, undoOnFailure: true });
    await w.clock.advance(100);
    await w.end(agent.close({ timeoutMs: 5_000 }));
    await w.end(handle);
    await w.end(agent.execute({ steps }, { runId: "refused" }));
    await w.end(w.agent([w.tool("Stops", [{ returns: 1 }]), ...tools().slice(1)]).resumeAll());
  },

  "closed-while-a-tool-hangs": async (w) => {
    const agent = w.agent([
      w.tool("Deaf", [{ hangs: true }]),
      w.tool("DeafOnce", [{ hangs: true }], { effect: "once" }),
    ]);
    const steps = [step("a", "Deaf", { dependsOn: [] }), step("b", "DeafOnce", { dependsOn: [] })];
    const handle = agent.start({ steps }, { runId: "r", concurrency: 2 });
    await w.clock.advance(100);
    await w.end(agent.close({ timeoutMs: 3_000 }));
    await w.end(handle);
    await w.end(w.agent([w.tool("Deaf"), w.tool("DeafOnce", [{}], { effect: "once" })]).resumeAll());
  },

  "store-fails-at-a-start": async (w) => {
    const { agent } = w.process(
      [w.tool("Any"), w.tool("Slow", [{ hangs: true, stops: true }])],
      {},
      { failAppends: [4] },
    );
    const steps = [
      step("s", "Slow", { dependsOn: [] }),
      step("a", "Any", { dependsOn: [] }),
      step("b", "Any", { dependsOn: ["a"] }),
    ];
    await w.end(agent.start({ steps }, { runId: "r", concurrency: 2, undoOnFailure: true }));
    await w.end(w.agent([w.tool("Any"), w.tool("Slow")]).resume("r"));
  },

  "store-fails-at-an-end": async (w) => {
    const { agent } = w.process([w.tool("Send", [{ returns: "sent" }], { effect: "once" })], {}, { failAppends: [3] });
    await w.end(agent.start({ steps: [step("s", "Send"), step("t", "Send")] }, { runId: "r" }));
    await w.end(w.agent([w.tool("Send", [{}], { effect: "once" })]).resume("r"));
  },

  "store-fails-at-once": async (w) => {
    const { agent } = w.process([w.tool("Any")], {}, { failAppends: [1] });
    await w.end(agent.start({ steps: [step("s", "Any")] }, { runId: "r" }));
  },

  "store-hangs-while-cancelled": async (w) => {
    const { agent, store } = w.process([w.tool("Slow", [{ afterMs: 100, returns: 1 }])]);
    const handle = agent.start(slowPlan, { runId: "r" });
    await w.clock.advance(50);
    store.hold();
    await w.clock.advance(100);
    handle.cancel("stop");
    await w.clock.advance(100);
    w.note("the store answers again");
    store.letGo();
    await w.end(handle);
  },

  "followed-from-elsewhere": async (w) => {
    const tools = () => [w.tool("Slow", [{ afterMs: 3_000, progress: ["half"], returns: 1 }])];
    const handle = w.agent(tools()).start(slowPlan, { runId: "r" });
    await w.clock.advance(1_000);
    const read = async () => {
      for await (const { sequence, type } of w.agent(tools()).events("r", { after: 1, follow: true })) {
        w.note(`read ${sequence} ${type}`);
      }
    };
    const reading = read();
    await w.end(handle);
    await w.end(reading);
  },
};
