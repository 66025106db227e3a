import { getEventListeners } from "node:events";
import {
  createAgent,
  createFallbackPlanner,
  createLlmPlanner,
  createOllamaModel,
  createRulePlanner,
  createTodoStore,
  isAgentError,
} from "planwright";
import { createManualClock } from "planwright/testing";
import { expect } from "vitest";
import { startFakeOllama } from "../../fake-ollama/fake-ollama.ts";
import type { FakeOllamaAnswer } from "../../fake-ollama/fake-ollama-answer.ts";

/** A plan for {@link request}, as a model writes it. */
export const goodPlan = '{"steps":[{"do":"TodoStore.add","title":"café crème"}]}';
/** A request that the rules can plan, too. */
export const request = "add café crème to my list";

/** A server's behaviour, once or always. */
export interface Fault {
  readonly name: string;
  readonly answer: FakeOllamaAnswer;
  /** What `/api/show` reports about the model; by default that it cannot think. */
  readonly canThink?: true;
  /** Whether nothing more arrives, so only the time limit ends it. `drip` sends a line first. */
  readonly waits?: "hang" | "drip";
  /** What ends the attempts early; how many calls the server then received is told. */
  readonly limits?: {
    readonly circuitBreaker?: { maxFailures: number };
    readonly budget?: { modelCalls: number };
  };
}

const text = (answer: string) => ({ text: answer });
const callOf = (name: string, slots: object) => JSON.stringify({ steps: [{ do: name, ...slots }] });

/** Faults seen in servers and models, by section. */
export const faults: readonly Fault[] = [
  { name: "none", answer: text(goodPlan) },
  { name: "one-byte chunks, split characters", answer: { fault: "one-byte-chunks", text: goodPlan } },
  { name: "code fence", answer: { fault: "fence", text: goodPlan } },
  { name: "prose around it", answer: { fault: "prose", text: goodPlan } },
  { name: "think tag", answer: { fault: "think-tag", text: goodPlan } },
  { name: "thinking only", answer: { fault: "thinking-only", text: goodPlan }, canThink: true },
  { name: "empty", answer: { fault: "empty" } },
  { name: "done is false, or no done line", answer: { fault: "silent-end", text: goodPlan } },
  { name: "one token again and again", answer: { fault: "silent-end", text: " 0".repeat(200) } },
  { name: "cut by length", answer: { fault: "cut-short", text: goodPlan } },
  { name: "white space to the limit", answer: { fault: "white-space" } },
  { name: "two objects", answer: { fault: "two-objects", text: goodPlan } },
  { name: "refusal in prose", answer: { fault: "refusal" } },
  { name: "trailing comma, single quotes", answer: text(goodPlan.replaceAll('"', "'").replace("}", ",}")) },
  { name: "unknown tool", answer: text(callOf("Mailer", { to: "café crème" })) },
  { name: "unknown key", answer: text(callOf("TodoStore.add", { title: "café crème", notify: true })) },
  { name: "wrong type", answer: text(callOf("TodoStore.add", { title: { text: 7 } })) },
  { name: "words nobody typed", answer: text(callOf("TodoStore.add", { title: "café noir" })) },
  { name: "400 thinking", answer: { fault: "thinking-unsupported" }, canThink: true },
  { name: "404 model", answer: { fault: "unknown-model" } },
  { name: "500 grammar", answer: { fault: "format-rejected" } },
  { name: "500 crash", answer: { fault: "crash" } },
  { name: "503 queue full", answer: { fault: "busy" } },
  { name: "401 cloud", answer: { fault: "unauthorized" } },
  { name: "400 prompt too long", answer: { fault: "prompt-too-long" } },
  { name: "error mid-stream", answer: { fault: "error-mid-stream", text: goodPlan } },
  { name: "connection cut mid-stream", answer: { fault: "cut", text: goodPlan } },
  { name: "connection cut at once", answer: { fault: "cut-at-once" } },
  { name: "hang before headers", answer: { fault: "hang" }, waits: "hang" },
  { name: "hang after three chunks", answer: { fault: "hang-mid-stream", text: goodPlan }, waits: "hang" },
  { name: "slow drip past the deadline", answer: { fault: "drip", text: goodPlan }, waits: "drip" },
  { name: "HTML of a proxy (502)", answer: { fault: "html" } },
  { name: "metrics missing", answer: { fault: "no-metrics", text: goodPlan } },
  { name: "unknown fields", answer: { fault: "extra-fields", text: goodPlan } },
  { name: "2 MB answer", answer: { fault: "large" } },
  { name: "503, circuit breaker", answer: { fault: "busy" }, limits: { circuitBreaker: { maxFailures: 1 } } },
  { name: "503, budget of a call", answer: { fault: "busy" }, limits: { budget: { modelCalls: 1 } } },
];

/** How planning ended, in one line. */
export async function planWith(fault: Fault, times: "once" | "always"): Promise<string> {
  const ollama = await startFakeOllama({
    script: [fault.answer],
    otherwise: times === "once" ? text(goodPlan) : fault.answer,
    ...(fault.canThink && { models: [{ name: "small", capabilities: ["completion", "thinking"] }] }),
  });
  const clock = createManualClock();
  // The delays between attempts take no time here; everything else waits for the clock.
  const hasty = { ...clock, setTimeout: (callback: () => void) => queueMicrotask(callback), clearTimeout: () => {} };
  const { circuitBreaker, budget } = fault.limits ?? {};
  const model = createOllamaModel({ model: "small", host: ollama.host, clock: hasty, circuitBreaker });
  const planner = createFallbackPlanner([createLlmPlanner({ model }), createRulePlanner()], { clock });
  const agent = createAgent({ tools: [createTodoStore()], planner, clock });
  const { signal } = new AbortController();
  try {
    const planning = agent.plan(request, { signal, budget });
    if (fault.waits !== undefined) {
      await ollama.waitForRequest();
      if (fault.waits === "drip") ollama.release();
      // All of the time for all planners but the moment that the rules need.
      await clock.advance(119_000);
    }
    const { planner: name, attempts = 0, failures = [] } = (await planning).source;
    const codes = failures.map(({ code }) => code).join(", ");
    const tries = name === "llm" ? `, tries: ${attempts}` : "";
    const calls = fault.limits === undefined ? "" : `, calls: ${ollama.chats.length}`;
    return `${name}${tries}${codes === "" ? "" : ` (${codes})`}${calls}`;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    return thrown.code;
  } finally {
    await ollama.waitForIdle();
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await ollama.close();
  }
}
