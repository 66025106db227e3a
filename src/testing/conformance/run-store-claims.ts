import assert from "node:assert/strict";
import { assertFails, assertSame } from "./conformance-case.ts";
import { type RunStoreCase, runStart, stepStart } from "./run-store-case.ts";

const ada = { owner: "ada", ttlMs: 1_000 };
const bob = { owner: "bob", ttlMs: 1_000 };

function assertHigher(later: number, earlier: number): void {
  assert.ok(
    later > earlier,
    `the fence of a later owner is ${later}; it must be higher than the one before, ${earlier}`,
  );
}

/** The requirements for leases and fences. */
export const claimCases: readonly RunStoreCase[] = [
  {
    name: "claims: gives a run to one owner at a time",
    async check({ store }) {
      await store.claim("r", ada);
      await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
      await store.claim("other", bob);
    },
  },
  {
    name: "claims: keeps runs apart, whatever their ids are",
    async check({ store }) {
      const ids = ["a", "A", "a.b", "__proto__", "constructor", "0"];
      for (const id of ids) await store.claim(id, { owner: `owner of ${id}`, ttlMs: 1_000 });
      for (const id of ids) await assertFails(() => store.claim(id, bob), "run-owned-elsewhere");
    },
  },
  {
    name: "claims: gives a run to one of two who claim at once",
    async check({ store }) {
      const claim = async (owner: string) => store.claim("r", { owner, ttlMs: 1_000 });
      const settled = await Promise.allSettled([claim("ada"), claim("bob")]);
      assertSame(settled.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    },
  },
  {
    name: "claims: renews the same claim from now on for an owner that claims again",
    async check({ store, advance }) {
      const { fence } = await store.claim("r", ada);
      advance(900);
      assertSame((await store.claim("r", ada)).fence, fence);
      advance(900);
      await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
    },
  },
  {
    name: "claims: ends a lease after its time, and the next has a higher fence",
    async check({ store, advance }) {
      const { fence } = await store.claim("r", ada);
      advance(999);
      await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
      advance(1);
      assertHigher((await store.claim("r", bob)).fence, fence);
    },
  },
  {
    name: "claims: ends a lease that is released, and the next has a higher fence",
    async check({ store }) {
      const { fence } = await store.claim("r", ada);
      await store.release("r", { owner: "ada", fence });
      assertHigher((await store.claim("r", bob)).fence, fence);
    },
  },
  {
    name: "claims: records with the fence of the latest claim, and without one",
    async check({ store }) {
      const { fence } = await store.claim("r", ada);
      await store.append("r", [runStart("r")], { sequence: 1, fence });
      await store.append("r", [stepStart("r", 2)], { sequence: 2 });
      assert.equal((await store.read("r")).length, 2);
    },
  },
  {
    name: "claims: refuses the fence of an earlier claim, and one that never existed, and records nothing",
    async check({ store, advance }) {
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
  },
  {
    name: "claims: records with the fence of the latest claim though it has ended, as the run has no other owner",
    async check({ store, advance }) {
      const { fence } = await store.claim("r", ada);
      advance(1_000);
      await store.append("r", [runStart("r")], { sequence: 1, fence });
      await store.release("r", { owner: "ada", fence });
      await store.append("r", [stepStart("r", 2)], { sequence: 2, fence });
      assert.equal((await store.read("r")).length, 2);
    },
  },
  {
    name: "claims: lengthens a lease, counted from now",
    async check({ store, advance }) {
      const { fence } = await store.claim("r", ada);
      advance(900);
      await store.renew("r", { ...ada, fence });
      advance(900);
      await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
      advance(100);
      await store.claim("r", bob);
    },
  },
  {
    name: "claims: does not renew a lease that another owner has taken, that was released, or that never existed",
    async check({ store, advance }) {
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
  },
  {
    name: "claims: releases only what the owner holds, and does nothing else",
    async check({ store, advance }) {
      const { fence } = await store.claim("r", ada);
      await store.release("r", { owner: "bob", fence });
      await store.release("r", { owner: "ada", fence: fence + 1 });
      await store.release("none", { owner: "ada", fence });
      await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
      advance(1_000);
      const { fence: later } = await store.claim("r", bob);
      await store.release("r", { owner: "ada", fence });
      await assertFails(() => store.claim("r", ada), "run-owned-elsewhere");
      assertHigher(later, fence);
    },
  },
  {
    name: "claims: ends a lease that starts in the future, as when the clock was set back",
    async check({ store, advance }) {
      const { fence } = await store.claim("r", ada);
      advance(-3_600_000);
      const { fence: later } = await store.claim("r", bob);
      assertHigher(later, fence);
      await assertFails(() => store.renew("r", { ...ada, fence }), "run-owned-elsewhere");
      advance(999);
      await assertFails(() => store.claim("r", ada), "run-owned-elsewhere");
      advance(1);
      await store.claim("r", ada);
    },
  },
  {
    name: "claims: starts a lease again when it is renewed after the clock was set back",
    async check({ store, advance }) {
      const { fence } = await store.claim("r", ada);
      advance(-3_600_000);
      await store.renew("r", { ...ada, fence });
      await assertFails(() => store.claim("r", bob), "run-owned-elsewhere");
      advance(1_000);
      assertHigher((await store.claim("r", bob)).fence, fence);
    },
  },
];
