import { createMemoryRunStore, type RunStore } from "planwright";
import { runStoreConformance } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { type Defect, defects, later } from "./run-store-defects.ts";

/** The names of the cases that a store with a defect does not pass. */
async function failuresOf(defect: Defect): Promise<readonly string[]> {
  const createStore = ({ now }: { now: () => number }): RunStore => {
    const store = createMemoryRunStore({ now });
    const sound: RunStore = {
      append: (...args) => store.append(...args),
      read: (...args) => store.read(...args),
      list: (...args) => store.list(...args),
      claim: (...args) => store.claim(...args),
      renew: (...args) => store.renew(...args),
      release: (...args) => store.release(...args),
      post: (...args) => store.post(...args),
      delete: (...args) => store.delete(...args),
    };
    return { ...sound, ...defect(store, now) };
  };
  const failed: string[] = [];
  for (const { name, run } of runStoreConformance({ createStore })) await run().catch(() => failed.push(name));
  return failed;
}

describe("runStoreConformance", () => {
  it.each(defects)("finds a store that %s", async (_what, defect, found) => {
    expect((await failuresOf(defect)).join("\n")).toMatch(found);
  });

  it("accepts a store that answers later, and one with undefined keys in its summaries", async () => {
    const asynchronous: Defect = (store) => ({
      append: async (...args) => {
        await later();
        await store.append(...args);
      },
      list: async (o) => {
        const page = await store.list(o);
        return { cursor: undefined, ...page, runs: page.runs.map((run) => ({ request: undefined, ...run })) } as never;
      },
    });
    expect(await failuresOf(asynchronous)).toEqual([]);
  });

  it("states what a fence should have been", async () => {
    const createStore = ({ now }: { now: () => number }) => {
      const store = createMemoryRunStore({ now });
      const claim = async (...args: Parameters<RunStore["claim"]>) => {
        await store.claim(...args);
        return { fence: 1 };
      };
      return Object.assign(Object.create(store) as RunStore, { claim });
    };
    const ends = runStoreConformance({ createStore }).find(({ name }) => name.includes("when it expires"));
    await expect(ends?.run()).rejects.toThrow(
      "the fence of a later owner is 1; expected more than the previous one, 1",
    );
  });

  it("states what was wrong even if the store cannot be closed either", async () => {
    const closeStore = () => {
      throw new Error("cannot be closed");
    };
    const broken = Object.assign(Object.create(createMemoryRunStore()) as RunStore, { read: () => [] });
    const messages: string[] = [];
    for (const { run } of runStoreConformance({ createStore: () => broken, closeStore })) {
      await run().catch((error: Error) => messages.push(`${error.name}: ${error.message}`));
    }
    expect(messages.every((message) => message.startsWith("AssertionError: "))).toBe(true);
    expect(messages.filter((message) => !message.includes("cannot be closed")).length).toBeGreaterThan(5);
  });

  it("closes each store, even after a failed case", async () => {
    let open = 0;
    const cases = runStoreConformance({
      createStore: () => {
        open++;
        return { ...createMemoryRunStore(), read: () => [] } as never;
      },
      closeStore: () => void open--,
    });
    const settled = await Promise.allSettled(cases.map(({ run }) => run()));
    expect(settled.some(({ status }) => status === "rejected")).toBe(true);
    expect(open).toBe(0);
  });

  it.each([
    undefined,
    {},
    { createStore: 5 },
    { createStore: createMemoryRunStore, closeStore: 5 },
    { create: createMemoryRunStore },
  ])("refuses %j as options", (options) => {
    expect(() => runStoreConformance(options as never)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });
});
