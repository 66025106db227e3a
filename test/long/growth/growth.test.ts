import { describe, expect, it } from "vitest";
import { dataSubjects } from "./data-subjects.ts";
import { textShapes } from "./hostile-shapes.ts";
import { type Growth, type GrowthSubject, measureGrowth } from "./measure-growth.ts";
import { readerSubjects } from "./reader-subjects.ts";
import { modelSubjects, ruleSubjects, runSubjects } from "./text-subjects.ts";

/** n log n at these sizes is 1.1. */
const maxExponent = 1.2;

interface Measured extends Growth {
  readonly shape: string;
}

/** Measures each shape, prints the steepest, and gives those that grow too fast. */
async function findSteep(name: string, subjects: Readonly<Record<string, GrowthSubject>>): Promise<readonly string[]> {
  const measured: Measured[] = [];
  for (const [shape, subject] of Object.entries(subjects)) measured.push({ shape, ...(await measureGrowth(subject)) });
  // Where nothing grew enough to be compared, what took longest.
  const worst = measured.reduce((one, other) =>
    (other.exponent ?? -1) > (one.exponent ?? -1) || (one.exponent === undefined && other.ms > one.ms) ? other : one,
  );
  console.log(`${name.padEnd(55)} ${describeGrowth(worst)}`);
  return measured.filter(({ exponent = 0 }) => exponent > maxExponent).map(describeGrowth);
}

function describeGrowth({ shape, exponent, size, ms }: Measured): string {
  const power = exponent === undefined ? "-" : exponent.toFixed(2);
  return `${power} (${ms.toFixed(0)} ms at ${size}: ${shape})`;
}

describe("outside input is processed in at most n log n", () => {
  for (const [name, work] of Object.entries({ ...ruleSubjects, ...modelSubjects, ...runSubjects })) {
    it(name, async () => {
      const ofShapes = Object.entries(textShapes).map(([shape, make]) => {
        const subject: GrowthSubject = { make, work: (text) => work(String(text)) };
        return [shape, subject] as const;
      });
      expect(await findSteep(name, Object.fromEntries(ofShapes))).toEqual([]);
    });
  }

  for (const [name, subjects] of Object.entries({ ...readerSubjects, ...dataSubjects })) {
    it(name, async () => {
      expect(await findSteep(name, subjects)).toEqual([]);
    });
  }
});
