import { type AgentEvent, createAgent, createMemoryRunStore, defineTool, toEventStream } from "planwright";
import { createManualClock } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

/** An agent whose tool says how far it is, works for a minute and needs approval. */
function setUp() {
  const clock = createManualClock();
  const store = createMemoryRunStore();
  const bake = defineTool({
    name: "Bake",
    description: "Bakes bread",
    inputSchema: z.object({}),
    effect: "idempotent",
    timeoutMs: 120_000,
    needsApproval: true,
    async execute(_input, { progress }) {
      progress("half\nof it");
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 60_000));
      return "bread";
    },
  });
  return { clock, store, agent: createAgent({ tools: [bake], store, clock }) };
}

const plan = { steps: [{ id: "s1", tool: "Bake", input: {} }] } as const;

/** The events of a run that its agent reads, whatever becomes of it. */
function streamOf({ agent, clock }: ReturnType<typeof setUp>, runId: string, after = 0): ReadableStream<Uint8Array> {
  return toEventStream(agent.events(runId, { after, follow: true }), { clock });
}

const readAll = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();

/** Events as a browser reads them: comments are ignored, and each part ends with an empty line. */
function parse(text: string): { readonly id?: string; readonly event?: string; readonly data?: string }[] {
  return text
    .split("\n\n")
    .filter((part) => part !== "" && !part.startsWith(":"))
    .map((part) => Object.fromEntries(part.split("\n").map((line) => line.split(/: (.*)/s))));
}

/** A suspended run, approved: its tool works now. */
async function startedRun({ agent, clock }: ReturnType<typeof setUp>) {
  const { runId, pending } = await clock.runUntil(agent.execute(plan));
  const [item] = pending ?? [];
  if (item?.kind !== "approval") throw new Error("Nothing was asked.");
  return { runId, approve: () => agent.approve(runId, item).result };
}

