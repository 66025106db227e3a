import { isDeepStrictEqual } from "node:util";
import { createAgent, createMemoryRunStore, defineTool, isAgentError, type RunStore } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createManualClock } from "planwright/testing";
import { exportRun, toHtml, toMermaid, verifyRun } from "planwright/view";
import * as z from "zod/v4";
import { anything, group, hostileNames, jsonOf, type Play, settle, textOf } from "./group.ts";

const json = (value: unknown) => JSON.stringify(value);
const quiet = { onWarning: () => {}, onListenerError: () => {} };
const own = (entries: readonly (readonly [string, unknown])[]) => {
  const value: Record<string, unknown> = {};
  for (const [key, item] of entries)
    Object.defineProperty(value, key, { value: item, enumerable: true, configurable: true, writable: true });
  return value;
};

group("names that every object inherits are names like others", 1_200, async (play) => {
  const [id, after, key, metadataKey, event] = Array.from({ length: 5 }, () => play.pick(hostileNames));
  const name = play.pick(hostileNames.filter((one) => !one.startsWith("_")));
  if (id === after) return;
  const store = play.int(3) === 0 ? createSqliteRunStore({ path: ":memory:" }) : createMemoryRunStore();
  const tool = defineTool({
    name,
    description: "d",
    inputSchema: z.any(),
    effect: "idempotent",
    execute: (input: unknown) => ({ input }) as object,
  });
  const agent = createAgent({ tools: [tool], store, ...quiet });
  const input = own([[key as string, jsonOf(play)]]);
  const steps = [
    { id, tool: name, input: own([[key as string, { $literal: input[key as string] }]]) },
    { id: after, tool: name, input: { value: { $ref: `${id}.input[${json(key)}]` } } },
    { id: "waits", wait: { event } },
  ];
  const metadata = own([[metadataKey as string, "x"]]);
  const runId = "r1";
  const { value: suspended, error } = await settle(() =>
    agent.execute({ steps } as never, { runId, metadata } as never),
  );
  play.check(suspended?.status === "suspended", "it runs", () => [steps, String(error), suspended?.error]);
  const listed = await agent.listRuns({ metadata } as never);
  play.check(listed.runs.length === 1, "it is found by its metadata", () => metadata);
  const none = await agent.listRuns({ metadata: own([[metadataKey === "then" ? "name" : "then", "x"]]) } as never);
  play.check(none.runs.length === 0, "it is not found by others", () => metadata);
  const ended = await settle(() => agent.deliver(runId, event as string, jsonOf(play) as never, { id: "e" }).result);
  play.check(ended.value?.status === "completed", "the event arrives", () => [
    event,
    String(ended.error),
    ended.value?.error,
  ]);
  const second = ended.value?.steps[1]?.output as { input: { value: unknown } } | undefined;
  play.check(json(second?.input.value) === json(input[key as string]), "the reference", () => [steps, second]);
  play.check(
    Object.keys(Object.prototype).length === 0 && ({} as { x?: 1 }).x === undefined,
    "no prototype is changed",
  );
  const snapshot = await agent.getRun(runId);
  play.check(json(snapshot?.metadata) === json(metadata), "metadata is kept", () => [snapshot?.metadata, metadata]);
  if ("close" in store) (store as { close(): void }).close();
});

group("an output is JSON and kept as it is, or refused with its place", 3_000, async (play) => {
  const bad = play.pick<unknown>([
    10n,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Map(),
    new Set(),
    () => 1,
    Symbol("s"),
  ]);
  const isBad = play.int(2) === 0;
  const value = isBad ? { list: [jsonOf(play), { bad }] } : jsonOf(play);
  const tool = defineTool({
    name: "t",
    description: "d",
    inputSchema: z.object({}),
    effect: "idempotent",
    retry: { maxAttempts: 1 },
    execute: () => value as object,
  });
  const agent = createAgent({ tools: [tool], ...quiet });
  const result = await agent.execute({ steps: [{ id: "s1", tool: "t", input: {} }] });
  if (!isBad) {
    play.check(result.status === "completed" && json(result.output) === json(value), "kept", () => [value, result]);
    return;
  }
  play.check(isAgentError(result.error, "invalid-tool-output"), "refused", () => result);
  play.check(json(result.error).includes("list"), "with its place", () => result.error);
});

