import { describe, expect, it } from "vitest";
import { goldFolder, goldSets, hasGold, readGoldTools } from "./gold.ts";
import { playSet } from "./play-set.ts";
import { compareWithAjv } from "./schema-agreement.ts";

if (!hasGold) console.log(`The published plans are not tested: they are expected at ${goldFolder}`);

describe.skipIf(!hasGold).each(goldSets)("published plans: %s", (set) => {
  it("are validated, run or refused, cut off and resumed as they should be: every tenth", async () => {
    const { plans, valid, right, misses } = await playSet(set, { each: 10 });
    expect(misses).toEqual([]);
    expect(right).toEqual({ validation: plans, run: plans, resume: valid });
    expect(valid).toBeGreaterThan(5);
  });

  it("have schemas of which values are judged as ajv judges them: every tenth", () => {
    const schemas = readGoldTools(set).flatMap(({ inputSchema, outputSchema = {} }) => [inputSchema, outputSchema]);
    const { values, valid, misses } = compareWithAjv(schemas.filter((_, index) => index % 10 < 2));
    expect(misses).toEqual([]);
    expect(valid).toBeGreaterThan(values / 10);
  });
});
