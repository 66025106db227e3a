import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hostileInputs } from "./hostile-inputs.ts";

interface HostileOutcome {
  readonly name: string;
  readonly value?: number;
  readonly problem?: string;
  readonly position?: number;
  readonly length?: number;
}

// A process of its own: what hangs, exhausts the stack or exits ends there, and the test tells.
const script = fileURLToPath(new URL("run-hostile-inputs.ts", import.meta.url));
const child = spawnSync(process.execPath, ["--import", "tsx", script], { encoding: "utf8", timeout: 250_000 });
const outcomes = child.stdout
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as HostileOutcome);

describe("hostile inputs", () => {
  it("are at least 60, and all of them end", () => {
    expect(hostileInputs.length).toBeGreaterThanOrEqual(60);
    expect(child.signal).toBeNull();
    expect(child.status).toBe(0);
    expect(outcomes.map(({ name }) => name)).toEqual(hostileInputs.map(({ name }) => name));
  });

  it.each(hostileInputs.map((input, index) => ({ ...input, outcome: outcomes[index] })))(
    "$name",
    ({ expression, expected, outcome }) => {
      if (typeof expected === "number") {
        expect(outcome?.value).toBeCloseTo(expected, 9 - Math.ceil(Math.log10(Math.abs(expected) + 1)));
        return;
      }
      expect(outcome?.problem).toBe(expected);
      expect(outcome?.position).toBeGreaterThanOrEqual(0);
      expect(outcome?.position).toBeLessThanOrEqual(expression.length);
      expect(outcome?.length).toBeLessThan(1_000);
    },
  );
});