describe("events as a stream for browsers", () => {
  it("have their type and JSON, and recorded ones their number", async () => {
    const one = setUp();
    const { runId, approve } = await startedRun(one);
    const events: AgentEvent[] = [];
    one.agent.subscribe((event) => events.push(event));
    const text = readAll(streamOf(one, runId));
    await one.clock.runUntil(approve());
    const parts = parse(await one.clock.runUntil(text));
    const told = parts.map(({ data = "" }) => JSON.parse(data));
    expect(told.filter(({ type }) => type !== "step-progress")).toEqual(await one.store.read(runId));
    expect(told).toEqual(expect.arrayContaining(JSON.parse(JSON.stringify(events))));
    for (const { id, event, data = "" } of parts) {
      const { type, sequence } = JSON.parse(data);
      expect(event).toBe(type);
      expect(id).toBe(type === "step-progress" ? undefined : String(sequence));
    }
    expect(one.clock.pendingTimers).toBe(0);
  });

  it("continue after the last one that a browser knows, and are none of a run that has ended", async () => {
    const one = setUp();
    const { runId, approve } = await startedRun(one);
    await one.clock.runUntil(approve());
    const all = parse(await readAll(toEventStream(one.agent.events(runId))));
    for (let after = 0; after <= all.length + 1; after++) {
      const rest = parse(await readAll(toEventStream(one.agent.events(runId, { after }))));
      expect(rest).toEqual(all.slice(after));
    }
  });

  it("have a comment for each 15 seconds in which nothing happens", async () => {
    const one = setUp();
    const { runId, approve } = await startedRun(one);
    const text = readAll(streamOf(one, runId));
    await one.clock.advance(10_000);
    const ended = approve();
    await one.clock.advance(59_999);
    await one.clock.runUntil(Promise.all([ended, text]));
    expect((await text).split("\n\n").filter((part) => part === ":")).toHaveLength(3);
  });

  it("that nobody reads are not read from the run, whatever time passes", async () => {
    const { clock } = setUp();
    let read = 0;
    async function* endless(): AsyncGenerator<AgentEvent> {
      for (;;) yield { type: "run-suspend", runId: "r1", sequence: ++read, timestamp: "", pending: [] };
    }
    const stream = toEventStream(endless(), { clock });
    await clock.advance(3_600_000);
    expect(read).toBe(1);
    expect(clock.pendingTimers).toBe(0);
    const reader = stream.getReader();
    for (let count = 0; count < 1_000; count++) await reader.read();
    expect(read).toBeLessThan(1_003);
    await reader.cancel();
  });

  it("that nobody reads of a run in which nothing happens are one comment", async () => {
    const one = setUp();
    const { runId } = await startedRun(one);
    const { length } = await one.store.read(runId);
    const stream = streamOf(one, runId, length);
    await one.clock.advance(3_600_000);
    const reader = stream.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(":\n\n");
    let isMore = false;
    void reader.read().then(() => {
      isMore = true;
    });
    await one.clock.advance(0);
    expect(isMore).toBe(false);
    await reader.cancel();
    await one.clock.advance(1_000);
    expect(one.clock.pendingTimers).toBe(0);
  });

  it("reach a browser that reconnects a hundred times once each", async () => {
    const one = setUp();
    const { runId, approve } = await startedRun(one);
    await one.clock.runUntil(approve());
    const { length } = await one.store.read(runId);
    const ids: number[] = [];
    for (let connection = 0; connection < 100; connection++) {
      const after = ids.at(-1) ?? 0;
      const reader = streamOf(one, runId, after).getReader();
      const { value } = await reader.read();
      for (const { id } of parse(new TextDecoder().decode(value))) ids.push(Number(id));
      await reader.cancel();
    }
    expect(ids).toEqual(Array.from({ length }, (_, index) => index + 1));
    expect(one.clock.pendingTimers).toBe(0);
  });

  it("are not read any more once the stream was cancelled, even while none comes", async () => {
    const one = setUp();
    const { runId } = await startedRun(one);
    const { length } = await one.store.read(runId);
    const streams = Array.from({ length: 100 }, () => streamOf(one, runId, length));
    await one.clock.advance(20_000);
    await Promise.all(streams.map((stream) => stream.cancel()));
    await one.clock.advance(1_000);
    expect(one.clock.pendingTimers).toBe(0);
  });

  it.each([
    ["waits", () => new Promise<never>(() => {})],
    ["fails", () => Promise.reject(new Error("late"))],
  ])("can be cancelled while what they come from %s", async (_name, wait) => {
    async function* waiting(): AsyncGenerator<AgentEvent> {
      yield await wait();
    }
    const { clock } = setUp();
    await toEventStream(waiting(), { clock }).cancel();
    expect(clock.pendingTimers).toBe(0);
  });

  it("can be cancelled although their source fails to return", async () => {
    const events = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: () => Promise.reject(new Error("stuck")),
      }),
    };
    await toEventStream(events, { clock: setUp().clock }).cancel();
  });

  it("fail as reading does, for a run that is gone or goes", async () => {
    const one = setUp();
    await expect(readAll(streamOf(one, "gone", 3))).rejects.toMatchObject({ code: "run-not-found" });
    const { runId } = await startedRun(one);
    const reading = readAll(streamOf(one, runId));
    const failed = expect(reading).rejects.toMatchObject({ code: "run-not-found" });
    await one.clock.advance(0);
    await one.agent.deleteRun(runId);
    await one.clock.runUntil(failed);
    expect(one.clock.pendingTimers).toBe(0);
  });

  it("must be events, and the clock a clock", () => {
    const wrong = (events: unknown, options?: object) => () =>
      toEventStream(events as AsyncIterable<AgentEvent>, options);
    expect(wrong(undefined)).toThrow(
      /"events" must be an async iterable, such as agent.events\(runId\); it is missing/,
    );
    expect(wrong([])).toThrow(/received an array of length 0/);
    expect(wrong(setUp().agent.events("r1"), { clock: 5 })).toThrow(/"clock" must be a clock/);
    expect(wrong(setUp().agent.events("r1"), { commentMs: 5 })).toThrow(/Unknown option "commentMs"/);
  });
});
