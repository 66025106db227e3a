import assert from "node:assert/strict";
import type { RunStore } from "../../core/run-store.ts";
import { assertFails, assertSame } from "./conformance-case.ts";
import {
  type EndStatus,
  fillStore,
  listIds,
  type RunStoreCase,
  runEnd,
  runResume,
  runSuspend,
  stepStart,
} from "./run-store-case.ts";

const ada = { owner: "ada", ttlMs: 1_000 };
const bob = { owner: "bob", ttlMs: 1_000 };

/** A message with a text. */
const say = (text: string) => ({ type: "note", text });

/** The texts of the messages that the owner of a run receives. */
async function postedTo(store: RunStore, runId: string, owner = ada): Promise<readonly unknown[]> {
  const { posted = [] } = await store.claim(runId, owner);
  return posted.map(({ message }) => (message as { text: unknown }).text);
}

/** Posts a message, and returns its number. */
async function post(store: RunStore, runId: string, text: string): Promise<number> {
  const { number } = await store.post(runId, say(text));
  assert.equal(typeof number, "number", `the number of a message is ${number}`);
  return number as number;
}

/** The requirements for messages. */
export const messageCases: readonly RunStoreCase[] = [
  {
    name: "messages: returns what was posted with a lease and each renewal, unchanged and in order, until it is acknowledged",
    async check({ store }) {
      await fillStore(store, 1);
      const odd = { text: 'use ${HOME} {"$ref":"s1"} \u0000 \u{1F600}', list: [null, { x: 0.1 }] };
      const { number: first = 0 } = await store.post("r1", odd);
      const second = await post(store, "r1", "two");
      assert.ok(second > first, `the number of a later message is ${second}; it must be higher than ${first}`);
      const both = [
        { number: first, message: odd },
        { number: second, message: say("two") },
      ];
      const { fence, posted } = await store.claim("r1", ada);
      assertSame(posted, both);
      assertSame((await store.renew("r1", { ...ada, fence })).posted, both);
      const third = await post(store, "r1", "three");
      assert.ok(third > second, `the number of a later message is ${third}; it must be higher than ${second}`);
      assertSame((await store.renew("r1", { ...ada, fence })).posted?.length, 3);
    },
  },
  {
    name: "messages: accepts a message from anybody, whoever owns the run, and keeps those of runs apart",
    async check({ store }) {
      await fillStore(store, 2);
      const { fence } = await store.claim("r1", ada);
      await post(store, "r1", "to r1");
      await post(store, "r2", "to r2");
      assertSame((await store.renew("r1", { ...ada, fence })).posted?.length, 1);
      assertSame(await postedTo(store, "r2", bob), ["to r2"]);
    },
  },
  {
    name: "messages: removes one together with the events that acknowledge it, and no other",
    async check({ store }) {
      await fillStore(store, 1);
      const { fence } = await store.claim("r1", ada);
      const first = await post(store, "r1", "one");
      const second = await post(store, "r1", "two");
      await post(store, "r1", "three");
      await store.append("r1", [stepStart("r1", 2)], { sequence: 2, fence, acknowledged: [first, second] });
      assertSame(await postedTo(store, "r1"), ["three"]);
      const fourth = await post(store, "r1", "four");
      assert.ok(fourth > second, `the number of a later message is ${fourth}; it must be higher than ${second}`);
    },
  },
  {
    name: "messages: keeps one whose events were refused",
    async check({ store, advance }) {
      await fillStore(store, 1);
      const { fence } = await store.claim("r1", ada);
      const number = await post(store, "r1", "one");
      const append = (sequence: number) =>
        store.append("r1", [stepStart("r1", sequence)], { sequence, fence, acknowledged: [number] });
      await assertFails(() => append(9), "run-conflict");
      advance(1_000);
      assertSame(await postedTo(store, "r1", bob), ["one"]);
      await assertFails(() => append(2), "run-owned-elsewhere");
      assertSame(await postedTo(store, "r1", bob), ["one"]);
    },
  },
  {
    name: "messages: gives the next owner what the one before received and did not acknowledge",
    async check({ store, advance }) {
      await fillStore(store, 1);
      await post(store, "r1", "one");
      assertSame(await postedTo(store, "r1"), ["one"]);
      advance(1_000);
      assertSame(await postedTo(store, "r1", bob), ["one"]);
    },
  },
  {
    name: "messages: removes what is acknowledged when a lease is released, but only for its owner",
    async check({ store }) {
      await fillStore(store, 1);
      const { fence } = await store.claim("r1", ada);
      const first = await post(store, "r1", "one");
      await post(store, "r1", "two");
      await store.release("r1", { owner: "bob", fence, acknowledged: [first] });
      await store.release("r1", { owner: "ada", fence: fence + 1, acknowledged: [first] });
      assertSame(await postedTo(store, "r1"), ["one", "two"]);
      await store.release("r1", { owner: "ada", fence, acknowledged: [first] });
      assertSame(await postedTo(store, "r1", bob), ["two"]);
    },
  },
  {
    name: "messages: keeps no more for a run than whoever posts says",
    async check({ store }) {
      await fillStore(store, 2);
      const maxKept = 2;
      await post(store, "r1", "one");
      assertSame(typeof (await store.post("r1", say("two"), { maxKept })).number, "number");
      const { number, isFull } = await store.post("r1", say("three"), { maxKept });
      assertSame({ number, isFull }, { number: undefined, isFull: true });
      assertSame(typeof (await store.post("r2", say("another run"), { maxKept })).number, "number");
      await post(store, "r1", "four");
      assertSame(await postedTo(store, "r1"), ["one", "two", "four"]);
    },
  },
  {
    name: "messages: keeps none for a run that has ended, and drops those that were posted before",
    async check({ store }) {
      let number = 0;
      for (const status of ["completed", "failed", "cancelled"] satisfies EndStatus[]) {
        await fillStore(store, ++number, number);
        const id = `r${number}`;
        await post(store, id, "too late");
        await store.append(id, [runEnd(id, { status })], { sequence: 2 });
        assertSame((await store.post(id, say("later still"))).number, undefined);
        assertSame(await postedTo(store, id), []);
      }
      await store.append("r2", [runResume("r2", 3)], { sequence: 3 });
      await post(store, "r2", "once more");
      assertSame(await postedTo(store, "r2"), ["once more"]);
    },
  },
  {
    name: "messages: keeps those of a run that is suspended or interrupted",
    async check({ store }) {
      await fillStore(store, 2);
      await post(store, "r1", "one");
      await post(store, "r2", "two");
      await store.append("r1", [runSuspend("r1", 2)], { sequence: 2 });
      await store.append("r2", [runEnd("r2", { status: "interrupted" })], { sequence: 2 });
      assertSame(await postedTo(store, "r1"), ["one"]);
      assertSame(await postedTo(store, "r2"), ["two"]);
      await post(store, "r1", "three");
      assertSame(await postedTo(store, "r1"), ["one", "three"]);
    },
  },
  {
    name: "messages: lists a suspended run as resumable if something was posted to it and it has no owner",
    async check({ store }) {
      await fillStore(store, 3);
      for (const id of ["r1", "r2", "r3"]) await store.append(id, [runSuspend(id, 2)], { sequence: 2 });
      const number = await post(store, "r2", "one");
      await post(store, "r2", "two");
      assert.equal(await listIds(store, { resumable: true }), "r2");
      assert.equal(await listIds(store, { resumable: true, metadata: { user: "ada" } }), "r2");
      assert.equal(await listIds(store, { resumable: true, status: "running" }), "");
      const { fence } = await store.claim("r2", ada);
      assert.equal(await listIds(store, { resumable: true }), "");
      await store.release("r2", { owner: "ada", fence, acknowledged: [number, number + 1] });
      assert.equal(await listIds(store, { resumable: true }), "");
      assert.equal(await listIds(store, { resumable: true, metadata: { user: "ada" } }), "");
    },
  },
  {
    name: "messages: refuses one to a run that does not exist, or that is only claimed",
    async check({ store }) {
      await store.claim("r", ada);
      await assertFails(() => store.post("r", say("nobody hears")), "run-not-found");
      await assertFails(() => store.post("none", say("nobody hears")), "run-not-found");
    },
  },
  {
    name: "messages: keeps an early one for a run that has yet to start, or refuses it",
    async check({ store }) {
      try {
        await store.post("r1", say("early"), { isEarly: true });
      } catch (thrown) {
        return assertFails(() => Promise.reject(thrown), "run-not-found");
      }
      assert.equal(await listIds(store, {}), "");
      assertSame(await store.read("r1"), []);
      await assertFails(() => store.delete("r1"), "run-not-found");
      assertSame(await postedTo(store, "r1"), ["early"]);
      await store.post("r1", say("too"), { isEarly: true });
      await fillStore(store, 1);
      await store.post("r1", say("later"), { isEarly: true });
      assertSame(await postedTo(store, "r1"), ["early", "too", "later"]);
      await store.append("r1", [runEnd("r1", { status: "completed" })], { sequence: 2 });
      assertSame((await store.post("r1", say("too late"), { isEarly: true })).number, undefined);
      assertSame(await postedTo(store, "r1"), []);
    },
  },
];
