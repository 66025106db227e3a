import { failure, type GoldenRun, step, type World } from "../world.ts";

const fail = (w: World) => w.tool("Fail", [{ throws: failure("no", false) }]);
const undoOnFailure = true;

/** Undoing what has been done. */
export const undoing: Readonly<Record<string, GoldenRun>> = {
  "in-reverse-order": async (w) => {
    const tools = [
      w.tool(
        "Book",
        [
          { afterMs: 50, returns: { n: 1 } },
          { afterMs: 10, returns: { n: 2 } },
        ],
        { undo: [{ afterMs: 5 }] },
      ),
      w.tool("Mail"),
      w.tool("Read", [{}], { effect: "pure", undo: [{}] }),
      fail(w),
    ];
    const steps = [
      step("a", "Book", { dependsOn: [], input: { x: 1 } }),
      step("b", "Book", { dependsOn: [] }),
      step("m", "Mail"),
      step("r", "Read"),
      step("f", "Fail", { dependsOn: ["a", "r"] }),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", undoOnFailure, concurrency: 2 }));
  },

  "undo-fails": async (w) => {
    const retry = { maxAttempts: 2, minDelayMs: 100 };
    const tools = [
      w.tool("Works", [{}], { undo: [{ throws: failure("try again") }, {}], retry }),
      w.tool("Fails", [{}], { undo: [{ throws: failure("cannot", false) }] }),
      w.tool("Hangs", [{}], { undo: [{ hangs: true }], retry, timeoutMs: 500 }),
      fail(w),
    ];
    const steps = [step("a", "Works"), step("b", "Fails"), step("c", "Hangs"), step("f", "Fail")];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", undoOnFailure }));
    w.note("what was undone is not resumed");
    await w.end(w.agent(tools).resume("r"));
  },

  "iterations-and-unknown-outcomes": async (w) => {
    const tools = [
      w.tool("List", [{ returns: [1, 2] }], { effect: "pure" }),
      w.tool("Each", [{ returns: "done" }], { undo: [{}] }),
      w.tool("Send", [{ throws: failure("maybe") }], { effect: "once", undo: [{}] }),
    ];
    const steps = [
      step("l", "List"),
      step("e", "Each", { forEach: "l", input: { n: { $ref: "item" } } }),
      step("s", "Send"),
    ];
    await w.end(w.agent(tools).start({ steps }, { runId: "r", undoOnFailure }));
  },

  "after-cancelling": async (w) => {
    const tools = [
      w.tool("Book", [{}], { undo: [{ afterMs: 3_000 }] }),
      w.tool("Slow", [{ hangs: true, stops: true }], { undo: [{}] }),
    ];
    const agent = w.agent(tools);
    const handle = agent.start(
      { steps: [step("a", "Book"), step("s", "Slow")] },
      { runId: "r", undoOnFailure, timeoutMs: 1_000 },
    );
    await w.clock.advance(500);
    handle.cancel("stop");
    await w.clock.advance(1_500);
    handle.cancel("stop undoing");
    await w.end(handle);
  },

  "after-the-deadline": async (w) => {
    const tools = [
      w.tool("Book", [{}], { undo: [{ afterMs: 3_000 }] }),
      w.tool("Slow", [{ hangs: true, stops: true }]),
    ];
    const plan = { steps: [step("a", "Book"), step("s", "Slow")] };
    await w.end(w.agent(tools).start(plan, { runId: "r", undoOnFailure, timeoutMs: 1_000 }));
  },

  "killed-while-undoing": async (w) => {
    const tools = () => [w.tool("Book", [{ returns: 1 }], { undo: [{}] }), fail(w)];
    const steps = [step("a", "Book"), step("b", "Book"), step("f", "Fail")];
    // It dies after the undo-start of the second step.
    const first = w.process(tools(), {}, { crashAfterAppend: 8 });
    first.agent.start({ steps }, { runId: "r", undoOnFailure });
    await w.died(first);
    await w.end(w.agent(tools()).resume("r"));
  },
};
