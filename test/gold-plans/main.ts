import { goldFolder, goldSets, hasGold } from "./gold.ts";
import { playSet, tableOf } from "./play-set.ts";

/* npm run bench:plans    makes, validates, runs, cuts off and resumes the plans of four published sets; prints a table */

if (hasGold) {
  const sets = [];
  for (const set of goldSets) sets.push(await playSet(set));
  console.log(tableOf(sets));
  const misses = sets.flatMap(({ misses }) => misses);
  for (const miss of misses.slice(0, 20)) console.error(miss);
  process.exitCode = misses.length > 0 ? 1 : 0;
} else {
  console.log(`There are no plans to run: they are not part of this repository, but expected at ${goldFolder}`);
}
