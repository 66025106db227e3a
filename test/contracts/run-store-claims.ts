import { type RunStoreSuite, runStart, stepStart } from "./run-store-suite.ts";

const ada = { owner: "ada", ttlMs: 1_000 };
const bob = { owner: "bob", ttlMs: 1_000 };

/** What every run store must do about claims and fences. */
export function testRunStoreClaims(suite: RunStoreSuite): void {
  suite.describe("claims", () => {
    testClaims(suite);
    testFences(suite);
    testRenewals(suite);
  });
}

function testClaims({ it, expect, create, expectCode }: RunStoreSuite): void {
  it("gives a run to one owner at a time", async () => {
    const { store } = await create();
    await store.claim("r", ada);
    await expectCode(() => store.claim("r", bob), "run-owned-elsewhere");
    await store.claim("other", bob);
  });

  it("gives the same claim to an owner that asks again, from now on", async () => {
    const { store, advance } = await create();
    const { fence } = await store.claim("r", ada);
    advance(900);
    expect(await store.claim("r", ada)).toEqual({ fence });
    advance(900);
    await expectCode(() => store.claim("r", bob), "run-owned-elsewhere");
  });

  it("ends a claim after its time, and the next has a higher fence", async () => {
    const { store, advance } = await create();
    const { fence } = await store.claim("r", ada);
    advance(999);
    await expectCode(() => store.claim("r", bob), "run-owned-elsewhere");
    advance(1);
    expect((await store.claim("r", bob)).fence).toBeGreaterThan(fence);
  });

  it("ends a claim that is released, and the next has a higher fence", async () => {
    const { store } = await create();
    const { fence } = await store.claim("r", ada);
    await store.release("r", { owner: "ada", fence });
    expect((await store.claim("r", bob)).fence).toBeGreaterThan(fence);
  });
}

function testFences({ it, expect, create, expectCode }: RunStoreSuite): void {
  it("records with the fence of the latest claim, and without one", async () => {
    const { store } = await create();
    const { fence } = await store.claim("r", ada);
    await store.append("r", [runStart("r")], { sequence: 1, fence });
    await store.append("r", [stepStart("r", 2)], { sequence: 2 });
    expect(await store.read("r")).toHaveLength(2);
  });

  it("refuses the fence of an earlier claim, and one that never was, and records nothing", async () => {
    const { store, advance } = await create();
    const { fence } = await store.claim("r", ada);
    await store.append("r", [runStart("r")], { sequence: 1, fence });
    advance(1_000);
    const { fence: later } = await store.claim("r", bob);
    for (const stale of [fence, later + 1]) {
      const append = () => store.append("r", [stepStart("r", 2)], { sequence: 2, fence: stale });
      await expectCode(append, "run-owned-elsewhere");
    }
    await expectCode(() => store.append("new", [runStart("new")], { sequence: 1, fence: 1 }), "run-owned-elsewhere");
    expect(await store.read("r")).toHaveLength(1);
    expect(await store.read("new")).toEqual([]);
    await store.append("r", [stepStart("r", 2)], { sequence: 2, fence: later });
  });
}

function testRenewals({ it, expect, create, expectCode }: RunStoreSuite): void {
  it("lengthens a claim from now", async () => {
    const { store, advance } = await create();
    const { fence } = await store.claim("r", ada);
    advance(900);
    await store.renew("r", { ...ada, fence });
    advance(900);
    await expectCode(() => store.claim("r", bob), "run-owned-elsewhere");
    advance(100);
    await store.claim("r", bob);
  });

  it("does not renew a claim that another owner has taken, that was released, or that never was", async () => {
    const { store, advance } = await create();
    const { fence } = await store.claim("r", ada);
    await expectCode(() => store.renew("r", { ...ada, fence: fence + 1 }), "run-owned-elsewhere");
    await expectCode(() => store.renew("r", { ...bob, fence }), "run-owned-elsewhere");
    advance(1_000);
    const { fence: later } = await store.claim("r", bob);
    await expectCode(() => store.renew("r", { ...ada, fence }), "run-owned-elsewhere");
    await store.release("r", { owner: "bob", fence: later });
    await expectCode(() => store.renew("r", { ...bob, fence: later }), "run-owned-elsewhere");
    await expectCode(() => store.renew("none", { ...ada, fence: 1 }), "run-owned-elsewhere");
  });

  it("releases only what the owner holds, and does nothing else", async () => {
    const { store, advance } = await create();
    const { fence } = await store.claim("r", ada);
    await store.release("r", { owner: "bob", fence });
    await store.release("r", { owner: "ada", fence: fence + 1 });
    await store.release("none", { owner: "ada", fence });
    await expectCode(() => store.claim("r", bob), "run-owned-elsewhere");
    advance(1_000);
    const { fence: later } = await store.claim("r", bob);
    await store.release("r", { owner: "ada", fence });
    await expectCode(() => store.claim("r", ada), "run-owned-elsewhere");
    expect(later).toBeGreaterThan(fence);
  });
}
