import { failure, type GoldenRun, step } from "../world.ts";

const list = (w: Parameters<GoldenRun>[0], items: readonly unknown[]) =>
  w.tool("List", [{ returns: items }], { effect: "pure" });

/** Conditions and loops. */
export const loops: Readonly<Record<string, GoldenRun>> = {
  conditions: async (w) => {
    const tools = [w.tool("Count", [{ returns: { n: 2 } }]), w.tool("Any", [{ returns: "done" }])];
    const steps = [
      step("s1", "Count"),
      step("s2", "Any", { when: "s1.n > 2" }),
      step("s3", "Any", { when: "s2 == null", dependsOn: ["s2"] }),
      step("s4", "Any", { input: { x: { $ref: "s2.name" } } }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r" }));
  },

  "loop-one-by-one": async (w) => {
    const calls = [{ afterMs: 10, returns: (input: unknown) => input }];
    const tools = [list(w, [{ n: 1 }, { n: 2 }, { n: 3 }]), w.tool("Each", calls), w.tool("All")];
    const steps = [
      step("l", "List"),
      step("e", "Each", { forEach: "l", when: "item.n != 2", input: { n: { $ref: "item.n" }, at: "${index}" } }),
      step("a", "All", { input: { all: { $ref: "e" }, last: "${e[2].n}" } }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r" }));
  },

  "loop-side-by-side": async (w) => {
    const calls = [
      { afterMs: 60, returns: 1 },
      { afterMs: 10, throws: failure("again") },
      { afterMs: 20, returns: 3 },
    ];
    const tools = [
      list(w, [1, 2, 3, 4]),
      w.tool("Each", calls, { retry: { minDelayMs: 5 } }),
      w.tool("Beside", [{ afterMs: 15 }]),
    ];
    const steps = [
      step("l", "List"),
      step("e", "Each", { forEach: "l", concurrency: 2, input: { n: { $ref: "item" } } }),
      step("b", "Beside", { dependsOn: ["l"] }),
      step("z", "Beside", { input: { all: { $ref: "e" } } }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", concurrency: 2 }));
  },

  "loop-fails": async (w) => {
    const calls = [{ returns: 1 }, { throws: failure("no", false) }, { returns: 3 }];
    const steps = [step("l", "List"), step("e", "Each", { forEach: "l" }), step("a", "List")];
    const tools = () => [list(w, [1, 2, 3]), w.tool("Each", calls)];
    await w.end(w.agent(tools()).start({ steps }, { runId: "stops" }));
    await w.end(w.agent(tools()).start({ steps }, { runId: "continues", onStepFailure: "continue" }));
  },

  "loop-of-nothing": async (w) => {
    const tools = [list(w, []), w.tool("Each")];
    const steps = [
      step("l", "List"),
      step("e", "Each", { forEach: "l" }),
      step("n", "Each", { forEach: "l", when: "size(l) > 0" }),
      step("a", "Each", { input: { e: { $ref: "e" }, n: { $ref: "n" } } }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r" }));
  },

  "expressions-that-fail": async (w) => {
    const tools = [list(w, [1]), w.tool("Each")];
    const steps = [
      step("l", "List", { dependsOn: [] }),
      step("w", "Each", { when: "l[5] == 1", dependsOn: ["l"] }),
      step("f", "Each", { forEach: "l[0]", dependsOn: ["l"] }),
      step("i", "Each", { forEach: "l", when: "item.x == 1", dependsOn: ["l"] }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", onStepFailure: "continue" }));
  },

  "loop-is-cancelled": async (w) => {
    const tools = [list(w, [1, 2, 3]), w.tool("Each", [{ returns: 1 }, { hangs: true, stops: true }])];
    const handle = w
      .agent(tools)
      .start({ steps: [step("l", "List"), step("e", "Each", { forEach: "l" })] }, { runId: "r" });
    await w.clock.advance(10);
    handle.cancel();
    await w.end(handle);
  },
};
