import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.ts";
import type { RunStore } from "../../../src/core/run-store.ts";
import { createMemoryRunStore } from "../../../src/stores/memory-run-store.ts";
import { runStoreConformance } from "../../../src/testing/conformance/run-store-conformance.ts";

/** A store in memory, and what it does wrong. */
type Defect = (store: RunStore, now: () => number) => Partial<RunStore>;

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
    };
    return { ...sound, ...defect(store, now) };
  };
  const failed: string[] = [];
  for (const { name, run } of runStoreConformance({ createStore })) await run().catch(() => failed.push(name));
  return failed;
}

/** As a store does that answers later, and so between whose questions others may come. */
const later = async () => new Promise((resolve) => setImmediate(resolve));

const defects: readonly (readonly [what: string, defect: Defect, found: RegExp])[] = [
  [
    "loses the last event of an append",
    (store) => ({ append: (id, events, o) => store.append(id, events.slice(0, 1), o) }),
    /reads what was appended/,
  ],
  [
    "takes any number",
    (store) => ({
      append: async (id, events) => store.append(id, events, { sequence: (await store.read(id)).length + 1 }),
    }),
    /refuses every number but the next/,
  ],
  [
    "throws an error of its own",
    (store) => ({
      append: (id, events, o) => {
        try {
          return store.append(id, events, o);
        } catch {
          throw new Error("constraint failed");
        }
      },
    }),
    /refuses every number but the next/,
  ],
  [
    "looks and writes apart",
    (store) => ({
      append: async (id, events, o) => {
        const next = (await store.read(id)).length + 1;
        await later();
        if (o.sequence !== next) return store.append(id, events, o);
        return store.append(id, events, { ...o, sequence: (await store.read(id)).length + 1 });
      },
    }),
    /lets one of two writers win/,
  ],
  [
    "knows no fence",
    (store) => ({ append: (id, events, { sequence }) => store.append(id, events, { sequence }) }),
    /refuses the fence of an earlier claim/,
  ],
  [
    "reads from the beginning",
    (store) => ({ read: (id, o = {}) => store.read(id, { ...o, after: 0 }) }),
    /reads by page/,
  ],
  ["ignores a limit", (store) => ({ read: (id, { after = 0 } = {}) => store.read(id, { after }) }), /reads by page/],
  [
    "mixes ids that differ in case",
    (store) => ({ read: async (id) => await store.read(id.toLowerCase()) }),
    /keeps runs apart/,
  ],
  [
    "lists the oldest first",
    (store) => ({
      list: async (o) => {
        const page = await store.list(o);
        return { ...page, runs: [...page.runs].reverse() };
      },
    }),
    /the newest first/,
  ],
  [
    "lists without filters",
    (store) => ({ list: ({ limit, cursor } = {}) => store.list({ limit, cursor }) }),
    /selects by status/,
  ],
  ["lists one page", (store) => ({ list: async (o) => ({ runs: (await store.list(o)).runs }) }), /page by page/],
  [
    "has a cursor on the last page",
    (store) => {
      let asked = 0;
      return {
        list: async (o) => {
          if (o?.cursor === "end") return { runs: [] };
          asked++;
          return { cursor: asked > 50 ? undefined : "end", ...(await store.list(o)) } as never;
        },
      };
    },
    /has no cursor on the last/,
  ],
  [
    "lists as resumable what is claimed",
    (store) => ({
      list: ({ resumable, ...o } = {}) =>
        store.list(resumable ? { ...o, status: ["planning", "running", "interrupted"] } : o),
    }),
    /as long as a claim on it lasts/,
  ],
  [
    "takes what is asked for as it comes",
    (store) => ({
      list: ({ limit = 100, ...o } = {}) =>
        store.list({ ...o, limit: limit >= 1 && limit <= 1_000 ? Math.floor(limit) : 100 }),
    }),
    /refuses a limit/,
  ],
  ["lets everybody have a run", (_store, now) => ({ claim: () => ({ fence: now() }) }), /one owner at a time/],
  [
    "gives the same fence to all",
    (store) => ({
      claim: async (id, o) => {
        await store.claim(id, o);
        return { fence: 1 };
      },
    }),
    /higher fence/,
  ],
  [
    "never ends a claim",
    (store) => ({ claim: (id, o) => store.claim(id, { ...o, ttlMs: 1e12 }) }),
    /ends a claim after its time/,
  ],
  [
    "renews from the first claim on",
    (store) => ({
      renew: async (id, o) => {
        await store.renew(id, { ...o, ttlMs: 100 });
      },
    }),
    /lengthens a claim/,
  ],
  ["renews anything", () => ({ renew: () => {} }), /does not renew a claim/],
  [
    "releases whoever asks",
    (store) => {
      const claims = new Map<string, { owner: string; fence: number }>();
      return {
        claim: async (id, o) => {
          const { fence } = await store.claim(id, o);
          claims.set(id, { owner: o.owner, fence });
          return { fence };
        },
        release: (id) => store.release(id, claims.get(id) ?? { owner: "", fence: 0 }),
      };
    },
    /releases only what the owner holds/,
  ],
  [
    "looks and claims apart",
    () => {
      const owners = new Map<string, string>();
      return {
        claim: async (id, { owner }) => {
          const before = owners.get(id);
          await later();
          if (before !== undefined && before !== owner)
            throw new AgentError("run-owned-elsewhere", "taken", { details: { runId: id } });
          owners.set(id, owner);
          return { fence: 1 };
        },
      };
    },
    /one of two who claim at once/,
  ],
];

describe("runStoreConformance", () => {
  it.each(defects)("finds a store that %s", async (_what, defect, found) => {
    expect((await failuresOf(defect)).join("\n")).toMatch(found);
  });

  it("passes a store that answers later, and one that has more to say of a run than is undefined", async () => {
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

  it("closes each store, that of a case that failed, too", async () => {
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
