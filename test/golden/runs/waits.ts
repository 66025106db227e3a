import * as z from "zod/v4";
import { type GoldenRun, step } from "../world.ts";

const paid = { id: "pay", wait: { event: "paid", timeoutMs: 60_000 } };

const ask = {
  message: "Which one?",
  display: "select",
  options: [
    { id: "x", label: "the red one" },
    { id: "y", label: "the blue one" },
  ],
  responseSchema: {
    type: "object",
    properties: { answer: { type: "string", enum: ["x", "y"] } },
    required: ["answer"],
  },
} as const;

/** Steps that wait for a time, an event or an answer. */
export const waits: Readonly<Record<string, GoldenRun>> = {
  "for-a-time": async (w) => {
    const agent = w.agent([w.tool("Any")]);
    const steps = [
      step("a", "Any"),
      { id: "nap", wait: { forMs: 5_000 } },
      step("b", "Any", { input: { at: { $ref: "nap" } } }),
    ];
    await w.end(agent.start({ steps }, { runId: "r", resources: { db: 1 } }));
    await w.clock.advance(5_000);
    await w.end(agent.getRun("r") as Promise<unknown>);
  },

  "until-an-instant": async (w) => {
    const agent = w.agent([w.tool("When", [{ returns: { at: "2026-01-01T01:00:00+00:30" } }])]);
    const steps = [
      step("a", "When"),
      { id: "past", wait: { until: "2025-12-31T00:00:00Z" } },
      { id: "ref", wait: { until: { $ref: "a.at" } } },
      step("b", "When"),
    ];
    await w.end(agent.start({ steps }, { runId: "r" }));
    await w.clock.advance(30 * 60_000);
    await w.end(agent.getRun("r") as Promise<unknown>);
  },

  "resumed-on-time-elsewhere": async (w) => {
    await w.end(
      w
        .agent([w.tool("Any")])
        .start({ steps: [{ id: "nap", wait: { forMs: 5_000 } }, step("a", "Any")] }, { runId: "r" }),
    );
    const other = w.agent([w.tool("Any")]);
    w.note("too early");
    await w.end(other.resumeAll());
    await w.end(other.resume("r"));
    w.clock.setNow(w.clock.now() + 5_000);
    await w.end(other.resumeAll());
    await w.clock.advance(10_000);
  },

  delivered: async (w) => {
    const agent = w.agent([w.tool("Any")]);
    await w.end(agent.start({ steps: [paid, step("a", "Any", { input: { euros: "${pay.euros}" } })] }, { runId: "r" }));
    await w.clock.advance(1_000);
    await w.end(agent.deliver("r", "other", {}, { id: "e0" }));
    await w.end(agent.deliver("r", "paid", { euros: 12 }, { id: "e1" }));
    await w.end(agent.deliver("r", "paid", { euros: 13 }, { id: "e2" }));
    await w.clock.advance(60_000);
  },

  "delivered-early-and-twice": async (w) => {
    const agent = w.agent([w.tool("Slow", [{ afterMs: 1_000 }])]);
    const second = { id: "again", wait: { event: "paid" } };
    const handle = agent.start({ steps: [step("s", "Slow"), paid, second, step("a", "Slow")] }, { runId: "r" });
    await w.clock.advance(100);
    const early = [agent.deliver("r", "paid", 1, { id: "e1" }), agent.deliver("r", "paid", 1, { id: "e1" })];
    await w.end(handle);
    for (const one of early) await w.end(one);
    await w.end(agent.deliver("r", "paid", 1, { id: "e1" }));
    await w.end(agent.deliver("r", "paid", 2, { id: "e2" }));
  },

  "delivered-to-the-owner": async (w) => {
    const tools = () => [w.tool("Slow", [{ afterMs: 12_000 }])];
    const steps = [step("s", "Slow", { dependsOn: [] }), { ...paid, dependsOn: [] }];
    const handle = w.agent(tools()).start({ steps }, { runId: "r", concurrency: 2 });
    await w.clock.advance(1_000);
    const delivered = w.agent(tools()).deliver("r", "paid", { euros: 1 }, { id: "e1" });
    await w.end(handle);
    await w.end(delivered);
  },

  "in-vain": async (w) => {
    const agent = w.agent([w.tool("Any")]);
    await w.end(agent.start({ steps: [paid, step("a", "Any")] }, { runId: "r" }));
    await w.clock.advance(60_000);
    await w.end(agent.getRun("r") as Promise<unknown>);
    await w.end(agent.deliver("r", "paid", { euros: 1 }, { id: "late" }));
  },

  "beside-a-step-and-a-condition": async (w) => {
    const agent = w.agent([w.tool("Slow", [{ afterMs: 2_000, returns: false }])]);
    const steps = [
      step("s", "Slow", { dependsOn: [] }),
      { id: "nap", wait: { forMs: 1_000 }, dependsOn: [] },
      { id: "never", wait: { event: "x" }, when: "s", dependsOn: ["s"] },
      step("a", "Slow", { dependsOn: ["nap", "never"] }),
    ];
    await w.end(agent.start({ steps }, { runId: "r", concurrency: 3 }));
  },

  "cancelled-while-it-waits": async (w) => {
    const agent = w.agent([w.tool("Any", [{}], { undo: [{}] })]);
    await w.end(agent.start({ steps: [step("a", "Any"), paid] }, { runId: "r", undoOnFailure: true }));
    await w.end(w.agent([w.tool("Any", [{}], { undo: [{}] })]).cancel("r", "no more"));
    await w.clock.advance(60_000);
    await w.end(agent.cancel("r", "again"));
  },

  "delivered-and-checked": async (w) => {
    const events = { paid: z.object({ euros: z.coerce.number() }) };
    const agent = w.agent([w.tool("Any")], { events });
    await w.end(
      agent.start({ steps: [paid, step("a", "Any", { input: { euros: { $ref: "pay.euros" } } })] }, { runId: "r" }),
    );
    await w.end(agent.deliver("r", "sold", {}, { id: "e0" }));
    await w.end(agent.deliver("r", "paid", { euros: "many" }, { id: "e1" }));
    await w.end(agent.deliver("r", "paid", { euros: "12" }, { id: "e1" }));
  },

  "asked-and-answered": async (w) => {
    const agent = w.agent([w.tool("Any")]);
    const which = { id: "which", wait: { ask, timeoutMs: 60_000 } };
    const steps = [
      which,
      step("red", "Any", { when: "which == 'x'", dependsOn: ["which"] }),
      step("blue", "Any", { when: "which == 'y'", input: { id: { $ref: "which" } }, dependsOn: ["which"] }),
    ];
    await w.end(agent.start({ steps }, { runId: "r" }));
    await w.clock.advance(1_000);
    await w.end(agent.answer("r", "which", { answer: "z" }));
    await w.end(agent.answer("r", "which", { answer: "y" }));
    await w.end(agent.answer("r", "which", { answer: "y" }));
    await w.end(agent.answer("r", "which", { answer: "x" }));
    await w.clock.advance(60_000);
  },
};
