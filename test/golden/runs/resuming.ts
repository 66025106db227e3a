import { type Agent, type RunResult, sensitive, type Tool } from "planwright";
import * as z from "zod/v4";
import { failure, type GoldenRun, step, World } from "../world.ts";

interface Killable {
  tools(w: World): readonly Tool[];
  readonly options?: Parameters<World["process"]>[1];
  /** Starts the run `r`. */
  start(agent: Agent): { readonly result: Promise<RunResult> };
  /** Acts on the run each time that it waits for somebody. */
  answer?(agent: Agent, result: RunResult): { readonly result: Promise<RunResult> } | undefined;
}

/** Kills a run after each of its appends, and has another process resume it. */
function killedAfterEachAppend({ tools, options, start, answer }: Killable): GoldenRun {
  return async (w) => {
    for (let append = 1; ; append++) {
      const one = new World(w.kind);
      const first = one.process(tools(one), options, { crashAfterAppend: append });
      const whole = start(first.agent).result.then(() => "ended" as const);
      const ended = await one.inTime(Promise.race([whole, first.store.crashed]));
      if (ended === "ended") break;
      const types = first.store.appends.at(-1)?.map(({ type }) => type);
      w.note(`killed after append ${append}: ${types?.join(", ")}`);
      const before = one.trace.length;
      await one.died(first);
      const agent = one.agent(tools(one), options);
      let result = await one.end(agent.resume("r"));
      for (let answers = 0; answers < 5 && result?.status === "suspended"; answers++) {
        const handle = answer?.(agent, result);
        if (handle === undefined) break;
        result = await one.end(handle.result);
      }
      w.trace.addAll(one.trace, before);
    }
  };
}

const approveFirst: Killable["answer"] = (agent, { runId, pending = [] }) => {
  const item = pending.find((one) => one.kind === "approval");
  return item && agent.approve(runId, item);
};

const list = (w: World) => w.tool("List", [{ returns: [1, 2] }], { effect: "pure" });

