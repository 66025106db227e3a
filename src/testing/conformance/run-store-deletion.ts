import assert from "node:assert/strict";
import { assertFails, assertSame } from "./conformance-case.ts";
import { fillStore, listIds, type RunStoreCase, runEnd, runStart, runSuspend, stepStart } from "./run-store-case.ts";

const ada = { owner: "ada", ttlMs: 1_000 };
const bob = { owner: "bob", ttlMs: 1_000 };

/** The requirements for the deletion of runs. */
export const deletionCases: readonly RunStoreCase[] = [
  {
    name: "deletion: leaves nothing of a run, and does not affect the others",
    async check({ store }) {
      await fillStore(store, 3);
      await store.append("r2", [stepStart("r2", 2)], { sequence: 2 });
      assert.equal(await store.delete("r2"), true);
      assertSame(await store.read("r2"), []);
      assert.equal(await listIds(store), "r3 r1");
      assert.equal(await listIds(store, { metadata: { user: "ada" } }), "r3 r1");
      assert.equal((await store.read("r1")).length, 1);
      await assertFails(() => store.post("r2", { type: "note" }), "run-not-found");
    },
  },
  {
    name: "deletion: frees the id for a run that has nothing of the deleted one",
    async check({ store }) {
      const steps = Array.from({ length: 1_200 }, (_, index) => stepStart("r", index + 3));
      await store.append("r", [runStart("r", { request: "Add milk" }), stepStart("r", 2)], { sequence: 1 });
      await store.append("r", steps, { sequence: 3 });
      await store.post("r", { type: "note" });
      await store.append("r", [runSuspend("r", 1_203)], { sequence: 1_203 });
      await store.delete("r");
      await store.append("r", [runStart("r", { minute: 1 })], { sequence: 1 });
      assertSame(await store.read("r"), [runStart("r", { minute: 1 })]);
      const [summary] = (await store.list()).runs;
      assertSame([summary?.request, summary?.pending, summary?.startedAt], [undefined, undefined, undefined]);
      assertSame((await store.claim("r", ada)).posted ?? [], []);
      await store.append("r", [stepStart("r", 2)], { sequence: 2 });
      assert.equal((await store.read("r")).length, 2);
    },
  },
  {
    name: "deletion: refuses a run with a lease that lasts, and deletes it once that has ended",
    async check({ store, advance }) {
      await fillStore(store, 2);
      await store.claim("r1", ada);
      await assertFails(() => store.delete("r1"), "run-owned-elsewhere");
      assert.equal((await store.read("r1")).length, 1);
      advance(1_000);
      assert.equal(await store.delete("r1"), true);
      const { fence } = await store.claim("r2", ada);
      await store.release("r2", { owner: "ada", fence });
      assert.equal(await store.delete("r2"), true);
      assert.equal(await listIds(store), "");
    },
  },
  {
    name: "deletion: lets an owner of the deleted run write no more, even to a new run with the same id",
    async check({ store, advance }) {
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
      assert.ok(
        later > fence,
        `the fence after a deletion is ${later}; it must be higher than the one before, ${fence}`,
      );
      await store.append("r", [runStart("r")], { sequence: 1, fence: later });
      await assertFails(() => append(2), "run-owned-elsewhere");
      assert.equal((await store.read("r")).length, 1);
    },
  },
  {
    name: "deletion: with statuses, deletes a run only if it has one of them",
    async check({ store }) {
      await fillStore(store, 1);
      await store.append("r1", [runSuspend("r1", 2)], { sequence: 2 });
      assert.equal(await store.delete("r1", { status: ["completed", "failed"] }), false);
      assert.equal(await store.delete("r1", { status: [] }), false);
      assert.equal((await store.read("r1")).length, 2);
      assert.equal(await store.delete("r1", { status: ["failed", "suspended"] }), true);
      assertSame(await store.read("r1"), []);
    },
  },
  {
    name: "deletion: refuses a run that does not exist, that was deleted, or that is only claimed",
    async check({ store }) {
      await fillStore(store, 1);
      await store.delete("r1");
      await store.claim("r", ada);
      for (const id of ["none", "r1", "r"]) await assertFails(() => store.delete(id), "run-not-found");
    },
  },
  {
    name: "deletion: neither repeats nor misses a run while pages are being read",
    async check({ store }) {
      await fillStore(store, 5);
      const first = await store.list({ limit: 2 });
      for (const id of ["r4", "r3", "r5"]) await store.delete(id);
      await store.append("new", [runStart("new", { minute: 9 }), runEnd("new")], { sequence: 1 });
      const rest = await store.list({ limit: 2, ...(first.cursor !== undefined && { cursor: first.cursor }) });
      assertSame(
        rest.runs.map(({ runId }) => runId),
        ["r2", "r1"],
      );
      assert.equal(await listIds(store), "new r2 r1");
    },
  },
];
