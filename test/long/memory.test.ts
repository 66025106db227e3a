import { expect, it } from "vitest";
import { countLeftovers, type Leftovers } from "../leaks/leftovers.ts";
import { MixedRuns } from "../leaks/mixed-runs.ts";

const firstRuns = 5_000;
const allRuns = 100_000;
const maxGrowthBytes = 20_000_000;

it(`${allRuns} runs in one process leave nothing behind`, async () => {
  const runs = new MixedRuns();
  const before = await countLeftovers(runs.signal);
  await runs.make(firstRuns);
  const early = await countLeftovers(runs.signal);
  const lines = [describe(0, before), describe(firstRuns, early)];
  let late = early;
  for (let count = 2 * firstRuns; count <= allRuns; count += firstRuns) {
    await runs.make(firstRuns);
    late = await countLeftovers(runs.signal);
    lines.push(describe(count, late));
  }
  console.log([...lines, JSON.stringify({ ...runs.ended, warnings: runs.warnings.length })].join("\n"));

  expect(late.heapUsed - early.heapUsed).toBeLessThan(maxGrowthBytes);
  expect(late.listeners).toBe(0);
  expect(late.timers).toBeLessThanOrEqual(before.timers);
  expect(late.signals).toBeLessThanOrEqual(before.signals);
});

function describe(runs: number, { heapUsed, timers, signals, listeners }: Leftovers): string {
  const heap = (heapUsed / 1e6).toFixed(1);
  return `${runs} runs: heap ${heap} MB, ${timers} timers, ${signals} signals, ${listeners} listeners`;
}