/** Runs that stop and are resumed: killed, failed, suspended, forked. */
export const resuming: Readonly<Record<string, GoldenRun>> = {
  "killed-anywhere-retries-and-loop": killedAfterEachAppend({
    tools: (w) => [list(w), w.tool("Each", [{ throws: failure("again") }, { returns: "done" }])],
    start: (agent) => agent.start({ steps: [step("l", "List"), step("e", "Each", { forEach: "l" })] }, { runId: "r" }),
  }),

  "killed-anywhere-once": killedAfterEachAppend({
    tools: (w) => [w.tool("Read", [{ returns: 1 }]), w.tool("Send", [{ returns: "sent" }], { effect: "once" })],
    start: (agent) => agent.start({ steps: [step("a", "Read"), step("s", "Send"), step("b", "Read")] }, { runId: "r" }),
    answer: (agent, { runId }) => agent.settle(runId, "s", { output: "sent, says the shop" }),
  }),

  "killed-anywhere-parallel": killedAfterEachAppend({
    tools: (w) => [w.tool("A", [{ afterMs: 20, returns: 1 }]), w.tool("B", [{ afterMs: 10, returns: 2 }])],
    start: (agent) => {
      const steps = [
        step("a", "A", { dependsOn: [] }),
        step("b", "B", { dependsOn: [] }),
        step("c", "B", { dependsOn: ["a", "b"] }),
      ];
      return agent.start({ steps }, { runId: "r", concurrency: 2 });
    },
  }),

  "killed-anywhere-approval": killedAfterEachAppend({
    tools: (w) => [w.tool("Read", [{ returns: 1 }]), w.tool("Pay", [{ returns: 2 }], { needsApproval: true })],
    start: (agent) =>
      agent.start({ steps: [step("a", "Read"), step("p", "Pay", { input: { n: { $ref: "a" } } })] }, { runId: "r" }),
    answer: approveFirst,
  }),

  "killed-anywhere-undo": killedAfterEachAppend({
    tools: (w) => [
      w.tool("Book", [{ returns: 1 }], { undo: [{}] }),
      w.tool("Fail", [{ throws: failure("no", false) }]),
    ],
    start: (agent) =>
      agent.start(
        { steps: [step("a", "Book"), step("b", "Book"), step("f", "Fail")] },
        { runId: "r", undoOnFailure: true },
      ),
  }),

  "killed-anywhere-wait": killedAfterEachAppend({
    tools: (w) => [w.tool("Any")],
    start: (agent) => {
      const steps = [step("a", "Any"), { id: "e", wait: { event: "paid", timeoutMs: 1_000 } }, step("b", "Any")];
      return agent.start({ steps }, { runId: "r" });
    },
    answer: (agent, { runId }) => agent.deliver(runId, "paid", 1, { id: "e1" }),
  }),

  "killed-anywhere-replan": killedAfterEachAppend({
    tools: (w) => [
      w.tool("Find", [{ returns: 1 }], { effect: "pure" }),
      w.tool("Train", [{ throws: failure("full", false) }]),
      w.tool("Bus"),
    ],
    options: {
      planner: {
        name: "travel",
        plan: () => ({
          steps: [step("find", "Find", { dependsOn: [] }), step("train", "Train", { dependsOn: ["find"] })],
        }),
        replan: () => ({ steps: [step("bus", "Bus", { dependsOn: ["find"] })] }),
      },
    },
    start: (agent) => agent.start("Get me there", { runId: "r", maxReplans: 1, replanTools: ["Bus"] }),
  }),

  "killed-anywhere-secrets": killedAfterEachAppend({
    tools: (w) => [
      w.tool("Login", [{ returns: { token: "tok_9f8e7d6c5b4a" } }], {
        outputSchema: z.object({ token: sensitive(z.string()) }),
      }),
      w.tool("Fetch", [{ throws: failure("again") }, { returns: "page" }]),
    ],
    options: { secrets: { keys: [{ id: "k", key: new Uint8Array(32).fill(7) }] } },
    start: (agent) => {
      const steps = [step("in", "Login"), step("get", "Fetch", { input: { header: "Bearer ${in.token}" } })];
      return agent.start({ steps }, { runId: "r" });
    },
  }),

  "left-for-the-next-owner": async (w) => {
    const tools = () => [w.tool("Send", [{}], { effect: "once" }), w.tool("Any")];
    const first = w.process(tools(), {}, { crashAfterAppend: 2 });
    const steps = [
      step("s", "Send"),
      { id: "e", wait: { event: "paid" } },
      { id: "f", wait: { event: "paid" } },
      step("a", "Any"),
    ];
    first.agent.start({ steps }, { runId: "r" });
    await w.died(first);
    const [agent, office] = [w.agent(tools()), w.agent(tools())];
    await w.end(agent.resume("r"));
    await w.end(office.settle("r", "s", { output: "sent", resume: false }));
    await w.end(agent.resumeAll());
    await w.end(office.deliver("r", "paid", 1, { id: "e1", resume: false }));
    await w.end(office.resumeAll());
    await w.end(office.cancel("r", "never mind", { resume: false }));
    await w.end(agent.resumeAll());
    await w.end(agent.resume("r"));
  },

  "failed-and-resumed": async (w) => {
    const agent = w.agent([w.tool("Flaky", [{ throws: failure("down", false) }, { returns: 1 }]), w.tool("Other")]);
    const steps = [step("o", "Other"), step("f", "Flaky"), step("l", "Other")];
    await w.end(agent.start({ steps }, { runId: "r", metadata: { m: 1 } }));
    await w.end(agent.resumeAll());
    await w.end(agent.resume("r", { resources: "again" }));
    await w.end(agent.resume("r"));
  },

  "failed-once-is-unknown": async (w) => {
    const agent = w.agent([w.tool("Send", [{ throws: failure("maybe") }, { returns: "sent" }], { effect: "once" })]);
    await w.end(agent.start({ steps: [step("s", "Send")] }, { runId: "r" }));
    await w.end(agent.resume("r"));
    await w.end(agent.settle("r", "s", { retry: true }));
  },

  "settled-as-failed": async (w) => {
    const tools = () => [w.tool("Book", [{}], { undo: [{}] }), w.tool("Send", [{}], { effect: "once" })];
    const first = w.process(tools(), {}, { crashAfterAppend: 3 });
    first.agent.start(
      { steps: [step("b", "Book"), step("s", "Send"), step("c", "Book")] },
      { runId: "r", undoOnFailure: true },
    );
    await w.died(first);
    const agent = w.agent(tools());
    await w.end(agent.resume("r"));
    await w.end(agent.settle("r", "b", { retry: true }));
    await w.end(agent.settle("r", "s", { failed: "the shop refused it" }));
  },

  "tools-have-changed": async (w) => {
    const steps = [step("a", "Any"), step("b", "Ask")];
    const ask = (extras: object = {}) => w.tool("Ask", [{}], { needsApproval: true, ...extras });
    const { pending = [] } = await w.end(w.agent([w.tool("Any"), ask()]).start({ steps }, { runId: "r" }));
    const item = pending[0] as never;
    await w.end(w.agent([w.tool("Any")]).approve("r", item));
    await w.end(w.agent([w.tool("Any"), ask({ effect: "once" })]).approve("r", item));
    const changed = ask({ inputSchema: z.looseObject({ x: z.string().optional() }) });
    await w.end(w.agent([w.tool("Any"), changed]).approve("r", item));
  },

  forked: async (w) => {
    const tools = () => [
      w.tool("Count", [{ returns: 1 }, { returns: 2 }], { undo: [{}] }),
      w.tool("Fail", [{ throws: failure("no", false) }]),
    ];
    const steps = [step("a", "Count"), step("b", "Count"), step("f", "Fail")];
    const agent = w.agent(tools());
    await w.end(agent.start({ steps }, { runId: "r", undoOnFailure: true, metadata: { m: 1 } }));
    const fork = agent.fork("r", { after: 3, runId: "fork" });
    await w.end(fork);
    await w.end(agent.fork("r", { after: 3, runId: "fork" }));
    await w.end(agent.fork("r", { after: 4, runId: "fork" }));
    await w.end(agent.fork("r", { after: 99 }));
  },

  "forked-at-a-once-step": async (w) => {
    const agent = w.agent([w.tool("Send", [{ returns: "sent" }], { effect: "once" })]);
    await w.end(agent.start({ steps: [step("s", "Send"), step("t", "Send")] }, { runId: "r" }));
    await w.end(agent.fork("r", { after: 2, runId: "fork" }));
    await w.end(agent.settle("fork", "s", { retry: true }));
  },

  "forked-while-it-asks": async (w) => {
    const agent = w.agent([w.tool("Ask", [{ returns: 1 }], { needsApproval: true })]);
    const { pending = [] } = await w.end(agent.start({ steps: [step("a", "Ask")] }, { runId: "r" }));
    const fork = await w.end(agent.fork("r", { runId: "fork" }));
    await w.end(agent.approve("fork", pending[0] as never));
    await w.end(agent.approve("fork", fork.pending?.[0] as never));
    await w.end(agent.approve("r", pending[0] as never));
    await w.end(agent.fork("r", { runId: "copy" }));
  },

  evidence: async (w) => {
    const tools = [w.tool("Any"), w.tool("Ask", [{}], { needsApproval: true })];
    const agent = w.agent(tools, { evidence: true });
    const { pending = [] } = await w.end(agent.start({ steps: [step("a", "Any"), step("b", "Ask")] }, { runId: "r" }));
    await w.end(agent.approve("r", pending[0] as never));
  },

  "deleted-and-pruned": async (w) => {
    const agent = w.agent([w.tool("Any", [{ afterMs: 10 }])]);
    const plan = { steps: [step("a", "Any")] };
    const handle = agent.start(plan, { runId: "a" });
    await w.end(agent.deleteRun("a"));
    await w.end(handle);
    await w.end(agent.start(plan, { runId: "b" }));
    await w.end(agent.start(plan, { runId: "c" }));
    await w.end(agent.prune({ keep: 1 } as never));
    await w.end(agent.deleteRun("c"));
    await w.end(agent.start(plan, { runId: "a" }));
  },

  "started-again-after-a-kill": async (w) => {
    const tools = () => [w.tool("Any", [{ afterMs: 10, returns: 1 }]), w.tool("Ask", [{}], { needsApproval: true })];
    const plan = { steps: [step("a", "Any"), step("b", "Any"), step("c", "Ask")] };
    const first = w.process(tools(), {}, { crashAfterAppend: 2 });
    first.agent.start(plan, { runId: "r", metadata: { m: 1 } });
    await w.died(first);
    const agent = w.agent(tools());
    await w.end(agent.execute({ steps: [step("z", "Any")] }, { runId: "r" }));
    const { pending = [] } = await w.end(agent.start(plan, { runId: "r", concurrency: 2, metadata: { m: 2 } }));
    w.note("it waits, and then it has ended");
    await w.end(agent.execute(plan, { runId: "r" }));
    await w.end(agent.approve("r", pending[0] as never));
    await w.end(agent.execute(plan, { runId: "r" }));
  },

  "settled-output-is-checked": async (w) => {
    const outputSchema = z.object({ id: z.number() });
    const first = w.process([w.tool("Send", [{}], { effect: "once", outputSchema })], {}, { crashAfterAppend: 2 });
    first.agent.start({ steps: [step("s", "Send")] }, { runId: "r" });
    await w.died(first);
    const agent = w.agent([w.tool("Send", [{}], { effect: "once", outputSchema })]);
    await w.end(agent.settle("r", "s", { output: { id: 1 } }));
    await w.end(agent.resume("r"));
    await w.end(agent.settle("r", "s", { output: { id: "one" } }));
    await w.end(agent.settle("r", "x", { retry: true }));
    await w.end(agent.settle("r", "s", { output: { id: 1 } }));
    await w.end(agent.settle("r", "s", { output: { id: 1 } }));
  },
};
