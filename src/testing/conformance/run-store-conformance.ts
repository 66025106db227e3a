import assert from "node:assert/strict";
import { type AgentEvent, formatVersion, type PendingItem, type RunStartEvent } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { checkKeys, checkOption, failOption } from "../../core/option-tables.ts";
import type { Plan } from "../../core/plan.ts";
import type { ListRunsOptions, RunPage, RunStore } from "../../core/run-store.ts";
import type { RunStatus } from "../../core/run-summary.ts";
import { assertFails, assertSame, type ConformanceCase, conformanceCase, failureOf } from "./conformance-case.ts";

/** Options of {@link runStoreConformance}. @inline */
export interface RunStoreConformanceOptions<TStore extends RunStore> {
  /** Creates an empty store for each case. Its leases must use `now`, a clock in ms that only the case moves. */
  createStore(options: { readonly now: () => number }): TStore | Promise<TStore>;
  /** Closes a store after its case has ended or failed. */
  closeStore?: ((store: TStore) => void | Promise<void>) | undefined;
}

/**
 * Returns the requirements for every {@link RunStore}, as cases for a test runner: events, lists, leases and fences,
 * messages, deletion. Each case has its own store. Throws `invalid-options`.
 * {@includeCode ../../../examples/24-your-own-store.ts} @group Storage
 */
export function runStoreConformance<TStore extends RunStore>(
  options: RunStoreConformanceOptions<TStore>,
): readonly ConformanceCase[] {
  checkKeys("options", options, ["createStore", "closeStore"]);
  const { createStore, closeStore } = options;
  if (typeof createStore !== "function") failOption("createStore", createStore, "a function that returns a store");
  checkOption({ type: "function" }, closeStore, "closeStore");
  return Object.entries(cases).map(([name, check]) =>
    conformanceCase(name, async () => {
      let nowMs = firstMs;
      const store = await createStore({ now: () => nowMs });
      const advance = (ms: number) => {
        nowMs += ms;
      };
      const failure = await failureOf(() => check(store, advance));
      const closing = await failureOf(() => closeStore?.(store));
      const first = failure ?? closing;
      if (first !== undefined) throw first.thrown;
    }),
  );
}

type Check = (store: RunStore, advance: (ms: number) => void) => Promise<void>;

async function fillStore(store: RunStore, count: number, from = 1): Promise<void> {
  for (let number = from; number <= count; number++) {
    await store.append(`r${number}`, [runStart(`r${number}`, { minute: number })], { sequence: 1 });
  }
}

export async function listIds(store: RunStore, options?: ListRunsOptions): Promise<string> {
  return joinIds(await store.list(options));
}

async function assertLists(store: RunStore, ids: string, ...queries: readonly ListRunsOptions[]): Promise<void> {
  for (const query of queries) assertSame({ ...query, ids: await listIds(store, query) }, { ...query, ids });
}

function joinIds({ runs }: RunPage): string {
  return runs.map(({ runId }) => runId).join(" ");
}

const firstMs = Date.UTC(2026, 0, 1);

export function at(minute: number): string {
  return new Date(firstMs + minute * 60_000).toISOString();
}

const oddText = 'use ${HOME} {"$ref":"s1"} \u0000 \u{1F600}';
const oddFilter = "\u0000 '\"%_\u{1F600}";

function samplePlan(minute: number): Plan {
  const steps = [{ id: "s1", tool: "Fake", input: { text: oddText } }];
  return { version: 1, id: "plan_1", request: "", source: { planner: "given" }, createdAt: at(minute), steps };
}

type SampleStart = Partial<Pick<RunStartEvent, "request" | "metadata" | "thread">> & { readonly minute?: number };

export function runStart(runId: string, { minute = 0, ...start }: SampleStart = {}): AgentEvent {
  const base = { type: "run-start", version: formatVersion, runId, sequence: 1, timestamp: at(minute) } as const;
  const options = { maxSteps: 10, concurrency: 1, timeZone: "UTC" };
  const plan = start.request === undefined && { plan: samplePlan(minute) };
  return { ...base, ...plan, metadata: { user: "ada" }, ...start, options, tools: [] };
}

export function planEnd(runId: string, sequence: number, status: "completed" | "failed"): AgentEvent {
  const details = { planner: "x" };
  const error = { name: "AgentError", code: "planning-failed", message: "", retryable: false, details } as const;
  const outcome = status === "completed" ? { status, plan: samplePlan(0) } : { status, error };
  return { type: "plan-end", runId, sequence, timestamp: at(0), outcome };
}

export function runResume(runId: string, sequence: number, minute = 0): AgentEvent {
  return { type: "run-resume", runId, sequence, timestamp: at(minute), version: formatVersion, tools: [] };
}

function runSuspend(runId: string, sequence: number, pending: readonly PendingItem[] = []): AgentEvent {
  return { type: "run-suspend", runId, sequence, timestamp: at(0), pending };
}

export function stepStart(runId: string, sequence: number, minute = 0): AgentEvent {
  const base = { type: "step-start", stepId: `s${sequence}`, tool: "Fake", input: { n: sequence } } as const;
  return { ...base, runId, sequence, timestamp: at(minute) };
}

export type EndStatus = "completed" | "failed" | "cancelled" | "interrupted";

export function runEnd(
  runId: string,
  { sequence = 2, status = "completed", minute = 0 }: { sequence?: number; status?: EndStatus; minute?: number } = {},
): AgentEvent {
  const code = status === "interrupted" ? status : "cancelled";
  const details = { reason: "stop" };
  const error = { name: "AgentError", code, message: "It ended", retryable: false, details } as const;
  const outcome = status === "completed" ? { status, output: null } : { status, error };
  return { type: "run-end", runId, sequence, timestamp: at(minute), outcome };
}

const ends: readonly EndStatus[] = ["completed", "failed", "cancelled", "interrupted"];
const ada = { owner: "ada", ttlMs: 1_000 };
const bob = { owner: "bob", ttlMs: 1_000 };
const byAda = { metadata: { user: "ada" } };

