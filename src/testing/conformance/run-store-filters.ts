import assert from "node:assert/strict";
import type { AgentEvent, PendingItem } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ListRunsOptions, RunStore } from "../../core/run-store.ts";
import { assertFails, assertSame } from "./conformance-case.ts";
import {
  at,
  fillStore,
  listIds,
  planEnd,
  type RunStoreCase,
  runEnd,
  runResume,
  runStart,
  runSuspend,
  stepStart,
} from "./run-store-case.ts";

const hash = "0".repeat(64);

/** Records a run with the given metadata. */
async function addRun(store: RunStore, runId: string, metadata: JsonObject, minute = 0): Promise<void> {
  await store.append(runId, [{ ...runStart(runId, { minute }), metadata } as AgentEvent], { sequence: 1 });
}

/** The summary of the only run in the list, without its id, status, metadata and first times. */
async function summaryOf(store: RunStore): Promise<object> {
  const [summary] = (await store.list()).runs;
  const {
    runId: _runId,
    status: _status,
    metadata: _metadata,
    createdAt: _at,
    updatedAt: _then,
    ...rest
  } = { ...summary };
  return rest;
}

/** The requirements for filters and summaries of lists. */
export const filterCases: readonly RunStoreCase[] = [
  {
    name: "summaries: state when the first step started and when the run ended, if it has",
    async check({ store }) {
      await store.append("r", [runStart("r")], { sequence: 1 });
      await store.append("r", [stepStart("r", 2, 1)], { sequence: 2 });
      await store.append("r", [stepStart("r", 3, 2), runEnd("r", { sequence: 4, minute: 3 })], { sequence: 3 });
      assertSame(await summaryOf(store), { startedAt: at(1), endedAt: at(3) });
    },
  },
  {
    name: "summaries: state why a run ended, until it is resumed",
    async check({ store }) {
      const error = { code: "cancelled", message: "It ended" };
      await store.append("r", [runStart("r"), runEnd("r", { status: "failed", minute: 1 })], { sequence: 1 });
      assertSame(await summaryOf(store), { endedAt: at(1), error });
      await store.append("r", [runResume("r", 3, 2)], { sequence: 3 });
      assertSame(await summaryOf(store), {});
      await store.append("r", [runEnd("r", { sequence: 4, status: "interrupted" })], { sequence: 4 });
      assertSame(await summaryOf(store), { error: { ...error, code: "interrupted" } });
    },
  },
  {
    name: "summaries: list what a run waits for, as many items as fit, until it is resumed",
    async check({ store }) {
      const waiting: PendingItem[] = [
        { kind: "plan-approval", hash },
        { kind: "outcome", stepId: "s1", iteration: 0 },
        { kind: "approval", stepId: "s2", tool: "Fake", input: { text: "long" }, hash, effect: "once" },
      ];
      const many: PendingItem[] = Array.from({ length: 9 }, (_, index) => ({ kind: "outcome", stepId: `t${index}` }));
      const suspend = { ...runSuspend("r", 2), pending: [...waiting, ...many] } as AgentEvent;
      await store.append("r", [runStart("r"), suspend], { sequence: 1 });
      const items = [
        ...waiting.slice(0, 2),
        { kind: "approval", stepId: "s2", tool: "Fake", hash },
        ...many.slice(0, 7),
      ];
      const kinds = ["approval", "plan-approval", "outcome"];
      assertSame(await summaryOf(store), { pending: { count: 12, items, kinds } });
      await store.append("r", [runResume("r", 3)], { sequence: 3 });
      assertSame(await summaryOf(store), {});
    },
  },
  {
    name: "summaries: add up what models used",
    async check({ store }) {
      const usage = { modelCalls: 1, inputTokens: 10, outputTokens: 5, cost: 0.5 };
      const planned = (sequence: number) => ({ ...planEnd("r", sequence, "completed"), usage }) as AgentEvent;
      await store.append("r", [runStart("r", { request: "Add milk" }), planned(2)], { sequence: 1 });
      assertSame(await summaryOf(store), { request: "Add milk", usage });
      await store.append("r", [planned(3)], { sequence: 3 });
      const both = { modelCalls: 2, inputTokens: 20, outputTokens: 10, cost: 1 };
      assertSame(await summaryOf(store), { request: "Add milk", usage: both });
    },
  },
  {
    name: "filters: select by metadata: all of the given keys, each with exactly that value",
    async check({ store }) {
      const order = { id: 7, lines: [{ sku: "a", count: 1 }] };
      await addRun(store, "r1", { tenant: "a", order }, 1);
      await addRun(store, "r2", { tenant: "a", user: null, nested: { tenant: "b" } }, 2);
      await addRun(store, "r3", { tenant: "b", text: "\u0000 '\"%_\u{1F600}" }, 3);
      await addRun(store, "r4", {}, 4);
      const found = (metadata: JsonObject) => listIds(store, { metadata });
      assert.equal(await found({ tenant: "a" }), "r2 r1");
      assert.equal(await found({ tenant: "A" }), "");
      assert.equal(await found({ tenant: "a", user: null }), "r2");
      assert.equal(await found({ tenant: "b", user: null }), "");
      assert.equal(await found({ order: { lines: [{ count: 1, sku: "a" }], id: 7 } }), "r1");
      assert.equal(await found({ order: { id: 7 } }), "");
      assert.equal(await found({ text: "\u0000 '\"%_\u{1F600}" }), "r3");
      assert.equal(await found({ toString: null, constructor: null }), "");
      assert.equal(await found({}), "r4 r3 r2 r1");
    },
  },
  {
    name: "filters: select by metadata together with all other filters, on each page",
    async check({ store }) {
      for (let number = 1; number <= 8; number++) {
        await addRun(store, `r${number}`, { tenant: number % 4 === 0 ? "b" : "a", all: true }, number);
      }
      for (const id of ["r1", "r5", "r8"]) await store.append(id, [runEnd(id)], { sequence: 2 });
      await store.claim("r6", { owner: "ada", ttlMs: 1_000 });
      const a = { metadata: { all: true, tenant: "a" } };
      assert.equal(await listIds(store, { ...a, status: "completed" }), "r5 r1");
      assert.equal(await listIds(store, { ...a, status: ["completed", "failed"], since: at(2) }), "r5");
      assert.equal(await listIds(store, { ...a, since: at(3), until: at(7) }), "r6 r5 r3");
      assert.equal(await listIds(store, { ...a, resumable: true }), "r7 r3 r2");
      const { cursor } = await store.list({ ...a, limit: 2 });
      assert.notEqual(cursor, undefined);
      assert.equal(await listIds(store, { ...a, limit: 9, ...(cursor !== undefined && { cursor }) }), "r5 r3 r2 r1");
    },
  },
  {
    name: "filters: select by the time before which a run was created, on each page",
    async check({ store }) {
      await fillStore(store, 5);
      assert.equal(await listIds(store, { until: at(3) }), "r2 r1");
      assert.equal(await listIds(store, { until: at(1) }), "");
      assert.equal(await listIds(store, { since: at(2), until: at(4) }), "r3 r2");
      assert.equal(await listIds(store, { until: at(9), status: "running", limit: 1 }), "r5");
      const { cursor } = await store.list({ until: at(5), limit: 2 });
      assert.equal(await listIds(store, { until: at(5), ...(cursor !== undefined && { cursor }) }), "r2 r1");
    },
  },
  {
    name: "filters: select suspended runs by what they wait for, however much that is, until they are resumed",
    async check({ store }) {
      const many: PendingItem[] = Array.from({ length: 12 }, (_, index) => ({ kind: "outcome", stepId: `t${index}` }));
      const approval: PendingItem = { kind: "approval", stepId: "s", tool: "Fake", input: {}, hash, effect: "once" };
      const waiting: readonly (readonly PendingItem[])[] = [
        [approval],
        [{ kind: "plan-approval", hash }],
        [...many, approval],
        [{ kind: "wait", stepId: "s", event: "paid" }],
        [],
      ];
      await fillStore(store, 6);
      for (const [index, pending] of waiting.entries()) {
        const id = `r${index + 1}`;
        await store.append(id, [{ ...runSuspend(id, 2), pending } as AgentEvent], { sequence: 2 });
      }
      const found = (options: ListRunsOptions) => listIds(store, options);
      assert.equal(await found({ pending: "approval" }), "r3 r2 r1");
      assert.equal(await found({ pending: "plan-approval" }), "r2");
      assert.equal(await found({ pending: "outcome" }), "r3");
      assert.equal(await found({ pending: ["plan-approval", "wait"] }), "r4 r2");
      assert.equal(await found({ pending: ["approval", "outcome"] }), "r3 r2 r1");
      assert.equal(await found({ pending: [] }), "");
      assert.equal(await found({ pending: "approval", status: ["suspended", "failed"] }), "r3 r2 r1");
      assert.equal(await found({ pending: "approval", status: "running" }), "");
      assert.equal(await found({ pending: "approval", metadata: { user: "ada" }, since: at(3) }), "r3");
      assert.equal(await found({ pending: "approval", metadata: { user: "bob" } }), "");
      assert.equal(await found({ pending: "approval", resumable: true }), "");
      const { cursor } = await store.list({ pending: ["approval", "outcome", "wait"], limit: 2 });
      assert.notEqual(cursor, undefined);
      const rest = { pending: ["approval", "outcome", "wait"] as const, ...(cursor !== undefined && { cursor }) };
      assert.equal(await found(rest), "r2 r1");
      await store.append("r3", [runResume("r3", 3)], { sequence: 3 });
      await store.delete("r2");
      assert.equal(await found({ pending: ["approval", "outcome", "plan-approval"] }), "r1");
      await assertFails(() => store.list({ pending: "nothing" as never }), "invalid-options");
    },
  },
  {
    name: "filters: list a suspended run as resumable once a wait of it is over, by the clock of leases",
    async check({ store, advance }) {
      const wait = (seconds: number): PendingItem => {
        return {
          kind: "wait",
          stepId: `s${seconds}`,
          until: new Date(Date.parse(at(0)) + seconds * 1_000).toISOString(),
        };
      };
      const waiting = [[wait(60), wait(30)], [wait(90)], [{ kind: "wait", stepId: "s", event: "paid" }]];
      await fillStore(store, 3);
      for (const [index, pending] of waiting.entries()) {
        const id = `r${index + 1}`;
        await store.append(id, [{ ...runSuspend(id, 2), pending } as AgentEvent], { sequence: 2 });
      }
      const resumable = (options: ListRunsOptions = {}) => listIds(store, { ...options, resumable: true });
      const { runs } = await store.list();
      assertSame(
        runs.map(({ resumeAt }) => resumeAt ?? null),
        [null, at(1.5), at(0.5)],
      );
      advance(29_999);
      assert.equal(await resumable(), "");
      advance(1);
      assert.equal(await resumable(), "r1");
      assert.equal(await resumable({ metadata: { user: "ada" } }), "r1");
      assert.equal(await resumable({ pending: "wait" }), "r1");
      assert.equal(await resumable({ status: "running" }), "");
      advance(60_000);
      assert.equal(await resumable(), "r2 r1");
      await store.claim("r2", { owner: "ada", ttlMs: 1_000 });
      assert.equal(await resumable(), "r1");
      await store.append("r1", [runResume("r1", 3), runSuspend("r1", 4)], { sequence: 3 });
      assert.equal(await resumable(), "");
    },
  },
  {
    name: "filters: refuse an invalid time, and metadata that cannot be compared",
    async check({ store }) {
      await assertFails(() => store.list({ until: "tomorrow" }), "invalid-options");
      for (const metadata of [null, [], { user: undefined }, { user: () => {} }] as never[]) {
        await assertFails(() => store.list({ metadata }), "invalid-options");
      }
    },
  },
];
