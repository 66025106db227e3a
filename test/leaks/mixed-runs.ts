import { createAgent, createCalculator, defineTool, type ToolContext } from "planwright";
import { z } from "zod/v4";

const outputSchema = z.object({ value: z.number() });
const inputSchema = outputSchema;

/** Rejects when the signal aborts, as a tool does that passes it on. */
function waitForAbort({ signal }: ToolContext): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const wait = (delayMs: number) => new Promise<void>((resolve) => setTimeout(resolve, delayMs));

/** What lets the tool of a run go on that ignores its signal: called when the run has ended, so that it always settles late. */
const held = new Map<string, () => void>();

/** Tools that come to each end there is, with delays of a millisecond or two. */
function createTools() {
  const common = { description: "Does as its name says", inputSchema, outputSchema, effect: "pure" } as const;
  return [
    defineTool({ ...common, name: "Add", execute: async ({ value }) => ({ value: value + 1 }) }),
    defineTool({
      ...common,
      name: "Fail",
      execute: () => Promise.reject(Object.assign(new Error("broken"), { retryable: false })),
    }),
    defineTool({
      ...common,
      name: "FailOnce",
      execute({ value }, { attempt }) {
        if (attempt === 1) throw new Error("flaky");
        return { value };
      },
    }),
    defineTool({ ...common, name: "TimeOut", timeoutMs: 1, execute: (_input, context) => waitForAbort(context) }),
    defineTool({
      ...common,
      name: "IgnoreSignal",
      timeoutMs: 1,
      retry: { maxAttempts: 1 },
      execute: ({ value }, { runId }) => new Promise((resolve) => held.set(runId, () => resolve({ value }))),
    }),
    defineTool({ ...common, name: "Hang", execute: (_input, context) => waitForAbort(context) }),
    createCalculator(),
  ] as const;
}

type MixedAgent = ReturnType<typeof createMixedAgent>["agent"];

/** An agent for all kinds of runs, and how often it has warned. */
function createMixedAgent() {
  const warnings: string[] = [];
  const agent = createAgent({
    tools: createTools(),
    retry: { maxAttempts: 2, minDelayMs: 1 },
    abortGraceMs: 1,
    onWarning: ({ code }) => void warnings.push(code),
  });
  agent.subscribe(() => {});
  return { agent, warnings };
}

type Tool = "Add" | "Fail" | "FailOnce" | "TimeOut" | "IgnoreSignal" | "Hang";

function planOf(...tools: readonly Tool[]) {
  return {
    steps: tools.map((tool, index) => ({
      id: `s${index + 1}`,
      tool,
      input: { value: index === 0 ? 1 : { $ref: `s${index}.value` } },
    })),
  };
}

/** What a run needs besides its agent: a signal that all runs share and that never aborts. */
interface MixedRun {
  readonly agent: MixedAgent;
  readonly signal: AbortSignal;
}

type Status = "completed" | "failed" | "cancelled";

/** Each kind of run, and the status it must come to. */
const kinds: readonly { readonly status: Status; readonly run: (run: MixedRun) => Promise<{ status: string }> }[] = [
  { status: "completed", run: ({ agent, signal }) => agent.execute(planOf("Add", "Add", "Add"), { signal }) },
  { status: "completed", run: ({ agent, signal }) => agent.execute(planOf("Add", "FailOnce"), { signal }) },
  { status: "completed", run: ({ agent, signal }) => agent.run("what is 6 times 7", { signal }) },
  { status: "completed", run: readEvents },
  { status: "completed", run: ({ agent, signal }) => agent.start(planOf("Add", "Add"), { signal }).result },
  { status: "failed", run: ({ agent, signal }) => agent.execute(planOf("Fail", "Add"), { signal }) },
  { status: "failed", run: ({ agent, signal }) => agent.execute(planOf("TimeOut"), { signal }) },
  { status: "failed", run: settleLate },
  { status: "failed", run: ({ agent, signal }) => agent.execute(planOf("Add", "Hang"), { signal, timeoutMs: 2 }) },
  { status: "failed", run: ({ agent, signal }) => agent.run("no rule fits this", { signal }) },
  { status: "cancelled", run: cancelByHandle },
  { status: "cancelled", run: cancelBySignal },
];

async function readEvents({ agent, signal }: MixedRun) {
  const handle = agent.start(planOf("Add", "Add"), { signal });
  let count = 0;
  for await (const _event of handle.events) count++;
  if (count !== 6) throw new Error(`${count} events were read, not 6.`);
  return handle.result;
}

async function settleLate({ agent, signal }: MixedRun) {
  const handle = agent.start(planOf("IgnoreSignal"), { signal });
  const result = await handle.result;
  held.get(handle.runId)?.();
  held.delete(handle.runId);
  return result;
}

function cancelByHandle({ agent, signal }: MixedRun) {
  const handle = agent.start(planOf("Add", "Hang"), { signal });
  setTimeout(() => handle.cancel("enough"), 1);
  return handle.result;
}

function cancelBySignal({ agent }: MixedRun) {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 1);
  return agent.execute(planOf("Hang"), { signal: controller.signal });
}

/** Makes runs of all kinds, many at once, on one agent; throws if one comes to another end than it must. */
export class MixedRuns {
  /** Passed to most runs; never aborts. */
  readonly signal = new AbortController().signal;
  readonly warnings: readonly string[];
  readonly ended: Record<Status, number> = { completed: 0, failed: 0, cancelled: 0 };
  private readonly agent: MixedAgent;
  private started = 0;

  constructor() {
    const { agent, warnings } = createMixedAgent();
    this.agent = agent;
    this.warnings = warnings;
  }

  /** Makes so many more runs, at most `atOnce` at a time, and waits for what they leave behind to settle. */
  async make(count: number, { atOnce = 200 }: { atOnce?: number } = {}): Promise<void> {
    const last = this.started + count;
    const work = async () => {
      while (this.started < last) await this.makeOne(this.started++);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    // Tools that ignore their signals settle late; that must be over before anything is counted.
    await wait(50);
  }

  private async makeOne(index: number): Promise<void> {
    const kind = kinds[index % kinds.length] as (typeof kinds)[number];
    const { status } = await kind.run({ agent: this.agent, signal: this.signal });
    if (status !== kind.status) throw new Error(`Run ${index} ended ${status}, not ${kind.status}.`);
    this.ended[kind.status]++;
  }
}