group("what is too large, too deep or contains itself is refused with its code", 100, async (play) => {
  let deep: unknown = 1;
  for (let depth = play.pick([5_000, 20_000, 100_000]); depth > 0; depth -= 1)
    deep = play.int(2) === 0 ? [deep] : { deep };
  const circle: Record<string, unknown> = {};
  circle.self = [circle];
  const value = play.pick<unknown>([deep, circle, "x".repeat(3_000_000), Array.from({ length: 700_000 }, () => 1)]);
  const tool = defineTool({
    name: "t",
    description: "d",
    inputSchema: z.any(),
    effect: "idempotent",
    retry: { maxAttempts: 1 },
    execute: () => value as object,
  });
  const agent = createAgent({ tools: [tool], ...quiet });
  const output = await settle(() => agent.execute({ steps: [{ id: "s1", tool: "t", input: {} }] } as never));
  play.check(isAgentError(output.value?.error, "invalid-tool-output"), "as output", () => [
    output.error,
    output.value?.error,
  ]);
  const input = await settle(() => agent.execute({ steps: [{ id: "s1", tool: "t", input: { value } }] } as never));
  play.check(
    input.error === undefined ? input.value !== undefined : isAgentError(input.error, "invalid-plan"),
    "as input",
    () => String(input.error),
  );
  const metadata = await settle(() =>
    agent.execute({ steps: [{ id: "s1", tool: "t", input: {} }] } as never, { metadata: { value } } as never),
  );
  play.check(
    metadata.error === undefined ? metadata.value !== undefined : isAgentError(metadata.error, "invalid-options"),
    "as metadata",
    () => String(metadata.error),
  );
});

const approving = (store: RunStore, calls: unknown[], more: object = {}) =>
  createAgent({
    tools: [
      defineTool({
        name: "pay",
        description: "d",
        inputSchema: z.object({ euros: z.number().default(5) }),
        effect: "once",
        needsApproval: true,
        execute: (input) => {
          calls.push(input);
          return input;
        },
      }),
    ],
    store,
    ...quiet,
    ...more,
  });

const payment = { steps: [{ id: "s1", tool: "pay", input: { euros: 1 } }] } as const;

group(
  "of several who decide at the same time, one decides, and the tool runs once or not at all",
  1_500,
  async (play) => {
    const store = play.int(4) === 0 ? createSqliteRunStore({ path: ":memory:" }) : createMemoryRunStore();
    const calls: { euros: number }[] = [];
    const agents = Array.from({ length: 3 }, () => approving(store, calls));
    const first = agents[0] as (typeof agents)[0];
    const suspended = await first.execute(payment as never, { runId: "r" });
    const item = suspended.pending?.[0];
    play.check(item?.kind === "approval", "it asks", () => suspended);
    if (item?.kind !== "approval") return;
    const decisions = Array.from({ length: 2 + play.int(3) }, () => {
      const agent = play.pick(agents);
      const kind = play.int(5);
      if (kind === 0) return { isYes: false, settled: settle(() => agent.reject("r", item, { reason: "no" }).result) };
      if (kind === 1) return { isYes: true, settled: settle(() => agent.resume("r") as never) };
      const euros = kind === 2 ? 2 + play.int(3) : undefined;
      return {
        isYes: true,
        euros,
        settled: settle(() => agent.approve("r", item, euros === undefined ? {} : { input: { euros } }).result),
      };
    });
    const answers = await Promise.all(decisions.map(({ settled }) => settled));
    for (const { error } of answers)
      play.check(error === undefined || isAgentError(error), "each has an answer or a code", () => error);
    const snapshot = await first.getRun("r");
    play.check(calls.length <= 1, "at most once", () => calls);
    const approved = decisions.flatMap(({ euros }) => [euros ?? 1]);
    play.check(
      calls.every(({ euros }) => approved.includes(euros)),
      "with an input that was approved",
      () => [calls, approved],
    );
    play.check((snapshot?.status === "completed") === (calls.length === 1), "it is completed if it was paid", () => [
      snapshot?.status,
      calls,
    ]);
    play.check(
      snapshot?.status !== "completed" || json(snapshot.output) === json(calls[0]),
      "what is told is what ran",
      () => [snapshot?.output, calls],
    );
    const again = await settle(() => first.approve("r", item).result);
    play.check(
      calls.length <= 1 && (again.error === undefined || isAgentError(again.error)),
      "a late decision changes nothing",
      () => [calls, again],
    );
    if ("close" in store) (store as { close(): void }).close();
  },
);

