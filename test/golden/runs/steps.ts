import * as z from "zod/v4";
import { failure, type GoldenRun, step } from "../world.ts";

/** Steps: values, retries, timeouts, effects, cancellation. */
export const steps: Readonly<Record<string, GoldenRun>> = {
  "values-between-steps": async (w) => {
    const schema = z.looseObject({ when: z.string().default("today"), n: z.number().optional() });
    const tools = [
      w.tool("Make", [{ returns: { n: 3, at: new Date(0), none: undefined, list: [{ "a b": "x ${s1.n}" }] } }], {
        effect: "pure",
      }),
      w.tool("Take", [{ returns: (input: unknown) => input }, {}], { inputSchema: schema }),
    ];
    const input = {
      n: { $ref: "s1.n" },
      text: '${s1.list[0]["a b"]} of ${s1.n}, ${s1.list}, ${$}{no}, $${s1.n}',
      as: { $literal: { $ref: "s1.n" } },
    };
    const plan = {
      steps: [step("s1", "Make"), step("s2", "Take", { input, reasoning: "${s1.n}" }), step("s3", "Take")],
    };
    await w.end(w.agent(tools).start(plan, { runId: "r" }));
  },

  "retry-third-works": async (w) => {
    const calls = [
      { throws: failure("busy") },
      { afterMs: 50, throws: failure("still busy") },
      { returns: { ok: true } },
    ];
    const agent = w.agent([w.tool("Flaky", calls)]);
    await w.end(agent.start({ steps: [step("s1", "Flaky", { input: { x: 1 } })] }, { runId: "r" }));
  },

  "retry-exhausted": async (w) => {
    const tools = [w.tool("Down", [{ throws: failure("down") }]), w.tool("Other")];
    const steps = [
      step("s1", "Other"),
      step("s2", "Down"),
      step("s3", "Other"),
      step("s4", "Other", { dependsOn: ["s1"] }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r" }));
  },

  "retry-policy-of-tool": async (w) => {
    const retry = { maxAttempts: 5, minDelayMs: 10, factor: 3, maxDelayMs: 40 };
    const agent = w.agent(
      [w.tool("Down", [{ throws: "a text" }, { throws: null }, { throws: new TypeError("t") }], { retry })],
      {
        retry: { maxAttempts: 9, minDelayMs: 1 },
        random: () => 0,
      },
    );
    await w.end(agent.start({ steps: [step("s1", "Down")] }, { runId: "r" }));
  },

  "retry-after-and-total": async (w) => {
    const busy = (retryAfterMs: number) => Object.assign(failure("busy"), { retryAfterMs });
    const retry = { maxTotalMs: 5_000 };
    const tools = [w.tool("Busy", [{ throws: busy(2_500) }, { throws: busy(2_501) }], { retry })];
    await w.end(w.agent(tools).start({ steps: [step("s1", "Busy")] }, { runId: "r" }));
  },

  "final-error": async (w) => {
    const cause = Object.assign(new Error("card refused"), { code: "E_CARD", details: { card: "x" } });
    const final = Object.assign(new Error("no", { cause }), { retryable: false });
    const agent = w.agent([w.tool("Pay", [{ throws: final }])], { recordStacks: true });
    await w.end(agent.start({ steps: [step("s1", "Pay")] }, { runId: "r" }));
  },

  "throw-on-failure": async (w) => {
    const agent = w.agent([w.tool("Pay", [{ throws: failure("no", false) }])]);
    await w.end(agent.execute({ steps: [step("s1", "Pay")] }, { runId: "r", throwOnFailure: true }));
  },

  "continue-on-failure": async (w) => {
    const tools = [w.tool("Down", [{ throws: failure("down", false) }]), w.tool("Other", [{ returns: 1 }])];
    const steps = [
      step("s1", "Down"),
      step("s2", "Other", { dependsOn: ["s1"] }),
      step("s3", "Other", { dependsOn: [] }),
      step("s4", "Other", { dependsOn: ["s2", "s3"] }),
      step("s5", "Other", { dependsOn: ["s3"] }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", onStepFailure: "continue" }));
  },

  "values-that-do-not-fit": async (w) => {
    const tools = [
      w.tool("Get", [{ returns: { list: [] } }], { effect: "pure" }),
      w.tool("Number", [{}], { inputSchema: z.object({ n: z.number() }) }),
      w.tool("Big", [{ returns: "x".repeat(50) }]),
      w.tool("NoJson", [{ returns: { n: [1n] } }]),
      w.tool("Wrong", [{ returns: { n: "1" } }], { outputSchema: z.object({ n: z.number() }) }),
    ];
    const steps = [
      step("s1", "Get", { dependsOn: [] }),
      step("s2", "Number", { input: { n: "${s1.list}" as never }, dependsOn: ["s1"] }),
      step("s3", "Number", { input: { n: { $ref: "s1.list" } }, dependsOn: ["s1"] }),
      step("s4", "Number", { input: { n: { $ref: "s1.list[0]" } }, dependsOn: ["s1"] }),
      step("s5", "Big", { dependsOn: [] }),
      step("s6", "NoJson", { dependsOn: [] }),
      step("s7", "Wrong", { dependsOn: [] }),
    ];
    const agent = w.agent(tools, { maxOutputBytes: 40 });
    await w.end(agent.start({ steps }, { runId: "refused", onStepFailure: "continue" }));
    const others = steps.filter(({ id }) => id !== "s2");
    await w.end(agent.start({ steps: others }, { runId: "r", onStepFailure: "continue" }));
  },

  "timeout-then-works": async (w) => {
    const slow = w.tool("Slow", [{ hangs: true, stops: true }, { returns: 1 }], { timeoutMs: 200 });
    await w.end(w.agent([slow]).start({ steps: [step("s1", "Slow")] }, { runId: "r" }));
  },

  "timeout-ignored": async (w) => {
    const calls = [
      { afterMs: 4_000, returns: "late" },
      { afterMs: 2_500, throws: failure("late, too") },
      { afterMs: 900, returns: 1 },
    ];
    const deaf = w.tool("Deaf", calls, { timeoutMs: 1_000, retry: { minDelayMs: 10 } });
    const steps = [step("s1", "Deaf"), step("s2", "Wait")];
    await w.end(w.agent([deaf, w.tool("Wait", [{ afterMs: 5_000 }])]).start({ steps }, { runId: "r" }));
  },

  "timeout-value-within-grace": async (w) => {
    const slow = w.tool("Slow", [{ afterMs: 1_500, returns: "just in time" }], { timeoutMs: 1_000 });
    await w.end(w.agent([slow]).start({ steps: [step("s1", "Slow")] }, { runId: "r" }));
  },

  "timeout-exhausted": async (w) => {
    const agent = w.agent([w.tool("Slow", [{ hangs: true, stops: true, progress: [1, 2] }])], {
      stepTimeoutMs: 500,
      retry: { maxAttempts: 2, minDelayMs: 100 },
    });
    await w.end(agent.start({ steps: [step("s1", "Slow")] }, { runId: "r" }));
  },

  "once-fails-once": async (w) => {
    const agent = w.agent([w.tool("Send", [{ throws: failure("maybe sent") }], { effect: "once" })]);
    await w.end(agent.start({ steps: [step("s1", "Send"), step("s2", "Send")] }, { runId: "r" }));
  },

  "once-retries-what-did-not-happen": async (w) => {
    const calls = [{ throws: failure("not sent", true) }, { returns: "sent" }];
    const agent = w.agent([w.tool("Send", calls, { effect: "once" })]);
    await w.end(agent.start({ steps: [step("s1", "Send")] }, { runId: "r" }));
  },

  "once-times-out": async (w) => {
    const tools = [
      w.tool("Send", [{ hangs: true }], { effect: "once", timeoutMs: 100 }),
      w.tool("Other", [{ afterMs: 50 }]),
    ];
    const steps = [
      step("s1", "Send"),
      step("s2", "Other", { dependsOn: [] }),
      step("s3", "Other", { dependsOn: ["s1"] }),
    ];
    const agent = w.agent(tools);
    await w.end(agent.start({ steps }, { runId: "r" }));
    w.note("it was sent");
    await w.end(agent.settle("r", "s1", { output: { id: 7 } }));
  },

  "effect-by-input": async (w) => {
    const effect = (input: unknown) =>
      (input as { op: string }).op === "list" ? ("pure" as const) : ("once" as const);
    const agent = w.agent([w.tool("Box", [{}, { throws: failure("no") }], { effect })]);
    const steps = [step("s1", "Box", { input: { op: "list" } }), step("s2", "Box", { input: { op: "add" } })];
    await w.end(agent.start({ steps }, { runId: "r" }));
  },

  "what-tools-get": async (w) => {
    const agent = w.agent([w.tool("Any", [{ throws: failure("again") }, {}])]);
    const options = { runId: "r", metadata: { user: "ada" }, resources: { db: "open" }, timeZone: "Antarctica/Troll" };
    await w.end(agent.start({ id: "p", request: "do it", steps: [step("s1", "Any")] }, options));
  },

  progress: async (w) => {
    const calls = [
      { progress: [{ done: 1 }, 1n, { done: 2 }], throws: failure("no") },
      { progress: [3], returns: 1 },
    ];
    const failing = [{ progress: ["half"], throws: failure("no", false) }];
    const steps = [step("s1", "Copy"), step("s2", "Fail")];
    await w.end(w.agent([w.tool("Copy", calls), w.tool("Fail", failing)]).start({ steps }, { runId: "r" }));
  },

  "parallel-steps": async (w) => {
    const takes = (afterMs: number) => [{ afterMs, returns: afterMs }];
    const tools = [w.tool("A", takes(300)), w.tool("B", takes(100)), w.tool("C", takes(100)), w.tool("D", takes(50))];
    const steps = [
      step("a", "A", { dependsOn: [] }),
      step("b", "B", { dependsOn: [] }),
      step("c", "C", { dependsOn: [] }),
      step("d", "D", { dependsOn: ["b"], input: { b: { $ref: "b" } } }),
      step("e", "D", { dependsOn: ["a", "d"] }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", concurrency: 2 }));
  },

  "parallel-one-fails": async (w) => {
    const tools = [
      w.tool("Slow", [{ afterMs: 300, returns: "done" }]),
      w.tool("Fail", [{ afterMs: 100, throws: failure("no", false) }]),
    ];
    const steps = [
      step("a", "Slow", { dependsOn: [] }),
      step("b", "Fail", { dependsOn: [] }),
      step("c", "Slow", { dependsOn: [] }),
      step("d", "Slow", { dependsOn: ["b"] }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", concurrency: 2 }));
  },

  "cancel-while-running": async (w) => {
    const tools = [
      w.tool("Stops", [{ hangs: true, stops: true }]),
      w.tool("Ends", [{ afterMs: 600, returns: "kept" }], { effect: "once" }),
      w.tool("Deaf", [{ afterMs: 3_000, returns: "lost" }]),
      w.tool("DeafOnce", [{ hangs: true }], { effect: "once" }),
    ];
    const steps = ["Stops", "Ends", "Deaf", "DeafOnce", "Stops"].map((tool, at) =>
      step(`s${at}`, tool, { dependsOn: [] }),
    );
    const agent = w.agent(tools);
    const handle = agent.start({ steps }, { runId: "r", concurrency: 4 });
    await w.clock.advance(100);
    handle.cancel("the user left");
    handle.cancel("again");
    await w.end(handle);
    await w.clock.advance(5_000);
  },

  "cancel-before-retry": async (w) => {
    const abort = new AbortController();
    const agent = w.agent([w.tool("Down", [{ throws: failure("down") }])]);
    const handle = agent.start(
      { steps: [step("s1", "Down"), step("s2", "Down")] },
      { runId: "r", signal: abort.signal },
    );
    await w.clock.advance(400);
    abort.abort(new Error("stop"));
    await w.end(handle);
    await w.clock.advance(5_000);
  },

  "cancel-before-start": async (w) => {
    const agent = w.agent([w.tool("Any")]);
    await w.end(
      agent.start({ steps: [step("s1", "Any")] }, { runId: "r", signal: AbortSignal.abort(new Error("no")) }),
    );
  },

  "cancel-from-a-listener": async (w) => {
    const agent = w.agent([w.tool("Any", [{ afterMs: 10, returns: 1 }])]);
    const handle = agent.start({ steps: [step("s1", "Any"), step("s2", "Any")] }, { runId: "r" });
    agent.on("step-end", () => handle.cancel("enough"));
    await w.end(handle);
  },

  deadline: async (w) => {
    const tools = [w.tool("Quick", [{ afterMs: 100 }]), w.tool("Slow", [{ hangs: true, stops: true }])];
    const steps = [step("s1", "Quick"), step("s2", "Slow"), step("s3", "Quick")];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", timeoutMs: 1_000 }));
  },

  "deadline-before-retry": async (w) => {
    const agent = w.agent([w.tool("Down", [{ throws: failure("down") }])]);
    await w.end(agent.start({ steps: [step("s1", "Down")] }, { runId: "r", timeoutMs: 1_500 }));
  },

  "listeners-that-fail": async (w) => {
    const agent = w.agent([w.tool("Any")], { observers: [{ event: () => Promise.reject(new Error("observer")) }] });
    agent.on("step-start", () => {
      throw new Error("listener");
    });
    const handle = agent.start({ steps: [step("s1", "Any")] }, { runId: "r" });
    await w.end(handle);
    for await (const event of handle.events) w.note(`read ${event.sequence} ${event.type}`);
  },

  "observed-calls": async (w) => {
    const within = (call: { type: string }, proceed: () => void) => {
      w.note(`within ${JSON.stringify(call)}`);
      proceed();
    };
    const traceparent = () => "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const agent = w.agent([w.tool("Any", [{ throws: failure("no") }, {}])], { observers: [{ within, traceparent }] });
    await w.end(agent.start({ steps: [step("s1", "Any")] }, { runId: "r" }));
  },

  "same-id": async (w) => {
    const agent = w.agent([w.tool("Any", [{ afterMs: 10, returns: 1 }])]);
    const plan = { steps: [step("s1", "Any")] };
    const handle = agent.start(plan, { runId: "r" });
    const joined = agent.execute(plan, { runId: "r" });
    await w.end(agent.execute({ steps: [step("s2", "Any")] }, { runId: "r" }));
    await w.end(handle);
    await w.end(joined);
    await w.end(agent.execute(plan, { runId: "r" }));
    await w.end(agent.execute({ steps: [step("s2", "Any")] }, { runId: "r" }));
  },

  "schemas-that-wait": async (w) => {
    const inputSchema = z.object({ n: z.number().refine(async (n) => n > 0) });
    const outputSchema = z.object({ n: z.number() }).transform(async ({ n }) => ({ n, twice: 2 * n }));
    const tool = w.tool("Slow", [{ throws: failure("again") }, { returns: { n: -1 } }], { inputSchema, outputSchema });
    const steps = [step("a", "Slow", { input: { n: 1 } }), step("b", "Slow", { input: { n: { $ref: "a.n" } } })];
    await w.end(w.agent([tool]).start({ steps }, { runId: "r" }));
  },

  "watched-by-type": async (w) => {
    const agent = w.agent([w.tool("Any", [{ returns: 1 }])]);
    const hear = ({ stepId }: { stepId: string }) => w.note(`heard the end of ${stepId}`);
    agent.on("step-end", hear);
    const once = agent.once("step-start", ({ stepId }) => w.note(`heard the first start, ${stepId}`));
    await w.end(agent.start({ steps: [step("a", "Any"), step("b", "Any")] }, { runId: "first" }));
    once();
    agent.off("step-end", hear);
    await w.end(agent.start({ steps: [step("c", "Any")] }, { runId: "second" }));
  },
};
