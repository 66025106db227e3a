import { type AgentEvent, createAgent, defineTool, sensitive } from "planwright";
import { expect, it } from "vitest";
import * as z from "zod/v4";
import { toRunSnapshot } from "../../src/core/run-result.ts";
import { foldEvents } from "../../src/core/run-state.ts";
import { shownSnapshot } from "../../src/runs/run/redaction.ts";
import { loadWords } from "../../src/runs/run/run-words.ts";

const pay = defineTool({
  name: "Pay",
  description: "Pays an amount",
  inputSchema: z.object({ to: z.string(), card: sensitive(z.string()) }),
  outputSchema: z.object({ paid: z.number(), receipt: sensitive(z.string()) }),
  execute: () => ({ paid: 12, receipt: "R-77" }),
  say: ({ input, output }) => `Paid ${output.paid} to ${input.to} with ${input.card}: ${output.receipt}.`,
});
const tools = [pay];

async function eventsOf(run: (agent: ReturnType<typeof createAgent>) => Promise<unknown>) {
  const agent = createAgent({ tools });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  await run(agent);
  return events;
}

const paying = () =>
  eventsOf((agent) =>
    agent.execute({ steps: [{ id: "s1", tool: "Pay", input: { to: "Kim", card: "4242 4242" } }] } as never),
  );

type Redact = (value: unknown, place: { readonly kind: string }) => unknown;

function loadFor(thread: string | undefined, redact?: Redact) {
  const engine = { tools, redact, loadWords: () => import("../../src/dialogue/say-run.ts") };
  const settings = { thread, stored: { timeZone: "UTC" } };
  return loadWords({ engine, settings, sharedNow: () => 0 } as never);
}

it("a run without a thread has no words, and does not wait for any", () => {
  expect(loadFor(undefined)).toBeUndefined();
});

it("a run with a thread is said of its values as they are shown", async () => {
  const state = foldEvents("r", await paying());
  const say = await loadFor("t");
  expect(say?.(state, { status: "completed" })).toEqual({ text: "Paid 12 to Kim with [sensitive]: [sensitive]." });
  const hide: Redact = (value, { kind }) => (kind === "input" ? { to: "someone", card: "" } : value);
  const hidden = await loadFor("t", hide);
  expect(hidden?.(state, { status: "completed" }).text).toBe("Paid 12 to someone with : [sensitive].");
});

it("a recorded text is part of the run until it is resumed, and is redacted as a message", async () => {
  const events = await paying();
  const told = events.map((event) => (event.type === "run-end" ? { ...event, text: "Paid 12." } : event));
  const state = foldEvents("r", told);
  expect(toRunSnapshot(state).text).toBe("Paid 12.");
  const redact: Redact = (value, { kind }) => (kind === "message" ? "…" : value);
  expect(shownSnapshot(state, { redact } as never).text).toBe("…");
  const start = told.find(({ type }) => type === "run-start") as AgentEvent;
  const resumed = { ...start, type: "run-resume", sequence: told.length + 1 } as AgentEvent;
  expect(toRunSnapshot(foldEvents("r", [...told, resumed])).text).toBeUndefined();
});