group("a decision holds for the step and input that it was shown, and no other", 1_500, async (play) => {
  const calls: unknown[] = [];
  const agent = approving(createMemoryRunStore(), calls);
  const suspended = await agent.execute(payment as never, { runId: "r" });
  const item = suspended.pending?.[0];
  if (item?.kind !== "approval") throw new Error("It does not ask.");
  const wrong = play.pick<object>([
    { ...item, hash: "0".repeat(64) },
    { ...item, hash: `${item.hash.slice(1)}0` },
    { ...item, stepId: "s2" },
    { ...item, stepId: play.pick(hostileNames) },
    { ...item, iteration: 0 },
    { ...item, kind: "plan" },
    { ...item, hash: anything(play) },
  ]);
  const isSame = isDeepStrictEqual(wrong, item);
  const refused = await settle(() => agent.approve("r", wrong as never).result);
  play.check(isSame || (isAgentError(refused.error) && calls.length === 0), "another is refused", () => [
    wrong,
    refused,
  ]);
  const input = anything(play);
  const isRight = z.object({ euros: z.number().default(5) }).safeParse(input).success;
  const changed = await settle(() => agent.approve("r", item, { input: input as never }).result);
  if (changed.error !== undefined) {
    play.check(isAgentError(changed.error) && calls.length === 0, "an input that does not fit is refused", () => [
      input,
      changed.error,
    ]);
    await agent.approve("r", item).result;
  } else play.check(isRight || input === undefined, "only one that fits is taken", () => input);
  play.check(calls.length === 1, "and it runs once", () => [input, calls]);
});

group("a question that has expired is not approved, in whatever order", 1_000, async (play) => {
  const clock = createManualClock();
  const calls: unknown[] = [];
  const ttl = 1_000 + play.int(1_000);
  const agent = approving(createMemoryRunStore(), calls, { clock, approvalTtlMs: ttl });
  const suspended = await clock.runUntil(agent.execute(payment as never, { runId: "r" }));
  const item = suspended.pending?.[0] as never;
  const waits = play.pick([0, ttl - 1, ttl, ttl + 1, ttl * 3]);
  await clock.advance(waits);
  if (play.int(3) === 0) await settle(() => clock.runUntil(agent.resume("r")));
  const { value, error } = await settle(() => clock.runUntil(agent.approve("r", item).result));
  const isLate = waits >= ttl;
  play.check(calls.length === (isLate ? 0 : 1), "late: it does not run", () => [
    waits,
    ttl,
    calls,
    value?.status,
    String(error),
  ]);
  if (isLate) play.check(isAgentError(error ?? value?.error), "late: it says so", () => [value, error]);
});

/** A stored run with much in it. */
async function storedRun() {
  const store = createMemoryRunStore();
  const agent = approving(store, [], { evidence: true, needsApproval: () => true });
  const { pending } = await agent.execute(payment as never, { runId: "r", metadata: { a: 1 } });
  for (let items = pending; items?.[0] !== undefined; )
    items = (await agent.approve("r", items[0] as never, { by: "ann" }).result).pending;
  return store.read("r");
}

/** A copy, as it would be in a file, with one part changed, removed or put elsewhere. */
function damaged(value: unknown, play: Play): unknown {
  return JSON.parse(json(damagedOf(value, play)));
}

function damagedOf(value: unknown, play: Play): unknown {
  const copy = structuredClone(value);
  let at = copy as Record<string, unknown>;
  for (;;) {
    const keys = Object.keys(at);
    if (keys.length === 0) return copy;
    const key = play.pick(keys);
    const below = at[key];
    if (typeof below === "object" && below !== null && play.int(4) > 0) {
      at = below as Record<string, unknown>;
      continue;
    }
    if (play.int(4) === 0) delete at[key];
    else at[key] = play.pick<unknown>([null, -1, "x", [], {}, textOf(play), jsonOf(play, 2), at[play.pick(keys)]]);
    return copy;
  }
}

