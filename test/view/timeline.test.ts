import { expect, it } from "vitest";
import { createAxis } from "../../src/view/timeline.ts";

const labels = (durationMs: number) =>
  createAxis([{ startMs: 0, endMs: durationMs }], durationMs).ticks.map(({ label }) => label);

it("has ticks at round times", () => {
  expect(labels(0)).toEqual([]);
  expect(labels(38)).toEqual(["10 ms", "20 ms", "30 ms"]);
  expect(labels(2_700)).toEqual(["1 s", "2 s"]);
  expect(labels(38_000)).toEqual(["10 s", "20 s", "30 s"]);
  expect(labels(280_000)).toEqual(["1 min", "2 min", "3 min", "4 min"]);
  expect(labels(40 * 86_400_000)).toEqual(["8 d", "16 d", "24 d", "32 d"]);
  for (const ms of [1, 7, 4_999, 5_001, 60_001, 1e7, 1e9, 1e12]) expect(labels(ms).length).toBeLessThanOrEqual(5);
});

it("counts no pauses, however long and many", () => {
  const day = 86_400_000;
  const executions = [0, day, 9 * day].map((startMs) => ({ startMs, endMs: startMs + 10_000 }));
  const { at, ticks, pauses } = createAxis(executions, 9 * day + 10_000);
  expect(pauses.map(({ ms }) => ms)).toEqual([day - 10_000, 8 * day - 10_000]);
  expect(ticks.map(({ label }) => label)).toEqual(["10 s", "20 s"]);
  expect(at(9 * day + 10_000)).toBeCloseTo(100);
  // Between the pauses on either side of it, a tick stands where its time does.
  expect(ticks[1]?.at).toBeCloseTo(at(9 * day));
  const times = [0, 10_000, day / 2, day, day + 5_000, 9 * day, 9 * day + 1].map(at);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  const many = Array.from({ length: 1_000 }, (_, index) => ({ startMs: index * day, endMs: index * day + 1 }));
  expect(createAxis(many, 999 * day + 1).at(999 * day + 1)).toBeCloseTo(100);
});
