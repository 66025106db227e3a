import { createMemoryRunStore } from "planwright";
import { runStoreConformance } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { listIds, runEnd, runStart, stepStart } from "../../src/testing/conformance/run-store-conformance.ts";

describe("createMemoryRunStore", () => {
  describe("as a run store", () => {
    for (const { name, run } of runStoreConformance({ createStore: createMemoryRunStore })) it(name, run);
  });

  async function finish(store: ReturnType<typeof createMemoryRunStore>, ...ids: readonly string[]) {
    for (const id of ids) await store.append(id, [runEnd(id)], { sequence: 2 });
  }

  async function begin(store: ReturnType<typeof createMemoryRunStore>, ...ids: readonly string[]) {
    for (const id of ids) await store.append(id, [runStart(id)], { sequence: 1 });
  }

  it("keeps the runs that ended last, and all that have not ended", async () => {
    const store = createMemoryRunStore({ maxFinishedRuns: 2 });
    await begin(store, "a", "b", "c", "d", "e");
    await finish(store, "d", "b", "a");
    expect(await listIds(store)).toBe("e c b a");
    expect(await store.read("d")).toEqual([]);
    await finish(store, "e");
    expect(await listIds(store)).toBe("e c a");
  });

  it("drops a run with its lease, so that its id can be used again", async () => {
    const store = createMemoryRunStore({ maxFinishedRuns: 0 });
    await store.claim("a", { owner: "ada", ttlMs: 60_000 });
    await begin(store, "a");
    await finish(store, "a");
    expect(await listIds(store)).toBe("");
    await store.claim("a", { owner: "bob", ttlMs: 60_000 });
    await begin(store, "a");
    expect(await listIds(store)).toBe("a");
  });

  it("does not drop a run that continues after its end, as a resumed one does", async () => {
    const store = createMemoryRunStore({ maxFinishedRuns: 1 });
    await begin(store, "a", "b", "c");
    await finish(store, "a");
    await store.append("a", [{ ...runStart("a"), sequence: 3 }], { sequence: 3 });
    await finish(store, "b", "c");
    expect(await listIds(store)).toBe("c a");
  });

  it("keeps 1000 ended runs by default", async () => {
    const store = createMemoryRunStore();
    for (let number = 0; number < 1_001; number++) {
      await store.append(`r${number}`, [runStart(`r${number}`), runEnd(`r${number}`)], { sequence: 1 });
    }
    expect(await store.read("r0")).toEqual([]);
    expect(await store.read("r1")).toHaveLength(2);
  });

  it("cannot be changed through the lists that it returns", async () => {
    const store = createMemoryRunStore();
    await begin(store, "a");
    const events = (await store.read("a")) as unknown[];
    events.push(stepStart("a", 2));
    expect(await store.read("a")).toHaveLength(1);
  });

  it.each([{ maxFinishedRuns: -1 }, { maxFinishedRuns: 0.5 }, { maxFinishedRuns: "many" }, { maxRuns: 5 }, null])(
    "refuses %j as options",
    (options) => {
      expect(() => createMemoryRunStore(options as never)).toThrow(
        expect.objectContaining({ code: "invalid-options" }),
      );
    },
  );

  it.each([
    { status: "nope" },
    { status: ["failed", "nope"] },
    { state: "failed" },
    { cursor: "" },
    { cursor: "1.5" },
    null,
  ])("refuses to list runs by %j", async (options) => {
    await expect(createMemoryRunStore().list(options as never)).rejects.toMatchObject({ code: "invalid-options" });
  });
});
