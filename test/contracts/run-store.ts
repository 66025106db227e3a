import { testRunStoreClaims } from "./run-store-claims.ts";
import { testRunStoreLists } from "./run-store-lists.ts";
import {
  type ContractRunner,
  listIds,
  type RunStoreSuite,
  runEnd,
  runStart,
  stepStart,
  type TestedStore,
} from "./run-store-suite.ts";

/** What every {@link RunStore} must do. `create` makes a new, empty one. */
export function testRunStore(runner: ContractRunner, create: () => TestedStore | Promise<TestedStore>): void {
  const suite: RunStoreSuite = {
    ...runner,
    create: async () => create(),
    expectCode: async (operation, code) => {
      const attempt = (async () => operation())();
      await runner.expect(attempt).rejects.toMatchObject({ name: "AgentError", code });
    },
  };
  testEvents(suite);
  testRunStoreLists(suite);
  testRunStoreClaims(suite);
}

function testEvents({ describe, it, expect, create, expectCode }: RunStoreSuite): void {
  describe("events", () => {
    it("reads what was appended, in order and as it was", async () => {
      const { store } = await create();
      const events = [runStart("r"), stepStart("r", 2), stepStart("r", 3), runEnd("r", { sequence: 4 })];
      await store.append("r", events.slice(0, 1), { sequence: 1 });
      await store.append("r", events.slice(1, 3), { sequence: 2 });
      await store.append("r", events.slice(3), { sequence: 4 });
      expect(await store.read("r")).toEqual(events);
      expect(JSON.parse(JSON.stringify(await store.read("r")))).toEqual(events);
    });

    it("reads by page", async () => {
      const { store } = await create();
      await store.append("r", [runStart("r"), stepStart("r", 2), stepStart("r", 3)], { sequence: 1 });
      const sequences = async (options: { after?: number; limit?: number }) =>
        (await store.read("r", options)).map(({ sequence }) => sequence);
      expect(await sequences({ after: 0 })).toEqual([1, 2, 3]);
      expect(await sequences({ after: 1 })).toEqual([2, 3]);
      expect(await sequences({ limit: 2 })).toEqual([1, 2]);
      expect(await sequences({ after: 1, limit: 1 })).toEqual([2]);
      expect(await sequences({ after: 3 })).toEqual([]);
      expect(await sequences({ after: 99 })).toEqual([]);
    });

    it("knows nothing of a run that was never recorded", async () => {
      const { store } = await create();
      expect(await store.read("none")).toEqual([]);
      expect(await listIds(store)).toBe("");
    });

    it("keeps runs apart, whatever they are called", async () => {
      const { store } = await create();
      const ids = ["a", "A", "a.b", "a-b", "__proto__", "constructor", "0", "x".repeat(128)];
      for (const id of ids) await store.append(id, [runStart(id)], { sequence: 1 });
      for (const id of ids) expect(await store.read(id)).toEqual([runStart(id)]);
    });

    it("refuses every number but the next, and then has recorded nothing", async () => {
      const { store } = await create();
      for (const sequence of [0, 2]) {
        await expectCode(() => store.append("r", [stepStart("r", sequence)], { sequence }), "run-conflict");
      }
      expect(await store.read("r")).toEqual([]);
      await store.append("r", [runStart("r"), stepStart("r", 2)], { sequence: 1 });
      for (const sequence of [1, 2, 4]) {
        const events = [stepStart("r", sequence), stepStart("r", sequence + 1)];
        await expectCode(() => store.append("r", events, { sequence }), "run-conflict");
      }
      expect(await store.read("r")).toHaveLength(2);
      await store.append("r", [stepStart("r", 3)], { sequence: 3 });
      expect(await store.read("r")).toHaveLength(3);
    });

    it("records nothing for no events", async () => {
      const { store } = await create();
      await store.append("r", [], { sequence: 1 });
      expect(await listIds(store)).toBe("");
      await store.append("r", [runStart("r")], { sequence: 1 });
      await store.append("r", [], { sequence: 2 });
      expect(await store.read("r")).toHaveLength(1);
    });

    it("lets one of two writers win", async () => {
      const { store } = await create();
      await store.append("r", [runStart("r")], { sequence: 1 });
      const write = async (minute: number) => store.append("r", [stepStart("r", 2, minute)], { sequence: 2 });
      const settled = await Promise.allSettled([write(1), write(2)]);
      expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await store.read("r")).toHaveLength(2);
    });
  });
}
