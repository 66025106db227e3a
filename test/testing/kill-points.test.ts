import { createAgent, createMemoryRunStore, defineTool, type RunResult, type RunStore } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import {
  createFakeTool,
  createFaultyRunStore,
  forEachKillPoint,
  type KillPoint,
  type MortalProcess,
  type RunStoreFaults,
  runStoreConformance,
} from "planwright/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { runStart, stepStart } from "../../src/testing/conformance/run-store-conformance.ts";
import { answerLater } from "../scenario/answer-later.ts";

const runId = "r";
const step = (id: string) => ({ id, tool: "Note", input: { text: id } }) as const;

/** A run of two steps, and which processes have called its tool. */
function createScenario(effect: "idempotent" | "once" = "idempotent") {
  const calls: { readonly key: string; readonly generation: number }[] = [];
  const createNoting = ({ store, generation }: MortalProcess) => {
    const tool = defineTool({
      name: "Note",
      description: "Notes a text",
      inputSchema: z.object({ text: z.string() }),
      effect,
      async execute({ text }, { idempotencyKey: key }) {
        if (!store.hasCrashed) calls.push({ key, generation });
        return { text };
      },
    });
    return createAgent({ tools: [tool], store });
  };
  return {
    calls,
    run: (process: MortalProcess): Promise<RunResult> =>
      createNoting(process).execute({ steps: [step("a"), step("b")] }, { runId }),
    resume: (process: MortalProcess): Promise<RunResult> => createNoting(process).resume(runId),
  };
}

const recorded = [["run-start"], ["step-start"], ["step-end", "step-start"], ["step-end"], ["run-end"]] as const;
const allPoints: readonly KillPoint[] = recorded.flatMap((types, index) =>
  (["before", "after"] as const).map((side) => ({ side, append: index + 1, types })),
);

