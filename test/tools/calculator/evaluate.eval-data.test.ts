import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { outcome } from "./outcome.ts";

interface EvaluationLine {
  readonly id: string;
  readonly expression: string;
  readonly tier: "core" | "extended";
  readonly expect: { readonly value: number; readonly valueAny?: readonly number[]; readonly tolerance?: number };
}

// The data is not ours to publish; PLANWRIGHT_EVAL names the folder where it is not beside the repository.
const folder = process.env.PLANWRIGHT_EVAL ?? fileURLToPath(new URL("../../../../shared/eval", import.meta.url));
const file = `${folder}/calc-expressions.jsonl`;

it.for(["core", "extended"] as const)("evaluate agrees with the evaluation data of tier %s", async (tier, context) => {
  if (!existsSync(file)) context.skip(`there is no ${file}; set PLANWRIGHT_EVAL to the folder of the evaluation data`);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const expressions = lines.map((line) => JSON.parse(line) as EvaluationLine).filter((line) => line.tier === tier);
  const misses = [];
  for (const line of expressions) {
    const value = await outcome(line.expression);
    if (!isRight(line, value)) misses.push(`${line.id}: ${line.expression} is ${value}, expected ${line.expect.value}`);
  }
  expect(expressions.length).toBeGreaterThan(0);
  expect(misses).toEqual([]);
});

/** The rule of the scorer that comes with the data. */
function isRight({ expect: { value, valueAny, tolerance = 1e-9 } }: EvaluationLine, got: number | string): boolean {
  if (typeof got === "string") return false;
  return (valueAny ?? [value]).some(
    (expected) => Math.abs(got - expected) <= tolerance * Math.max(1, Math.abs(expected)),
  );
}
