import { spawnSync } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { buildChild } from "../kills/start-child.ts";
import type { Leftovers } from "./leftovers.ts";

// The long version, with a bound on the heap: `npm run test:long`. In a process of its own, as other tests leave signals, too.
it("runs that complete, fail, time out or are cancelled leave no timer, signal or listener behind", () => {
  const { script, remove } = buildChild("test/leaks/leaks-child.ts");
  onTestFinished(remove);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  const { early, late } = JSON.parse(stdout) as Readonly<Record<"early" | "late", Leftovers>>;
  expect(late.listeners).toBe(0);
  expect(late.timers).toBeLessThanOrEqual(early.timers);
  expect(late.signals).toBeLessThanOrEqual(early.signals);
});
