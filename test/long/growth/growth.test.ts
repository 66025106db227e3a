import { afterAll, describe, expect, it } from "vitest";
import { dataSubjects } from "./data-subjects.ts";
import { textShapes } from "./hostile-shapes.ts";
import { type Growth, type GrowthSubject, measureGrowth } from "./measure-growth.ts";
import { modelSubjects, ruleSubjects, runSubjects } from "./text-subjects.ts";

/** n log n at these sizes is 1.1. */
const maxExponent = 1.2;

interface Measured extends Growth {
  readonly name: string;
  readonly shape: string;
}

const table: Measured[] = [];

/** Measures each shape, and gives those that grow too fast. */
async function findSteep(name: string, subjects: Readonly<Record<string, GrowthSubject>>): Promise<readonly string[]> {
  const steep: string[] = [];
  for (const [shape, subject] of Object.entries(subjects)) {
    const growth = await measureGrowth(subject);
    table.push({ name, shape, ...growth });
    if ((growth.exponent ?? 0) > maxExponent) steep.push(describeGrowth({ name, shape, ...growth }));
  }
  return steep;
}

function describeGrowth({ shape, exponent, size, ms }: Measured): string {
  const power = exponent === undefined ? "-" : exponent.toFixed(2);
  return `${power} (${ms.toFixed(0)} ms at ${size}: ${shape})`;
}

describe("what comes from outside takes no more than n log n", () => {
  for (const [name, work] of Object.entries({ ...ruleSubjects, ...modelSubjects, ...runSubjects })) {
    it(name, async () => {
      const ofShapes = Object.entries(textShapes).map(([shape, make]) => {
        const subject: GrowthSubject = { make, work: (text) => work(String(text)) };
        return [shape, subject] as const;
      });
      expect(await findSteep(name, Object.fromEntries(ofShapes))).toEqual([]);
    });
  }

  for (const [name, subjects] of Object.entries(dataSubjects)) {
    it(name, async () => {
      expect(await findSteep(name, subjects)).toEqual([]);
    });
  }
});

afterAll(() => {
  const names = [...new Set(table.map(({ name }) => name))];
  const lines = names.map((name) => {
    const own = table.filter((row) => row.name === name);
    // Where nothing grew enough to be compared, what took longest.
    const worst = own.reduce((one, other) =>
      (other.exponent ?? -1) > (one.exponent ?? -1) || (one.exponent === undefined && other.ms > one.ms) ? other : one,
    );
    return `${name.padEnd(55)} ${describeGrowth(worst)}`;
  });
  console.log(["The steepest shape of each:", ...lines].join("\n"));
});