describe("forEachKillPoint", () => {
  it.each([
    ["at once", createMemoryRunStore],
    ["by promises", () => answerLater(createMemoryRunStore())],
    ["from a database", () => createSqliteRunStore({ path: ":memory:" })],
  ])(
    "kills a run at each point and lets another process finish it, with a store that answers %s",
    async (_name, createStore) => {
      const { calls, run, resume } = createScenario();
      const checked: KillPoint[] = [];
      const points = await forEachKillPoint({
        run: (process) => {
          calls.length = 0;
          return run(process);
        },
        resume,
        createStore,
        check: async ({ point, result, expected, store, refused }) => {
          checked.push(point);
          expect(result.status).toBe("completed");
          expect(result.output).toEqual(expected.output);
          expect(refused).toEqual([]);
          expect((await store.read(runId)).at(-1)?.type).toBe("run-end");
          // Only a step in flight is run again.
          const isInFlight = point.types[0] === "step-end" && point.side === "before";
          const isLost = point.append === 1 && point.side === "before";
          expect(calls).toHaveLength(isInFlight ? 3 : 2);
          if (isLost) expect(calls.map(({ generation }) => generation)).toEqual([2, 2]);
        },
      });
      expect(points).toEqual(allPoints);
      expect(checked).toEqual(allPoints);
    },
  );

  it("reports runs that are suspended", async () => {
    const { run, resume } = createScenario("once");
    const suspended: KillPoint[] = [];
    await forEachKillPoint({
      run,
      resume,
      check: ({ point, result }) => {
        if (result.status === "suspended") suspended.push(point);
      },
    });
    expect(suspended.map(({ side, append }) => `${side} ${append}`)).toEqual([
      "after 2",
      "before 3",
      "after 3",
      "before 4",
    ]);
  });

  it("lets several processes resume at once, of which one gets the run", async () => {
    const { run, resume } = createScenario();
    await forEachKillPoint({
      run,
      resume,
      resumers: 2,
      check: ({ point, result, refused }) => {
        expect(result.status).toBe("completed");
        const hasEnded = point.append === 5 && point.side === "after";
        expect(refused).toHaveLength(hasEnded ? 0 : 1);
        for (const error of refused) expect(error).toMatchObject({ code: "run-owned-elsewhere" });
      },
    });
  });

  it("finishes a run whose dead process gets errors", async () => {
    const { run, resume } = createScenario();
    let alive = 0;
    const counted = async (process: MortalProcess) => {
      alive++;
      return run(process).finally(() => alive--);
    };
    await forEachKillPoint({
      run: counted,
      resume,
      afterCrash: "throw",
      check: ({ result }) => expect(result.status).toBe("completed"),
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(alive).toBe(0);
  });

  it("reports the point at which a check has failed, with its error", async () => {
    const cause = new Error("not so");
    const { run, resume } = createScenario();
    const check = ({ point }: { point: KillPoint }) => {
      if (point.append === 3) throw cause;
    };
    const failure = forEachKillPoint({ run, resume, check });
    await expect(failure).rejects.toMatchObject({
      message: "Killed before append 3 (step-end, step-start): Error: not so",
      cause,
    });
  });

  it("reports the point at which the run could not be resumed", async () => {
    const { run } = createScenario();
    const resume = () => Promise.reject(new Error("no tools"));
    const failure = forEachKillPoint({ run, resume, check: () => {} });
    await expect(failure).rejects.toThrow("Killed after append 1 (run-start): Error: no tools");
  });

  it("reports a run that ends or fails instead of being killed", async () => {
    const { run, resume } = createScenario();
    let times = 0;
    const shorter = (process: MortalProcess) => {
      times++;
      return times === 1 ? run(process) : Promise.resolve({} as RunResult);
    };
    const ended = forEachKillPoint({ run: shorter, resume, check: () => {} });
    await expect(ended).rejects.toThrow(
      "Killed before append 1 (run-start): Error: The run ended before this kill point (appends: 0);",
    );
    times = 0;
    const failing = (process: MortalProcess) => {
      times++;
      return times === 1 ? run(process) : Promise.reject(new Error("no"));
    };
    const failed = forEachKillPoint({ run: failing, resume, check: () => {} });
    await expect(failed).rejects.toThrow("Killed before append 1 (run-start): Error: no");
  });

  it("refuses invalid options", async () => {
    const { run, resume } = createScenario();
    const options = { run, resume, check: () => {} };
    await expect(forEachKillPoint({ ...options, resumers: 0 })).rejects.toMatchObject({ code: "invalid-options" });
    await expect(forEachKillPoint({ ...options, run: undefined as unknown as typeof run })).rejects.toMatchObject({
      code: "invalid-options",
    });
    const unknown = { ...options, stores: 1 } as typeof options;
    await expect(forEachKillPoint(unknown)).rejects.toMatchObject({ code: "invalid-options" });
  });
});

const first = [runStart("r")];
const second = [stepStart("r", 2)];

/** What a promise has come to, once all that can has settled. */
async function stateOf(answer: unknown): Promise<string> {
  let state = "waiting";
  Promise.resolve(answer).then(
    () => {
      state = "answered";
    },
    (thrown) => {
      state = String(thrown);
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return state;
}

describe("createFaultyRunStore", () => {
  describe("without faults, as a run store", () => {
    const createStore = ({ now }: { now: () => number }) => createFaultyRunStore(createMemoryRunStore({ now }));
    for (const { name, run } of runStoreConformance({ createStore })) it(name, run);
  });

  const wraps: readonly (readonly [string, (store: RunStore) => RunStore])[] = [
    ["at once", (store) => store],
    ["by promises", answerLater],
  ];

  describe.each(wraps)("around a store that answers %s", (_name, wrap) => {
    function create(faults?: RunStoreFaults) {
      const memory = createMemoryRunStore();
      return { memory, store: createFaultyRunStore(wrap(memory), faults) };
    }

    it("crashes before an append, which is not recorded, and answers nothing any more", async () => {
      const { memory, store } = create({ crashBeforeAppend: 2 });
      await store.append("r", first, { sequence: 1 });
      expect(store.hasCrashed).toBe(false);
      expect(await stateOf(store.append("r", second, { sequence: 2 }))).toBe("waiting");
      expect(store.hasCrashed).toBe(true);
      await store.crashed;
      expect(await stateOf(store.append("r", second, { sequence: 2 }))).toBe("waiting");
      expect(await stateOf(store.read("r"))).toBe("waiting");
      expect(await stateOf(store.list())).toBe("waiting");
      expect(await stateOf(store.claim("r", { owner: "a", ttlMs: 1 }))).toBe("waiting");
      expect(await stateOf(store.renew("r", { owner: "a", fence: 1, ttlMs: 1 }))).toBe("waiting");
      expect(await stateOf(store.release("r", { owner: "a", fence: 1 }))).toBe("waiting");
      expect(memory.read("r")).toEqual(first);
      expect(store.appends).toEqual([first, second]);
    });

    it("crashes after an append, which is recorded but not answered", async () => {
      const { memory, store } = create({ crashAfterAppend: 1 });
      expect(await stateOf(store.append("r", first, { sequence: 1 }))).toBe("waiting");
      await store.crashed;
      expect(memory.read("r")).toEqual(first);
    });

    it("throws after a crash if configured so", async () => {
      const { store } = create({ crashAfterAppend: 1, afterCrash: "throw" });
      const appendFirst = async () => store.append("r", first, { sequence: 1 });
      await expect(appendFirst()).rejects.toThrow("has crashed, as the test says");
      expect(() => store.read("r")).toThrow("has crashed, as the test says");
    });

    it("fails the given appends, and records the others", async () => {
      const { memory, store } = create({ failAppends: [1] });
      const append = async () => store.append("r", first, { sequence: 1 });
      await expect(append()).rejects.toThrow("append 1 fails, as the test says");
      expect(memory.read("r")).toEqual([]);
      await append();
      expect(memory.read("r")).toEqual(first);
      expect(store.appends).toHaveLength(2);
    });

    it("holds appends until they are released, in order", async () => {
      const { memory, store } = create();
      store.hold();
      store.hold();
      const appended = [store.append("r", first, { sequence: 1 }), store.append("r", second, { sequence: 2 })];
      expect(await stateOf(appended[0])).toBe("waiting");
      expect(memory.read("r")).toEqual([]);
      expect(await store.read("r")).toEqual([]);
      store.letGo();
      await Promise.all(appended);
      expect(memory.read("r")).toEqual([...first, ...second]);
      await store.append("r", [stepStart("r", 3)], { sequence: 3 });
      store.letGo();
    });

    it("ends the leases of the crashed process only", async () => {
      const { memory, store } = create();
      const other = createFaultyRunStore(wrap(memory));
      const claim = { owner: "dead", ttlMs: Number.POSITIVE_INFINITY };
      await store.claim("r", claim);
      await store.release("r", { owner: "dead", fence: 1 });
      await store.claim("r", claim);
      await other.claim("s", { ...claim, owner: "alive" });
      store.crash();
      store.crash();
      await store.crashed;
      expect(await other.claim("r", { ...claim, owner: "alive" })).toEqual({ fence: 3 });
      expect(() => memory.claim("s", claim)).toThrow("belongs to another owner");
    });
  });

  it("answers nothing requested before the crash, and ends a lease that succeeds after it", async () => {
    const memory = createMemoryRunStore();
    const store = createFaultyRunStore(answerLater(memory));
    const asked = [
      store.claim("r", { owner: "dead", ttlMs: Number.POSITIVE_INFINITY }),
      store.append("r", second, { sequence: 7 }),
    ];
    store.crash();
    expect(await stateOf(Promise.race(asked.map(async (one) => one)))).toBe("waiting");
    expect(memory.claim("r", { owner: "alive", ttlMs: 1 })).toEqual({ fence: 2 });
  });

  it("is as volatile as the store inside it", () => {
    expect(createFaultyRunStore(createMemoryRunStore()).isVolatile).toBe(true);
    expect(createFaultyRunStore(answerLater(createMemoryRunStore())).isVolatile).toBeUndefined();
  });

  it("fails a run when an append fails", async () => {
    const store = createFaultyRunStore(createMemoryRunStore(), { failAppends: [3] });
    const tool = createFakeTool({ name: "Fake" });
    const agent = createAgent({ tools: [tool], store });
    const { status, error } = await agent.execute({ steps: [{ id: "a", tool: "Fake", input: {} }] });
    expect({ status, code: error?.code }).toEqual({ status: "failed", code: "store-failed" });
    expect(tool.calls).toHaveLength(1);
  });

  it.each([
    [{ crashBeforeAppend: 0 }, "crashBeforeAppend"],
    [{ crashAfterAppend: 1.5 }, "crashAfterAppend"],
    [{ failAppends: [2, 0] }, "failAppends[1]"],
    [{ failAppends: 2 as unknown as number[] }, "failAppends"],
    [{ afterCrash: "explode" as "hang" }, "afterCrash"],
    [{ crashBeforeWrite: 1 } as RunStoreFaults, "faults.crashBeforeWrite"],
  ])("refuses %j", (faults, option) => {
    expect(() => createFaultyRunStore(createMemoryRunStore(), faults)).toThrow(`ption "${option}"`);
  });
});
