import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { approvals } from "./runs/approvals.ts";
import { limits } from "./runs/limits.ts";
import { loops } from "./runs/loops.ts";
import { owners } from "./runs/owners.ts";
import { planning } from "./runs/planning.ts";
import { resuming } from "./runs/resuming.ts";
import { secrets } from "./runs/secrets.ts";
import { steps } from "./runs/steps.ts";
import { undoing } from "./runs/undoing.ts";
import { waits } from "./runs/waits.ts";
import { type GoldenRun, type StoreKind, World } from "./world.ts";

const themes: Readonly<Record<string, Readonly<Record<string, GoldenRun>>>> = {
  steps,
  loops,
  limits,
  approvals,
  waits,
  undoing,
  planning,
  resuming,
  owners,
  secrets,
};

/**
 * Runs that have a trace of their own with a store that answers by promises: several things happen at a time, and their
 * order depends on the turns that an answer takes.
 */
const byTurns: ReadonlySet<string> = new Set([
  "parallel-steps",
  "parallel-one-fails",
  "cancel-while-running",
  "loop-side-by-side",
  "calls-at-a-time",
  "calls-in-time",
  "approved-from-a-listener",
  "two-decisions-while-others-run",
  "delivered-to-the-owner",
  "beside-a-step-and-a-condition",
  "in-reverse-order",
  "killed-anywhere-parallel",
  "fence-is-checked-at-an-append",
  "settled-from-elsewhere",
  "closed-and-resumed",
  "closed-while-a-tool-hangs",
  "store-fails-at-a-start",
]);

async function play(run: GoldenRun, kind: StoreKind): Promise<string> {
  const world = new World(kind);
  await run(world);
  if (world.clock.pendingTimers > 0) world.note(`${world.clock.pendingTimers} timers are left`);
  return world.trace.toString();
}

/*
 * A trace that differs is a change of behaviour. Where it is meant, `npx vitest run test/golden -u` writes the files again.
 *
 * Each line begins with the letter of a process, one for each agent, or is:
 *   +1000 ms     time has passed
 *   -- …         what somebody does, or gets as a result
 *       3 …      an event of the append above, with its number
 * An event that is emitted as it was recorded has only its number and type. Times are counted from the start.
 */
describe.each(Object.entries(themes))("%s", (theme, runs) => {
  it.each(Object.entries(runs))("%s", async (name, run) => {
    const file = `./traces/${theme}/${name}`;
    const inMemory = await play(run, "memory");
    await expect(inMemory).toMatchFileSnapshot(`${file}.txt`);
    expect(await play(run, "sqlite"), "on SQLite").toBe(inMemory);
    const later = await play(run, "later");
    if (byTurns.has(name)) await expect(later).toMatchFileSnapshot(`${file}.later.txt`);
    else expect(later, "on a store that answers by promises").toBe(inMemory);
  });
});

it("has no trace that no run writes", () => {
  const files = readdirSync(new URL("./traces", import.meta.url), { recursive: true, encoding: "utf8" });
  const wanted = Object.entries(themes).flatMap(([theme, runs]) =>
    Object.keys(runs).flatMap((name) => [
      `${theme}/${name}.txt`,
      ...(byTurns.has(name) ? [`${theme}/${name}.later.txt`] : []),
    ]),
  );
  const found = files.map((file) => file.replaceAll("\\", "/")).filter((file) => file.endsWith(".txt"));
  expect(found.filter((file) => !wanted.includes(file))).toEqual([]);
});
