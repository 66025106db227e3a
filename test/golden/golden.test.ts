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
import { type GoldenRun, type StoreKind, storeKinds, World } from "./world.ts";

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

async function play(run: GoldenRun, kind: StoreKind): Promise<string> {
  const world = new World(kind);
  await run(world);
  if (world.clock.pendingTimers > 0) world.note(`${world.clock.pendingTimers} timers are left`);
  return world.trace.toString();
}

// A trace that differs is a change of behaviour. Where it is meant, `npx vitest run test/golden -u` writes the files again.
describe.each(Object.entries(themes))("%s", (theme, runs) => {
  it.each(Object.entries(runs))("%s", async (name, run) => {
    const [inMemory = "", ...others] = await Promise.all(storeKinds.map((kind) => play(run, kind)));
    for (const other of others) expect(other).toBe(inMemory);
    await expect(inMemory).toMatchFileSnapshot(`./traces/${theme}/${name}.txt`);
  });
});

it("has no trace that no run writes", () => {
  const files = readdirSync(new URL("./traces", import.meta.url), { recursive: true, encoding: "utf8" });
  const names = Object.entries(themes).flatMap(([theme, runs]) =>
    Object.keys(runs).map((name) => `${theme}/${name}.txt`),
  );
  expect(files.filter((file) => file.endsWith(".txt") && !names.includes(file.replaceAll("\\", "/")))).toEqual([]);
});
