import { failure, type GoldenRun, step } from "../world.ts";

/** Limits of tools, budgets, and the size of plans. */
export const limits: Readonly<Record<string, GoldenRun>> = {
  // Two runs never start at the same instant here: their hashes would race.
  "calls-at-a-time": async (w) => {
    const takes = { afterMs: 100 };
    const calls = [takes, takes, takes, takes, { afterMs: 100, throws: failure("no") }, {}];
    const agent = w.agent([w.tool("Slow", calls, { concurrency: 1 })]);
    const steps = ["a", "b", "c"].map((id) => step(id, "Slow", { dependsOn: [] }));
    const first = agent.start({ steps: [...steps, step("e", "Slow")] }, { runId: "first", concurrency: 3 });
    await w.clock.advance(10);
    const second = agent.start({ steps: [step("d", "Slow")] }, { runId: "second" });
    await w.end(second);
    await w.end(first);
  },

  "calls-in-time": async (w) => {
    const rateLimit = { limit: 2, intervalMs: 1_000 };
    const agent = w.agent([
      w.tool("Api", [{ afterMs: 100 }, { throws: failure("no") }, {}], { rateLimit, retry: { minDelayMs: 1 } }),
    ]);
    const steps = ["a", "b", "c", "d"].map((id) => step(id, "Api", { dependsOn: [] }));
    await w.end(agent.start({ steps }, { runId: "r", concurrency: 4 }));
  },

  "cancel-in-the-queue": async (w) => {
    const agent = w.agent([w.tool("Slow", [{ afterMs: 500 }], { concurrency: 1 })]);
    const first = agent.start({ steps: [step("a", "Slow")] }, { runId: "first" });
    await w.clock.advance(10);
    const second = agent.start({ steps: [step("b", "Slow")] }, { runId: "second" });
    await w.clock.advance(100);
    second.cancel("too slow");
    await w.end(second);
    await w.end(first);
  },

  "deadline-in-the-queue": async (w) => {
    const agent = w.agent([w.tool("Api", [{}], { rateLimit: { limit: 1, intervalMs: 60_000 } })]);
    await w.end(agent.start({ steps: [step("a", "Api"), step("b", "Api")] }, { runId: "r", timeoutMs: 2_000 }));
  },

  "circuit-breaker": async (w) => {
    const calls = [{ throws: failure("1") }, { throws: failure("2") }, { throws: failure("3") }, { returns: "up" }];
    const circuitBreaker = { maxFailures: 2, resetAfterMs: 5_000 };
    const agent = w.agent([w.tool("Api", calls, { circuitBreaker, retry: { maxAttempts: 3, minDelayMs: 10 } })]);
    const plan = { steps: [step("s1", "Api")] };
    await w.end(agent.start(plan, { runId: "opens" }));
    await w.end(agent.start(plan, { runId: "refused" }));
    await w.clock.advance(5_000);
    await w.end(agent.start(plan, { runId: "fails-again" }));
    await w.clock.advance(5_000);
    await w.end(agent.start(plan, { runId: "closes" }));
  },

  "budget-of-calls": async (w) => {
    const agent = w.agent([w.tool("Any", [{}, { throws: failure("again") }, {}])]);
    const steps = [step("a", "Any"), step("b", "Any"), step("c", "Any")];
    await w.end(agent.start({ steps }, { runId: "r", budget: { toolCalls: 3 } }));
  },

  "budget-over-executions": async (w) => {
    const agent = w.agent([w.tool("Any", [{}, { throws: failure("no", false) }, {}])]);
    const steps = [step("a", "Any"), step("b", "Any"), step("c", "Any")];
    await w.end(agent.start({ steps }, { runId: "r", budget: { toolCalls: 3 } }));
    await w.end(agent.resume("r"));
  },

  "too-many-steps": async (w) => {
    const agent = w.agent([w.tool("List", [{ returns: [1, 2, 3] }]), w.tool("Each")], { maxSteps: 4 });
    const steps = [step("l", "List"), step("e", "Each", { forEach: "l" })];
    await w.end(agent.start({ steps }, { runId: "loop" }));
    await w.end(agent.execute({ steps: ["a", "b", "c", "d", "e"].map((id) => step(id, "Each")) }, { runId: "plan" }));
  },

  "invalid-plan": async (w) => {
    const agent = w.agent([w.tool("Any")]);
    const steps = [step("a", "Any", { input: { x: "${b.y}" } }), step("b", "None", { when: "1 +" })];
    await w.end(agent.execute({ steps }, { runId: "r" }));
    await w.end(agent.getRun("r") as Promise<unknown>);
  },

  "dry-run": async (w) => {
    const tools = [
      w.tool("Read", [{}], { effect: "pure" }),
      w.tool("Write", [{}], { needsApproval: (input: unknown) => "big" in (input as object), undo: [{}] }),
      w.tool("Send", [{}], { effect: "once", needsApproval: true }),
    ];
    const steps = [
      step("a", "Read"),
      step("b", "Write", { input: { from: { $ref: "a.x" } } }),
      step("c", "Write", { input: { big: true } }),
      step("d", "Send", { forEach: "b" }),
    ];
    await w.end(w.agent(tools).dryRun({ steps }));
  },
};
