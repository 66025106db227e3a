import { createHash } from "node:crypto";
import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type RunResult,
  type RunStore,
} from "planwright";
import { createManualClock, forEachKillPoint } from "planwright/testing";
import { expect, it } from "vitest";
import { z } from "zod/v4";
import { canonicalJson } from "../../../src/core/json.ts";

const note = defineTool({
  name: "Note",
  description: "Takes a note",
  inputSchema: z.object({ title: z.string(), isRisky: z.boolean().optional() }),
  effect: "idempotent",
  needsApproval: ({ isRisky }) => isRisky === true,
  execute: ({ title }) => ({ "2": title, "10": -0, b: "\ud800", a: 1e21 }),
});

const agentOf = (options: Partial<AgentOptions> = {}) =>
  createAgent({ tools: [note], clock: createManualClock(), evidence: true, ...options });

const plan = {
  steps: ["a", "b", "c"].map((title) => ({ id: title, tool: "Note", input: { title }, dependsOn: [] })),
};
const risky = { steps: [...plan.steps, { id: "d", tool: "Note", input: { title: "d", isRisky: true } }] };

const changed = (store: RunStore, methods: Partial<RunStore>): RunStore => Object.assign(Object.create(store), methods);

/** Approves what a suspended run asks for. */
function approveIn(options: Partial<AgentOptions>, { runId, pending }: RunResult): Promise<RunResult> {
  const [question] = pending ?? [];
  if (question?.kind !== "approval") throw new Error("It asks for no approval.");
  return agentOf(options).approve(runId, question).result;
}

/** The digests as another program would compute them, by the rule in the documentation. */
function digestsOf(events: readonly AgentEvent[]): string[] {
  const digests: string[] = [];
  let hash = createHash("sha256").update("\n");
  for (const { digest, ...event } of events as readonly (AgentEvent & { digest?: string })[]) {
    hash.update(`${canonicalJson(event)}\n`);
    if (digest === undefined) continue;
    digests.push(hash.digest("hex"));
    hash = createHash("sha256").update(`${digests.at(-1)}\n`);
  }
  return digests;
}

const stated = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => ("digest" in event && event.digest !== undefined ? [[event.type, event.digest]] : []));

/** That each digest is right, in the store as for listeners, and that the last event has one. */
async function expectEvidence(store: Pick<RunStore, "read">, runId: string): Promise<string[]> {
  const events = await store.read(runId);
  expect(stated(events).map(([, digest]) => digest)).toEqual(digestsOf(events));
  expect(events.at(-1)).toHaveProperty("digest");
  return stated(events).map(([type]) => String(type));
}

it("a run's last event states the digest of all its events, and its result does", async () => {
  const store = createMemoryRunStore();
  const agent = agentOf({ store });
  const told: AgentEvent[] = [];
  agent.subscribe((event) => void told.push(event));
  const result = await agent.execute(plan);
  expect(await expectEvidence(store, result.runId)).toEqual(["run-end"]);
  expect(result.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(stated(told)).toEqual([["run-end", result.digest]]);
  expect((await agent.getRun(result.runId))?.digest).toBe(result.digest);
});

it("nothing has a digest without the option", async () => {
  const store = createMemoryRunStore();
  const { runId, ...result } = await agentOf({ store, evidence: undefined }).execute(plan);
  expect(JSON.stringify([result, await store.read(runId)])).not.toContain("digest");
});

it("each execution goes on from the digest before it", async () => {
  const store = createMemoryRunStore();
  const suspended = await agentOf({ store }).execute(risky);
  expect(suspended.status).toBe("suspended");
  const ended = await approveIn({ store }, suspended);
  expect(ended.status).toBe("completed");
  expect(await expectEvidence(store, ended.runId)).toEqual(["run-suspend", "run-resume", "run-end"]);
  expect(ended.digest).not.toBe(suspended.digest);
});

it.each(["sync", "async"] as const)(
  "wherever its process is killed, what it had recorded is covered when it is resumed, with a store that is %s",
  async (kind) => {
    const createStore = (): RunStore => {
      const store = createMemoryRunStore();
      if (kind === "sync") return store;
      return changed(store, { append: async (...given) => store.append(...given) });
    };
    const kinds = new Set<string>();
    await forEachKillPoint({
      createStore,
      run: ({ store }) => agentOf({ store }).execute(plan, { runId: "r1" }),
      resume: ({ store }) => agentOf({ store }).resume("r1"),
      check: async ({ store, result }) => {
        expect(result.status).toBe("completed");
        kinds.add((await expectEvidence(store, "r1")).join());
      },
    });
    expect(kinds).toEqual(new Set(["run-resume,run-end", "run-end"]));
  },
);

it("an agent with the option covers what one without it has recorded, as it is stored", async () => {
  const store = createMemoryRunStore();
  const suspended = await agentOf({ store, evidence: false }).execute(risky);
  const { runId } = suspended;
  const events = await store.read(runId);
  const old = createMemoryRunStore();
  const asBefore = events.map((event) => (event.type === "run-start" ? { ...event, seen: 1 } : event));
  await old.append(runId, asBefore as readonly AgentEvent[], { sequence: 1 });
  expect((await approveIn({ store: old }, suspended)).status).toBe("completed");
  expect(await expectEvidence(old, runId)).toEqual(["run-resume", "run-end"]);
});

it("a store that cannot be read again leaves the run as it is", async () => {
  const store = createMemoryRunStore();
  const suspended = await agentOf({ store }).execute(risky);
  const { runId } = suspended;
  const before = await store.read(runId);
  const fails = changed(store, {
    read: (id, options) => {
      if (options?.after === before.length) throw new Error("The disk is gone");
      return store.read(id, options);
    },
  });
  const approving = approveIn({ store: fails }, suspended);
  await expect(approving).rejects.toMatchObject({ code: "store-failed", details: { operation: "read" } });
  expect(await store.read(runId)).toEqual(before);
  expect((await approveIn({ store }, suspended)).status).toBe("completed");
});
