import { expect, it } from "vitest";
import { countLeftovers } from "./leftovers.ts";
import { MixedRuns } from "./mixed-runs.ts";

// The long version, with a bound on the heap: `npm run test:long`.
it("runs that complete, fail, time out or are cancelled leave no timer, signal or listener behind", async () => {
  const runs = new MixedRuns();
  await runs.make(120);
  const early = await countLeftovers(runs.signal);
  await runs.make(1_000);
  const late = await countLeftovers(runs.signal);
  expect(late.listeners).toBe(0);
  // The test runner has a timer of its own, which may end meanwhile.
  expect(late.timers).toBeLessThanOrEqual(early.timers);
  expect(late.signals).toBeLessThanOrEqual(early.signals);
});
