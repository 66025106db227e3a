import assert from "node:assert/strict";
import { assertFails, assertSame } from "./conformance-case.ts";
import { listIds, type RunStoreCase, runEnd, runStart, stepStart } from "./run-store-case.ts";

/** The requirements for events. */
export const eventCases: readonly RunStoreCase[] = [
  {
    name: "events: reads what was appended, in order and unchanged",
    async check({ store }) {
      const events = [runStart("r"), stepStart("r", 2), stepStart("r", 3), runEnd("r", { sequence: 4 })];
      await store.append("r", events.slice(0, 1), { sequence: 1 });
      await store.append("r", events.slice(1, 3), { sequence: 2 });
      await store.append("r", events.slice(3), { sequence: 4 });
      assertSame(await store.read("r"), events);
    },
  },
  {
    name: "events: reads by page",
    async check({ store }) {
      await store.append("r", [runStart("r"), stepStart("r", 2), stepStart("r", 3)], { sequence: 1 });
      const sequences = async (options: { after?: number; limit?: number }) =>
        (await store.read("r", options)).map(({ sequence }) => sequence);
      assertSame(await sequences({ after: 0 }), [1, 2, 3]);
      assertSame(await sequences({ after: 1 }), [2, 3]);
      assertSame(await sequences({ limit: 2 }), [1, 2]);
      assertSame(await sequences({ after: 1, limit: 1 }), [2]);
      assertSame(await sequences({ after: 3 }), []);
      assertSame(await sequences({ after: 99 }), []);
    },
  },
  {
    name: "events: reads a run of a thousand",
    async check({ store }) {
      const steps = Array.from({ length: 999 }, (_, index) => stepStart("r", index + 2));
      await store.append("r", [runStart("r"), ...steps], { sequence: 1 });
      assertSame(await store.read("r"), [runStart("r"), ...steps]);
      assertSame(await store.read("r", { after: 998 }), steps.slice(-2));
    },
  },
  {
    name: "events: has nothing of a run that was never recorded",
    async check({ store }) {
      assertSame(await store.read("none"), []);
      assert.equal(await listIds(store), "");
    },
  },
  {
    name: "events: keeps runs apart, whatever their ids are",
    async check({ store }) {
      const ids = ["a", "A", "a.b", "a-b", "__proto__", "constructor", "0", "x".repeat(128)];
      for (const id of ids) await store.append(id, [runStart(id)], { sequence: 1 });
      for (const id of ids) assertSame(await store.read(id), [runStart(id)]);
    },
  },
  {
    name: "events: refuses every number but the next, and then records nothing",
    async check({ store }) {
      for (const sequence of [0, 2]) {
        await assertFails(() => store.append("r", [stepStart("r", sequence)], { sequence }), "run-conflict");
      }
      assertSame(await store.read("r"), []);
      await store.append("r", [runStart("r"), stepStart("r", 2)], { sequence: 1 });
      for (const sequence of [1, 2, 4]) {
        const events = [stepStart("r", sequence), stepStart("r", sequence + 1)];
        await assertFails(() => store.append("r", events, { sequence }), "run-conflict");
      }
      assertSame(await store.read("r"), [runStart("r"), stepStart("r", 2)]);
      await store.append("r", [stepStart("r", 3)], { sequence: 3 });
      assert.equal((await store.read("r")).length, 3);
    },
  },
  {
    name: "events: records all of an append, or nothing, even if it is read meanwhile",
    async check({ store }) {
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
  },
  {
    name: "events: adds nothing later to a list of events that was read",
    async check({ store }) {
      await store.append("r", [runStart("r")], { sequence: 1 });
      const before = await store.read("r");
      await store.append("r", [stepStart("r", 2)], { sequence: 2 });
      assert.equal(before.length, 1);
    },
  },
  {
    name: "events: records nothing for no events",
    async check({ store }) {
      await store.append("r", [], { sequence: 1 });
      assert.equal(await listIds(store), "");
      await store.append("r", [runStart("r")], { sequence: 1 });
      await store.append("r", [], { sequence: 2 });
      assert.equal((await store.read("r")).length, 1);
    },
  },
  {
    name: "events: lets one of two writers win",
    async check({ store }) {
      await store.append("r", [runStart("r")], { sequence: 1 });
      const write = async (minute: number) => store.append("r", [stepStart("r", 2, minute)], { sequence: 2 });
      const settled = await Promise.allSettled([write(1), write(2)]);
      const winner = settled.findIndex(({ status }) => status === "fulfilled");
      const loser = settled[1 - winner];
      assert.equal(loser?.status, "rejected");
      await assertFails(() => Promise.reject(loser.reason), "run-conflict");
      assertSame(await store.read("r"), [runStart("r"), stepStart("r", 2, winner + 1)]);
    },
  },
];