const intact = storedRun();

group("a damaged record is read, drawn and continued, or refused with its code", 3_000, async (play) => {
  let events = (await intact) as readonly unknown[];
  if (play.int(3) === 0) events = events.slice(0, play.int(events.length));
  const broken =
    play.int(5) === 0
      ? play.pick<readonly unknown[]>([[...events, ...events], events.toReversed(), events.slice(1)])
      : (damaged(events, play) as unknown[]);
  const list = Array.isArray(broken) ? broken.filter((event) => event !== undefined) : [];
  const store = createMemoryRunStore();
  await store.append("r", (await intact) as never, { sequence: 1 });
  const isAfter = (event: unknown, after: number) => {
    const sequence = (event as { sequence?: unknown } | null)?.sequence;
    return !(typeof sequence === "number" && sequence <= after);
  };
  store.read = (_runId, { after = 0 } = {}) => list.filter((event) => isAfter(event, after)) as never;
  const calls: unknown[] = [];
  const agent = approving(store, calls);
  for (const [label, call] of Object.entries({
    getRun: () => agent.getRun("r"),
    resume: () => agent.resume("r"),
    execute: () => agent.execute(payment as never, { runId: "r" }),
    exportRun: () => exportRun({ store, runId: "r" }),
    html: () => toHtml(list as never),
    mermaid: () => toMermaid(list as never),
    events: async () => {
      for await (const _event of agent.events("r", { signal: AbortSignal.abort() } as never));
    },
  })) {
    const { error } = await settle(call as () => unknown);
    play.check(
      error === undefined || isAgentError(error) || (error as Error).name === "AbortError",
      `${label} has a code`,
      () => [error instanceof Error ? error.stack : error, json(list).slice(0, 3_000)],
    );
  }
  play.check(calls.length <= 1, "nothing runs twice", () => calls);
});

group("each change of an exported run is found", 3_000, async (play) => {
  const events = await intact;
  const document = await exportRun({ store: { read: () => events }, runId: "r" });
  play.check((await verifyRun(json(document) as never)).status !== "changed", "it is as it was");
  const changed = damaged(document, play);
  const text = json(changed);
  const verdict = await settle(() => verifyRun(text as never));
  if (text === json(document)) return;
  play.check(
    verdict.error === undefined ? verdict.value?.status === "changed" : isAgentError(verdict.error),
    "a change",
    () => [verdict, text],
  );
});

group("a page of any run has no tag, style or address of what ran", 1_200, async (play) => {
  const mark = `<b id=x onclick=y>${textOf(play)}<script>z</script>`;
  const tool = defineTool({
    name: "t",
    description: mark,
    inputSchema: z.any(),
    effect: "idempotent",
    retry: { maxAttempts: 1 },
    execute: (_input, { progress }) => {
      progress({ mark });
      if (play.int(2) === 0) throw new Error(mark, { cause: new Error(mark) });
      return { [mark]: mark };
    },
  });
  const agent = createAgent({ tools: [tool], ...quiet });
  const plan = {
    request: mark,
    steps: [{ id: "s1", tool: "t", input: { [mark]: { $literal: mark } }, reasoning: mark }],
  };
  const { value: result, error } = await settle(() =>
    agent.execute(plan as never, { metadata: { [mark]: mark } } as never),
  );
  if (result === undefined) {
    play.check(isAgentError(error), "refused", () => error);
    return;
  }
  const events: unknown[] = [];
  for await (const event of agent.events(result.runId)) events.push(event);
  for (const run of [result, events] as const) {
    const page = toHtml(run as never);
    const body = page.slice(page.indexOf("</style>"));
    play.check(
      !/<(script|b id|img|iframe|link)|<[^>]*\son\w+=/i.test(body),
      "no tag of it",
      () => body.match(/.{80}<(script|b id|img|iframe).{80}/i)?.[0],
    );
    const chart = toMermaid(run as never);
    play.check(!/<script|<b id|<img/i.test(chart) && !/^\s*click /m.test(chart), "no markup in a chart", () => chart);
  }
});
