import { createAgent, createMemoryRunStore, type RunStore } from "planwright";
import { createFakeTool, createFaultyRunStore, type RunStoreFaults, runStoreConformance } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { runStart, stepStart } from "../../src/testing/conformance/run-store-conformance.ts";
import { answerLater } from "../scenario/answer-later.ts";

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
