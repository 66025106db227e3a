import { describe, expect, it } from "vitest";
import { goldFolder, goldSets, hasGold, readGoldTools } from "../gold-plans/gold.ts";
import { playSet, tableOf } from "../gold-plans/play-set.ts";
import { compareWithAjv } from "../gold-plans/schema-agreement.ts";

if (!hasGold) console.log(`The published plans are not tested: they are expected at ${goldFolder}`);

describe.skipIf(!hasGold)("all published plans", () => {
  it("are validated, run or refused, cut off and resumed as they should be", async () => {
    const sets = [];
    for (const set of goldSets) sets.push(await playSet(set, { seed: Date.now() % 2 ** 31 }));
    console.log(tableOf(sets));
    expect(sets.flatMap(({ misses }) => misses)).toEqual([]);
    expect(sets.reduce((sum, { plans }) => sum + plans, 0)).toBeGreaterThan(3_000);
  });

  it("have schemas of which values are judged as ajv judges them", () => {
    const schemas = goldSets
      .flatMap((set) => readGoldTools(set))
      .flatMap(({ inputSchema, outputSchema }) => [inputSchema, ...(outputSchema === undefined ? [] : [outputSchema])]);
    const { values, valid, same, misses } = compareWithAjv(schemas, { seed: Date.now() % 2 ** 31 });
    console.log(`${same} of ${values} values (${valid} valid) of ${schemas.length} schemas are judged alike`);
    for (const miss of misses.slice(0, 5)) console.log(miss.slice(0, 500));
    expect(same / values).toBeGreaterThan(0.998);
  });
});