async function readPages(
  store: RunStore,
  options: ListRunsOptions,
  between: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page: RunPage = await store.list({ ...options, cursor });
    pages.push(joinIds(page));
    cursor = page.cursor;
    await between();
  } while (cursor !== undefined);
  return pages;
}

async function cursorAfter(store: RunStore, query: ListRunsOptions): Promise<string> {
  const { cursor } = await store.list(query);
  assert.ok(cursor, "a page before the last has no cursor");
  return cursor;
}

const hash = "0".repeat(64);

async function record(store: RunStore, ...events: readonly [AgentEvent, ...AgentEvent[]]): Promise<void> {
  const [{ runId, sequence }] = events;
  await store.append(runId, events, { sequence });
}

async function summaryOf(store: RunStore): Promise<object> {
  const [summary] = (await store.list()).runs;
  const common = ["runId", "status", "metadata", "createdAt", "updatedAt"];
  return Object.fromEntries(Object.entries({ ...summary }).filter(([key]) => !common.includes(key)));
}

function assertHigher(what: string, later: number, earlier: number): void {
  assert.ok(later > earlier, `the ${what} is ${later}; expected more than the previous one, ${earlier}`);
}

const say = (text: string) => ({ type: "note", text });

async function postedTo(store: RunStore, runId: string, owner = ada): Promise<readonly unknown[]> {
  const { posted = [] } = await store.claim(runId, owner);
  return posted.map(({ message }) => (message as { text: unknown }).text);
}

async function post(store: RunStore, runId: string, text: string): Promise<number> {
  const { number } = await store.post(runId, say(text));
  assert.equal(typeof number, "number", `the number of a message is ${number}`);
  return number as number;
}

const cases: Readonly<Record<string, Check>> = {
  "events: reads what was appended, in order and unchanged": async (store) => {
    const events = [runStart("r"), stepStart("r", 2), stepStart("r", 3), runEnd("r", { sequence: 4 })];
    await store.append("r", events.slice(0, 1), { sequence: 1 });
    await store.append("r", events.slice(1, 3), { sequence: 2 });
    await store.append("r", events.slice(3), { sequence: 4 });
    assertSame(await store.read("r"), events);
  },
  "events: reads by page": async (store) => {
    await record(store, runStart("r"), stepStart("r", 2), stepStart("r", 3));
    const sequences = async (options: { after?: number; limit?: number }) =>
      (await store.read("r", options)).map(({ sequence }) => sequence);
    assertSame(await sequences({ after: 0 }), [1, 2, 3]);
    assertSame(await sequences({ after: 1 }), [2, 3]);
    assertSame(await sequences({ limit: 2 }), [1, 2]);
    assertSame(await sequences({ after: 1, limit: 1 }), [2]);
    assertSame(await sequences({ after: 3 }), []);
    assertSame(await sequences({ after: 99 }), []);
  },
  "events: reads a run of a thousand events": async (store) => {
    const steps = Array.from({ length: 999 }, (_, index) => stepStart("r", index + 2));
    await record(store, runStart("r"), ...steps);
    assertSame(await store.read("r"), [runStart("r"), ...steps]);
    assertSame(await store.read("r", { after: 998 }), steps.slice(-2));
  },
  "events: keeps runs apart, whatever their ids are": async (store) => {
    const ids = ["a", "A", "a.b", "a-b", "__proto__", "constructor", "0", "x".repeat(128)];
    for (const id of ids) await record(store, runStart(id));
    for (const id of ids) assertSame(await store.read(id), [runStart(id)]);
  },
  "events: refuses every number but the next, and then records nothing": async (store) => {
    for (const sequence of [0, 2]) {
      await assertFails(() => store.append("r", [stepStart("r", sequence)], { sequence }), "run-conflict");
    }
    assertSame(await store.read("r"), []);
    await record(store, runStart("r"), stepStart("r", 2));
    for (const sequence of [1, 2, 4]) {
      const events = [stepStart("r", sequence), stepStart("r", sequence + 1)];
      await assertFails(() => store.append("r", events, { sequence }), "run-conflict");
    }
    assertSame(await store.read("r"), [runStart("r"), stepStart("r", 2)]);
    await record(store, stepStart("r", 3));
    assert.equal((await store.read("r")).length, 3);
  },
  "events: records all of an append, or nothing, even if it is read meanwhile": async (store) => {
    const events = [runStart("r"), stepStart("r", 2), stepStart("r", 3)];
    const appending = store.append("r", events, { sequence: 1 });
    const meanwhile = [];
    for (let turn = 0; turn < 5; turn++) {
      meanwhile.push((await store.read("r")).length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await appending;
    const partly = meanwhile.filter((count) => count !== 0 && count !== events.length);
    assert.deepEqual(partly, [], "a part of an append was read");
    assertSame(await store.read("r"), events);
  },
  "events: never adds to a list of events that was read before": async (store) => {
    await record(store, runStart("r"));
    const before = await store.read("r");
    await record(store, stepStart("r", 2));
    assert.equal(before.length, 1);
  },
  "events: returns nothing for a run that was never recorded, or has no events": async (store) => {
    assertSame(await store.read("none"), []);
    await assertLists(store, "", {});
    await store.append("r", [], { sequence: 1 });
    await assertLists(store, "", {});
    await record(store, runStart("r"));
    await store.append("r", [], { sequence: 2 });
    assert.equal((await store.read("r")).length, 1);
  },
  "events: lets one of two writers win": async (store) => {
    await record(store, runStart("r"));
    const write = async (minute: number) => record(store, stepStart("r", 2, minute));
    const settled = await Promise.allSettled([write(1), write(2)]);
    const winner = settled.findIndex(({ status }) => status === "fulfilled");
    const loser = settled[1 - winner];
    assert.equal(loser?.status, "rejected");
    await assertFails(() => Promise.reject(loser.reason), "run-conflict");
    assertSame(await store.read("r"), [runStart("r"), stepStart("r", 2, winner + 1)]);
  },
  "lists: contains the id, request, status and times of each run, the newest first": async (store) => {
    await record(store, runStart("a", { request: "Add milk", minute: 1 }));
    await record(store, runStart("b", { minute: 2 }));
    await record(store, runEnd("a", { minute: 3 }));
    const metadata = { user: "ada" };
    assertSame(await store.list(), {
      runs: [
        { runId: "b", status: "running", metadata, createdAt: at(2), updatedAt: at(2) },
        {
          ...{ runId: "a", status: "completed", request: "Add milk", metadata },
          ...{ createdAt: at(1), updatedAt: at(3), endedAt: at(3) },
        },
      ],
    });
  },
  "lists: contains a run whose start is missing, as one that is being planned": async (store) => {
    await record(store, stepStart("a", 1, 1));
    const times = { createdAt: at(1), updatedAt: at(1), startedAt: at(1) };
    assertSame(await store.list(), { runs: [{ runId: "a", status: "planning", metadata: {}, ...times }] });
  },
  "lists: follows the status of a run": async (store) => {
    const follow = async (event: AgentEvent, status: RunStatus) => {
      await record(store, event);
      assert.equal((await store.list()).runs[0]?.status, status);
    };
    await follow(runStart("a", { request: "Add milk" }), "planning");
    await follow(planEnd("a", 2, "failed"), "planning");
    await follow(planEnd("a", 3, "completed"), "running");
    await follow(runSuspend("a", 4), "suspended");
    for (const [index, status] of ends.entries()) {
      await follow(runResume("a", 5 + 2 * index), "running");
      await follow(runEnd("a", { sequence: 6 + 2 * index, status }), status);
    }
  },
  "lists: keeps the time of creation when a run is resumed": async (store) => {
    await record(store, runStart("a", { minute: 1 }));
    await record(store, runResume("a", 2, 7));
    const { runs } = await store.list();
    assertSame(runs, [
      { runId: "a", status: "running", metadata: { user: "ada" }, createdAt: at(1), updatedAt: at(7) },
    ]);
  },
  "lists: leaves out a run that is only claimed": async (store) => {
    await store.claim("a", ada);
    await assertLists(store, "", {}, { resumable: true });
  },
  "lists: selects by status: one, or any of several": async (store) => {
    await fillStore(store, 3);
    await record(store, runEnd("r1"));
    await record(store, runEnd("r3", { status: "cancelled" }));
    await assertLists(store, "r1", { status: "completed" });
    await assertLists(store, "r2", { status: "running" });
    await assertLists(store, "r3 r1", { status: ["cancelled", "completed"] });
    await assertLists(store, "", { status: "suspended" }, { status: [] });
  },
  "lists: selects by the time of creation, exactly that time included, in any time zone": async (store) => {
    await fillStore(store, 3);
    await record(store, stepStart("r1", 2, 9));
    await assertLists(store, "r3 r2", { since: at(2) }, { since: "2026-01-01T02:02:00+02:00" });
    await assertLists(store, "", { since: at(4) });
    await fillStore(store, 4, 4);
    await record(store, runEnd("r4"));
    await assertLists(store, "r3", { status: "running", since: at(2), limit: 1 });
  },
  "lists: selects the runs that have not ended and have no owner": async (store) => {
    await record(store, runStart("planning", { request: "Add milk" }));
    await fillStore(store, 2);
    for (const status of ends) await record(store, runStart(status), runEnd(status, { status }));
    const found = async (resumable: boolean) => (await listIds(store, { resumable })).split(" ").sort();
    await record(store, runSuspend("r1", 2));
    assertSame(await found(true), ["interrupted", "planning", "r2"]);
    assert.equal((await found(false)).length, 7);
    await record(store, runResume("r1", 3));
    assertSame(await found(true), ["interrupted", "planning", "r1", "r2"]);
  },
  "lists: does not call a run resumable while a lease on it lasts": async (store, advance) => {
    await fillStore(store, 3);
    await store.claim("r1", ada);
    const { fence } = await store.claim("r2", { owner: "bob", ttlMs: 2_000 });
    await assertLists(store, "r3", { resumable: true });
    await assertLists(store, "r3 r2 r1", {});
    advance(999);
    await assertLists(store, "r3", { resumable: true });
    advance(1);
    await assertLists(store, "r3 r1", { resumable: true });
    await store.release("r2", { owner: "bob", fence });
    await assertLists(store, "r3 r2 r1", { resumable: true });
    await store.claim("r3", { owner: "ada", ttlMs: store.isVolatile ? Number.POSITIVE_INFINITY : 10_000_000_000 });
    advance(1_000_000_000);
    await assertLists(store, "r2 r1", { resumable: true });
  },
  "lists: ignores a lease that starts in the future, as when the clock was set back": async (store, advance) => {
    await fillStore(store, 1);
    await store.claim("r1", ada);
    advance(-3_600_000);
    await assertLists(store, "r1", { resumable: true });
    await store.claim("r1", ada);
    await assertLists(store, "", { resumable: true });
  },
  "lists: selects resumable runs by status, by time and by page, too": async (store) => {
    await record(store, runStart("r0", { request: "Add milk" }));
    await fillStore(store, 5);
    await record(store, runEnd("r5"));
    await store.claim("r3", ada);
    await assertLists(store, "r0", { resumable: true, status: "planning" });
    await assertLists(store, "r4 r2 r1", { resumable: true, status: ["running", "completed"] });
    await assertLists(store, "", { resumable: true, status: "completed" });
    await assertLists(store, "r4 r2", { resumable: true, since: at(2) });
    assertSame(await readPages(store, { resumable: true, limit: 2 }), ["r4 r2", "r1 r0"]);
  },
  "lists: goes through all runs page by page, and has no cursor on the last": async (store) => {
    await fillStore(store, 5);
    assertSame(await readPages(store, { limit: 2 }), ["r5 r4", "r3 r2", "r1"]);
    assertSame(await readPages(store, { limit: 5 }), ["r5 r4 r3 r2 r1"]);
    assert.equal((await readPages(store, { limit: 1_000 })).length, 1);
  },
  "lists: applies the same filter on each page": async (store) => {
    await fillStore(store, 9);
    for (const number of [2, 4, 6, 8]) await record(store, runEnd(`r${number}`));
    assertSame(await readPages(store, { status: "completed", limit: 1 }), ["r8", "r6", "r4", "r2"]);
    assertSame(await readPages(store, { status: ["running", "failed"], limit: 2 }), ["r9 r7", "r5 r3", "r1"]);
    assertSame(await readPages(store, { since: at(5), limit: 2 }), ["r9 r8", "r7 r6", "r5"]);
    assertSame(await readPages(store, { resumable: true, limit: 2 }), ["r9 r7", "r5 r3", "r1"]);
  },
  "lists: neither repeats nor misses a run while runs are added and changed": async (store) => {
    await fillStore(store, 5);
    let number = 5;
    const addRun = async () => {
      const id = `r${++number}`;
      await record(store, runStart(id, { minute: number }));
      if (number === 6) await record(store, stepStart("r1", 2, number));
    };
    assertSame(await readPages(store, { limit: 2 }, addRun), ["r5 r4", "r3 r2", "r1"]);
  },
  "lists: keeps runs of the same moment in a stable order": async (store) => {
    for (const id of ["a", "b", "c", "d"]) await record(store, runStart(id));
    const pages = await readPages(store, { limit: 1 });
    assertSame([...pages].sort(), ["a", "b", "c", "d"]);
  },
  "lists: returns 100 runs at a time by default": async (store) => {
    await fillStore(store, 101);
    const { runs, cursor } = await store.list();
    assert.equal(runs.length, 100);
    assert.notEqual(cursor, undefined);
  },
  "lists: refuses a status, a limit, a cursor, a time or another option that is invalid": async (store) => {
    await fillStore(store, 1);
    const limits = [0, -1, 1.5, 1_001, Number.NaN].map((limit) => ({ limit }));
    const metadata = [null, [], { user: undefined }, { user: () => {} }].map((value) => ({ metadata: value as never }));
    const threads = ["", "x".repeat(201), 7 as never].map((thread) => ({ thread }));
    const times = [{ since: "yesterday" }, { until: "tomorrow" }];
    const others = [{ status: "nope" }, { pending: "nothing" }, { resumable: 1 }] as never[];
    for (const options of [...limits, ...times, { cursor: "not a cursor" }, ...others, ...metadata, ...threads]) {
      await assertFails(() => store.list(options), "invalid-options");
    }
  },
  "summaries: state when the first step started and when the run ended, if it has": async (store) => {
    await record(store, runStart("r"));
    await record(store, stepStart("r", 2, 1));
    await record(store, stepStart("r", 3, 2), runEnd("r", { sequence: 4, minute: 3 }));
    assertSame(await summaryOf(store), { startedAt: at(1), endedAt: at(3) });
  },
  "summaries: state why a run ended, until it is resumed": async (store) => {
    const error = { code: "cancelled", message: "It ended" };
    await record(store, runStart("r"), runEnd("r", { status: "failed", minute: 1 }));
    assertSame(await summaryOf(store), { endedAt: at(1), error });
    await record(store, runResume("r", 3, 2));
    assertSame(await summaryOf(store), {});
    await record(store, runEnd("r", { sequence: 4, status: "interrupted" }));
    assertSame(await summaryOf(store), { error: { ...error, code: "interrupted" } });
  },
  "summaries: list as many pending items of a run as fit, until it is resumed": async (store) => {
    const waiting: PendingItem[] = [
      { kind: "plan-approval", hash },
      { kind: "outcome", stepId: "s1", iteration: 0 },
      { kind: "approval", stepId: "s2", tool: "Fake", input: { text: "long" }, hash, effect: "once" },
      { kind: "mismatch", reason: "x".repeat(600), differences: [{ message: "x" }] },
      { kind: "given-up", reason: "it died", deaths: 3 },
    ];
    const many: PendingItem[] = Array.from({ length: 9 }, (_, index) => ({ kind: "outcome", stepId: `t${index}` }));
    await record(store, runStart("r"), runSuspend("r", 2, [...waiting, ...many]));
    const shown = [
      { kind: "approval", stepId: "s2", tool: "Fake", hash },
      { kind: "mismatch", reason: "x".repeat(500) },
      { kind: "given-up", reason: "it died" },
    ];
    const items = [...waiting.slice(0, 2), ...shown, ...many.slice(0, 5)];
    const kinds = ["approval", "plan-approval", "outcome", "mismatch", "given-up"];
    assertSame(await summaryOf(store), { pending: { count: 14, items, kinds } });
    await record(store, runResume("r", 3));
    assertSame(await summaryOf(store), {});
  },
  "summaries: add up the usage of models": async (store) => {
    const usage = { modelCalls: 1, inputTokens: 10, outputTokens: 5, cost: 0.5 };
    const planned = (sequence: number) => ({ ...planEnd("r", sequence, "completed"), usage }) as AgentEvent;
    await record(store, runStart("r", { request: "Add milk" }), planned(2));
    assertSame(await summaryOf(store), { request: "Add milk", usage });
    await store.append("r", [planned(3)], { sequence: 3 });
    const both = { modelCalls: 2, inputTokens: 20, outputTokens: 10, cost: 1 };
    assertSame(await summaryOf(store), { request: "Add milk", usage: both });
  },
  "filters: select by metadata: all given keys, each with exactly the given value": async (store) => {
    const order = { id: 7, lines: [{ sku: "a", count: 1 }] };
    await record(store, runStart("r1", { metadata: { tenant: "a", order }, minute: 1 }));
    await record(store, runStart("r2", { metadata: { tenant: "a", user: null, nested: { tenant: "b" } }, minute: 2 }));
    await record(store, runStart("r3", { metadata: { tenant: "b", text: oddFilter }, minute: 3 }));
    await record(store, runStart("r4", { metadata: {}, minute: 4 }));
    const assertFound = (ids: string, ...filters: readonly JsonObject[]) =>
      assertLists(store, ids, ...filters.map((metadata) => ({ metadata })));
    await assertFound("r2 r1", { tenant: "a" });
    await assertFound("r2", { tenant: "a", user: null });
    await assertFound("r1", { order: { lines: [{ count: 1, sku: "a" }], id: 7 } });
    await assertFound("r3", { text: oddFilter });
    await assertFound("r4 r3 r2 r1", {});
    await assertFound("", { tenant: "A" }, { tenant: "b", user: null }, { order: { id: 7 } });
    await assertFound("", { toString: null, constructor: null });
  },
  "filters: select by thread, apart from metadata, together with other filters, on each page": async (store) => {
    await record(store, runStart("r1", { thread: "ada", minute: 1 }));
    await record(store, runStart("r2", { thread: "Ada", minute: 2 }));
    await record(store, runStart("r3", { thread: "ada", metadata: { tenant: "a" }, minute: 3 }));
    await record(store, runStart("r4", { metadata: { thread: "ada" }, minute: 4 }));
    await record(store, runStart("r5", { thread: oddFilter, minute: 5 }));
    await record(store, runStart("r6", { thread: "ada", minute: 6 }));
    await record(store, runEnd("r3"));
    await assertLists(store, "r6 r3 r1", { thread: "ada" });
    await assertLists(store, "r2", { thread: "Ada" });
    await assertLists(store, "r5", { thread: oddFilter });
    await assertLists(store, "", { thread: "bob" });
    await assertLists(store, "r4", { metadata: { thread: "ada" } });
    await assertLists(store, "r3", { thread: "ada", metadata: { tenant: "a" } });
    await assertLists(store, "r6", { thread: "ada", status: "running", since: at(2) });
    await assertLists(store, "r6 r1", { thread: "ada", resumable: true });
    for (const id of ["r1", "r2"]) {
      await record(store, runSuspend(id, 2));
      await post(store, id, "one");
    }
    await assertLists(store, "r6 r1", { thread: "ada", resumable: true });
    const { runs, cursor } = await store.list({ thread: "ada", limit: 2 });
    assertSame(runs[0]?.thread, "ada");
    await assertLists(store, "r1", { thread: "ada", limit: 9, cursor });
    assert.equal(await store.delete("r3"), true);
    await assertLists(store, "r6 r1", { thread: "ada" });
  },
  "filters: select by metadata together with all other filters, on each page": async (store) => {
    for (let number = 1; number <= 8; number++) {
      const tenant = number % 4 === 0 ? "b" : "a";
      await record(store, runStart(`r${number}`, { metadata: { tenant, all: true }, minute: number }));
    }
    for (const id of ["r1", "r5", "r8"]) await record(store, runEnd(id));
    await store.claim("r6", ada);
    const a = { metadata: { all: true, tenant: "a" } };
    await assertLists(store, "r5 r1", { ...a, status: "completed" });
    await assertLists(store, "r5", { ...a, status: ["completed", "failed"], since: at(2) });
    await assertLists(store, "r6 r5 r3", { ...a, since: at(3), until: at(7) });
    await assertLists(store, "r7 r3 r2", { ...a, resumable: true });
    await assertLists(store, "r5 r3 r2 r1", { ...a, limit: 9, cursor: await cursorAfter(store, { ...a, limit: 2 }) });
  },
  "filters: select by the time before which a run was created, on each page": async (store) => {
    await fillStore(store, 5);
    await assertLists(store, "r2 r1", { until: at(3) });
    await assertLists(store, "", { until: at(1) });
    await assertLists(store, "r3 r2", { since: at(2), until: at(4) });
    await assertLists(store, "r5", { until: at(9), status: "running", limit: 1 });
    await assertLists(store, "r2 r1", { until: at(5), cursor: await cursorAfter(store, { until: at(5), limit: 2 }) });
  },
  "filters: select suspended runs by what they wait for, until they are resumed": async (store) => {
    const many: PendingItem[] = Array.from({ length: 12 }, (_, index) => ({ kind: "outcome", stepId: `t${index}` }));
    const approval: PendingItem = { kind: "approval", stepId: "s", tool: "Fake", input: {}, hash, effect: "once" };
    const question: PendingItem = {
      ...{ kind: "question", stepId: "q", id: "r4/q", message: "Which?", display: "text", allowText: true },
      responseSchema: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] },
    };
    const waiting: readonly (readonly PendingItem[])[] = [
      [approval],
      [{ kind: "plan-approval", hash }],
      [...many, approval],
      [{ kind: "wait", stepId: "s", event: "paid" }, question],
      [],
      [{ kind: "given-up", reason: "it died", deaths: 3 }],
      [{ kind: "mismatch", reason: "no tool", differences: [{ message: "no tool" }] }],
    ];
    await fillStore(store, 8);
    for (const [index, pending] of waiting.entries()) await record(store, runSuspend(`r${index + 1}`, 2, pending));
    const approvals = { pending: "approval" } as const;
    await assertLists(store, "r3 r2 r1", approvals, { ...approvals, status: ["suspended", "failed"] });
    await assertLists(store, "r3 r2 r1", { pending: ["approval", "outcome"] });
    await assertLists(store, "r2", { pending: "plan-approval" });
    await assertLists(store, "r3", { pending: "outcome" });
    await assertLists(store, "r4 r2", { pending: ["plan-approval", "wait"] });
    await assertLists(store, "r4", { pending: "question" });
    await assertLists(store, "r7", { pending: "mismatch" });
    await assertLists(store, "r7 r6", { pending: ["given-up", "mismatch"] });
    await assertLists(store, "r6", { pending: "given-up", ...byAda });
    await assertLists(store, "r3", { ...approvals, ...byAda, since: at(3) });
    await assertLists(store, "", { pending: [] }, { ...approvals, status: "running" });
    await assertLists(store, "", { ...approvals, metadata: { user: "bob" } }, { ...approvals, resumable: true });
    const several = { pending: ["approval", "outcome", "wait"] } as const;
    await assertLists(store, "r2 r1", { ...several, cursor: await cursorAfter(store, { ...several, limit: 2 }) });
    await record(store, runResume("r3", 3));
    await store.delete("r2");
    await assertLists(store, "r1", { pending: ["approval", "outcome", "plan-approval"] });
    await record(store, { ...runStart("r7"), sequence: 3 });
    await assertLists(store, "", { pending: "mismatch" });
    await assertLists(store, "r8 r7 r3", { status: "running", resumable: true, ...byAda });
    await record(store, runSuspend("r7", 4, waiting[3]));
    await assertLists(store, "", { pending: "mismatch" });
    await assertLists(store, "r7 r4", { pending: "wait" });
  },
  "filters: list a suspended run as resumable once one of its waits is over": async (store, advance) => {
    const wait = (seconds: number): PendingItem => ({ kind: "wait", stepId: `s${seconds}`, until: at(seconds / 60) });
    const paid: PendingItem = { kind: "wait", stepId: "s", event: "paid" };
    const waiting = [[wait(60), wait(30)], [wait(90)], [paid]];
    await fillStore(store, 3);
    for (const [index, pending] of waiting.entries()) await record(store, runSuspend(`r${index + 1}`, 2, pending));
    const { runs } = await store.list();
    const resumeAt = runs.map((run) => run.resumeAt ?? null);
    assertSame(resumeAt, [null, at(1.5), at(0.5)]);
    const resumable = { resumable: true };
    advance(29_999);
    await assertLists(store, "", resumable);
    advance(1);
    await assertLists(store, "r1", resumable, { ...resumable, ...byAda }, { ...resumable, pending: "wait" });
    await assertLists(store, "", { ...resumable, status: "running" });
    advance(60_000);
    await assertLists(store, "r2 r1", resumable);
    await store.claim("r2", ada);
    await assertLists(store, "r1", resumable);
    await record(store, runResume("r1", 3), runSuspend("r1", 4));
    await assertLists(store, "", resumable);
  },
  "claims: gives a run to one owner at a time": async (store) => {
    await store.claim("r", ada);
    await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
    await store.claim("other", bob);
  },
  "claims: keeps runs apart, whatever their ids are": async (store) => {
    const ids = ["a", "A", "a.b", "__proto__", "constructor", "0"];
    for (const id of ids) await store.claim(id, { owner: `owner of ${id}`, ttlMs: 1_000 });
    for (const id of ids) await assertFails(() => store.claim(id, bob), "run-owned-elsewhere");
  },
  "claims: gives a run to one of two who claim at once": async (store) => {
    const claim = async (owner: string) => store.claim("r", { owner, ttlMs: 1_000 });
    const settled = await Promise.allSettled([claim("ada"), claim("bob")]);
    assertSame(settled.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  },
  "claims: renews the same claim from now on for an owner that claims again": async (store, advance) => {
    const { fence } = await store.claim("r", ada);
    advance(900);
    assertSame((await store.claim("r", ada)).fence, fence);
    advance(900);
    await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
  },
  "claims: ends a lease when it expires or is released, and the next has a higher fence": async (store, advance) => {
    const { fence: first } = await store.claim("r", ada);
    advance(999);
    await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
    advance(1);
    const { fence } = await store.claim("r", bob);
    assertHigher("fence of a later owner", fence, first);
    await store.release("r", { owner: "bob", fence });
    assertHigher("fence of a later owner", (await store.claim("r", ada)).fence, fence);
  },
  "claims: refuses the fence of an earlier claim or of none, and records nothing": async (store, advance) => {
    const { fence } = await store.claim("r", ada);
    await store.append("r", [runStart("r")], { sequence: 1, fence });
    advance(1_000);
    const { fence: later } = await store.claim("r", bob);
    for (const stale of [fence, later + 1]) {
      const append = () => store.append("r", [stepStart("r", 2)], { sequence: 2, fence: stale });
      await assertFails(append, "run-owned-elsewhere");
    }
    await assertFails(() => store.append("new", [runStart("new")], { sequence: 1, fence: 1 }), "run-owned-elsewhere");
    assert.equal((await store.read("r")).length, 1);
    assertSame(await store.read("new"), []);
    await store.append("r", [stepStart("r", 2)], { sequence: 2, fence: later });
  },
  "claims: records with the fence of the latest claim, even an expired one, and without a fence": async (
    store,
    advance,
  ) => {
    const { fence } = await store.claim("r", ada);
    await store.append("r", [runStart("r")], { sequence: 1, fence });
    await record(store, stepStart("r", 2));
    advance(1_000);
    await store.append("r", [stepStart("r", 3)], { sequence: 3, fence });
    await store.release("r", { owner: "ada", fence });
    await store.append("r", [stepStart("r", 4)], { sequence: 4, fence });
    assert.equal((await store.read("r")).length, 4);
  },
  "claims: lengthens a lease, counted from now": async (store, advance) => {
    const { fence } = await store.claim("r", ada);
    advance(900);
    await store.renew("r", { ...ada, fence });
    advance(900);
    await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
    advance(100);
    await store.claim("r", bob);
  },
  "claims: does not renew a lease that was taken, was released or never existed": async (store, advance) => {
    const { fence } = await store.claim("r", ada);
    await assertFails(() => store.renew("r", { ...ada, fence: fence + 1 }), "run-owned-elsewhere");
    await assertFails(() => store.renew("r", { ...bob, fence }), "run-owned-elsewhere");
    advance(1_000);
    const { fence: later } = await store.claim("r", bob);
    await assertFails(() => store.renew("r", { ...ada, fence }), "run-owned-elsewhere");
    await store.release("r", { owner: "bob", fence: later });
    await assertFails(() => store.renew("r", { ...bob, fence: later }), "run-owned-elsewhere");
    await assertFails(() => store.renew("none", { ...ada, fence: 1 }), "run-owned-elsewhere");
  },
  "claims: releases only what the owner holds, and otherwise does nothing": async (store, advance) => {
    const { fence } = await store.claim("r", ada);
    await store.release("r", { owner: "bob", fence });
    await store.release("r", { owner: "ada", fence: fence + 1 });
    await store.release("none", { owner: "ada", fence });
    await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
    advance(1_000);
    const { fence: later } = await store.claim("r", bob);
    await store.release("r", { owner: "ada", fence });
    await assertFails(() => store.claim("r", ada), "run-owned-elsewhere");
    assertHigher("fence of a later owner", later, fence);
  },
  "claims: ends a lease that starts in the future, as when the clock was set back": async (store, advance) => {
    const { fence } = await store.claim("r", ada);
    advance(-3_600_000);
    const { fence: later } = await store.claim("r", bob);
    assertHigher("fence of a later owner", later, fence);
    await assertFails(() => store.renew("r", { ...ada, fence }), "run-owned-elsewhere");
    advance(999);
    await assertFails(() => store.claim("r", ada), "run-owned-elsewhere");
    advance(1);
    await store.claim("r", ada);
  },
  "claims: starts a lease again when it is renewed after the clock was set back": async (store, advance) => {
    const { fence } = await store.claim("r", ada);
    advance(-3_600_000);
    await store.renew("r", { ...ada, fence });
    await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
    advance(1_000);
    assertHigher("fence of a later owner", (await store.claim("r", bob)).fence, fence);
  },
  "messages: with a lease and each renewal, returns what was posted, until it is acknowledged": async (store) => {
    await fillStore(store, 1);
    const odd = { text: oddText, list: [null, { x: 0.1 }] };
    const { number: first = 0 } = await store.post("r1", odd);
    const second = await post(store, "r1", "two");
    assertHigher("number of a later message", second, first);
    const both = [
      { number: first, message: odd },
      { number: second, message: say("two") },
    ];
    const { fence, posted } = await store.claim("r1", ada);
    assertSame(posted, both);
    assertSame((await store.renew("r1", { ...ada, fence })).posted, both);
    assertHigher("number of a later message", await post(store, "r1", "three"), second);
    assertSame((await store.renew("r1", { ...ada, fence })).posted?.length, 3);
  },
  "messages: accepts a message from anybody, whoever owns the run, and keeps messages of runs apart": async (store) => {
    await fillStore(store, 2);
    const { fence } = await store.claim("r1", ada);
    await post(store, "r1", "to r1");
    await post(store, "r2", "to r2");
    assertSame((await store.renew("r1", { ...ada, fence })).posted?.length, 1);
    assertSame(await postedTo(store, "r2", bob), ["to r2"]);
  },
  "messages: removes only the messages that the appended events acknowledge": async (store) => {
    await fillStore(store, 1);
    const { fence } = await store.claim("r1", ada);
    const first = await post(store, "r1", "one");
    const second = await post(store, "r1", "two");
    await post(store, "r1", "three");
    await store.append("r1", [stepStart("r1", 2)], { sequence: 2, fence, acknowledged: [first, second] });
    assertSame(await postedTo(store, "r1"), ["three"]);
    assertHigher("number of a later message", await post(store, "r1", "four"), second);
  },
  "messages: keeps a message if the events that acknowledge it are refused": async (store, advance) => {
    await fillStore(store, 1);
    const { fence } = await store.claim("r1", ada);
    const number = await post(store, "r1", "one");
    const append = (sequence: number) =>
      store.append("r1", [stepStart("r1", sequence)], { sequence, fence, acknowledged: [number] });
    await assertFails(() => append(9), "run-conflict");
    advance(1_000);
    assertSame(await postedTo(store, "r1", bob), ["one"]);
    await assertFails(() => append(2), "run-owned-elsewhere");
    assertSame(await postedTo(store, "r1", bob), ["one"]);
  },
  "messages: gives the next owner all that its predecessor did not acknowledge": async (store, advance) => {
    await fillStore(store, 1);
    await post(store, "r1", "one");
    assertSame(await postedTo(store, "r1"), ["one"]);
    advance(1_000);
    assertSame(await postedTo(store, "r1", bob), ["one"]);
  },
  "messages: removes messages acknowledged by a release, but only for the owner of the lease": async (store) => {
    await fillStore(store, 1);
    const { fence } = await store.claim("r1", ada);
    const first = await post(store, "r1", "one");
    await post(store, "r1", "two");
    await store.release("r1", { owner: "bob", fence, acknowledged: [first] });
    await store.release("r1", { owner: "ada", fence: fence + 1, acknowledged: [first] });
    assertSame(await postedTo(store, "r1"), ["one", "two"]);
    await store.release("r1", { owner: "ada", fence, acknowledged: [first] });
    assertSame(await postedTo(store, "r1", bob), ["two"]);
  },
  "messages: keeps no more for a run than the poster allows": async (store) => {
    await fillStore(store, 2);
    const maxKept = 2;
    await post(store, "r1", "one");
    assertSame(typeof (await store.post("r1", say("two"), { maxKept })).number, "number");
    const { number, isFull } = await store.post("r1", say("three"), { maxKept });
    assertSame({ number, isFull }, { number: undefined, isFull: true });
    assertSame(typeof (await store.post("r2", say("another run"), { maxKept })).number, "number");
    await post(store, "r1", "four");
    assertSame(await postedTo(store, "r1"), ["one", "two", "four"]);
  },
  "messages: keeps none for a run that has ended, and drops earlier ones": async (store) => {
    let number = 0;
    for (const status of ["completed", "failed", "cancelled"] satisfies EndStatus[]) {
      await fillStore(store, ++number, number);
      const id = `r${number}`;
      await post(store, id, "too late");
      await record(store, runEnd(id, { status }));
      assertSame((await store.post(id, say("later still"))).number, undefined);
      assertSame(await postedTo(store, id), []);
    }
    await record(store, runResume("r2", 3));
    await post(store, "r2", "once more");
    assertSame(await postedTo(store, "r2"), ["once more"]);
  },
  "messages: keeps messages of a run that is suspended or interrupted": async (store) => {
    await fillStore(store, 2);
    await post(store, "r1", "one");
    await post(store, "r2", "two");
    await record(store, runSuspend("r1", 2));
    await record(store, runEnd("r2", { status: "interrupted" }));
    assertSame(await postedTo(store, "r1"), ["one"]);
    assertSame(await postedTo(store, "r2"), ["two"]);
    await post(store, "r1", "three");
    assertSame(await postedTo(store, "r1"), ["one", "three"]);
  },
  "messages: lists a suspended run as resumable if it has a message and no owner": async (store) => {
    await fillStore(store, 3);
    for (const id of ["r1", "r2", "r3"]) await record(store, runSuspend(id, 2));
    const number = await post(store, "r2", "one");
    await post(store, "r2", "two");
    await assertLists(store, "r2", { resumable: true }, { resumable: true, ...byAda });
    await assertLists(store, "", { resumable: true, status: "running" });
    const { fence } = await store.claim("r2", ada);
    await assertLists(store, "", { resumable: true });
    await store.release("r2", { owner: "ada", fence, acknowledged: [number, number + 1] });
    await assertLists(store, "", { resumable: true }, { resumable: true, ...byAda });
  },
  "messages: refuses a message to a run that does not exist, or is only claimed": async (store) => {
    await store.claim("r", ada);
    await assertFails(() => store.post("r", say("nobody hears")), "run-not-found");
    await assertFails(() => store.post("none", say("nobody hears")), "run-not-found");
  },
  "messages: keeps an early message for a run that has not started, or refuses it": async (store) => {
    try {
      await store.post("r1", say("early"), { isEarly: true });
    } catch (thrown) {
      return assertFails(() => Promise.reject(thrown), "run-not-found");
    }
    await assertLists(store, "", {});
    assertSame(await store.read("r1"), []);
    await assertFails(() => store.delete("r1"), "run-not-found");
    assertSame(await postedTo(store, "r1"), ["early"]);
    await store.post("r1", say("too"), { isEarly: true });
    await fillStore(store, 1);
    await store.post("r1", say("later"), { isEarly: true });
    assertSame(await postedTo(store, "r1"), ["early", "too", "later"]);
    await record(store, runEnd("r1", { status: "completed" }));
    assertSame((await store.post("r1", say("too late"), { isEarly: true })).number, undefined);
    assertSame(await postedTo(store, "r1"), []);
  },
  "deletion: leaves nothing of a run, and does not affect other runs": async (store) => {
    await fillStore(store, 3);
    await record(store, stepStart("r2", 2));
    assert.equal(await store.delete("r2"), true);
    assertSame(await store.read("r2"), []);
    await assertLists(store, "r3 r1", {}, byAda);
    assert.equal((await store.read("r1")).length, 1);
    await assertFails(() => store.post("r2", { type: "note" }), "run-not-found");
  },
  "deletion: frees the id for a new run, which has nothing of the deleted one": async (store) => {
    const steps = Array.from({ length: 1_200 }, (_, index) => stepStart("r", index + 3));
    await record(store, runStart("r", { request: "Add milk" }), stepStart("r", 2));
    await store.append("r", steps, { sequence: 3 });
    await store.post("r", { type: "note" });
    await record(store, runSuspend("r", 1_203));
    await store.delete("r");
    await record(store, runStart("r", { minute: 1 }));
    assertSame(await store.read("r"), [runStart("r", { minute: 1 })]);
    const [summary] = (await store.list()).runs;
    assertSame([summary?.request, summary?.pending, summary?.startedAt], [undefined, undefined, undefined]);
    assertSame((await store.claim("r", ada)).posted ?? [], []);
    await record(store, stepStart("r", 2));
    assert.equal((await store.read("r")).length, 2);
  },
  "deletion: refuses a run with a lease, and deletes it once the lease has ended": async (store, advance) => {
    await fillStore(store, 2);
    await store.claim("r1", ada);
    await assertFails(() => store.delete("r1"), "run-owned-elsewhere");
    assert.equal((await store.read("r1")).length, 1);
    advance(1_000);
    assert.equal(await store.delete("r1"), true);
    const { fence } = await store.claim("r2", ada);
    await store.release("r2", { owner: "ada", fence });
    assert.equal(await store.delete("r2"), true);
    await assertLists(store, "", {});
  },
  "deletion: lets no owner of the deleted run write to a new run": async (store, advance) => {
    const { fence: first } = await store.claim("r", ada);
    await store.append("r", [runStart("r")], { sequence: 1, fence: first });
    advance(1_000);
    const { fence } = await store.claim("r", bob);
    advance(1_000);
    await store.delete("r");
    const append = (sequence: number) => store.append("r", [stepStart("r", sequence)], { sequence, fence });
    await assertFails(() => append(2), "run-owned-elsewhere");
    await assertFails(() => store.renew("r", { ...bob, fence }), "run-owned-elsewhere");
    const { fence: later } = await store.claim("r", ada);
    assertHigher("fence of a later owner", later, fence);
    await store.append("r", [runStart("r")], { sequence: 1, fence: later });
    await assertFails(() => append(2), "run-owned-elsewhere");
    assert.equal((await store.read("r")).length, 1);
  },
  "deletion: with statuses, deletes a run only if it has one of them": async (store) => {
    await fillStore(store, 1);
    await record(store, runSuspend("r1", 2));
    assert.equal(await store.delete("r1", { status: ["completed", "failed"] }), false);
    assert.equal(await store.delete("r1", { status: [] }), false);
    assert.equal((await store.read("r1")).length, 2);
    assert.equal(await store.delete("r1", { status: ["failed", "suspended"] }), true);
    assertSame(await store.read("r1"), []);
  },
  "deletion: refuses a run that does not exist, that was deleted, or that is only claimed": async (store) => {
    await fillStore(store, 1);
    await store.delete("r1");
    await store.claim("r", ada);
    for (const id of ["none", "r1", "r"]) await assertFails(() => store.delete(id), "run-not-found");
  },
  "deletion: of a run while pages are being read, neither repeats nor misses another run": async (store) => {
    await fillStore(store, 5);
    const cursor = await cursorAfter(store, { limit: 2 });
    for (const id of ["r4", "r3", "r5"]) await store.delete(id);
    await record(store, runStart("new", { minute: 9 }), runEnd("new"));
    await assertLists(store, "r2 r1", { limit: 2, cursor });
    await assertLists(store, "new r2 r1", {});
  },
};
