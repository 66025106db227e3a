import { existsSync } from "node:fs";
import { checkGold } from "./gold.ts";
import { measureFolder, tableOf } from "./measure.ts";

/*
 * npm run eval                            the project's own requests: all must be planned as they say
 * npm run eval -- ../shared/eval          the evaluation data: prints the table of docs/planners.md
 * npm run eval -- ../shared/eval --misses 20    and what was missed, in the development part only
 */
const [folder, ...options] = process.argv.slice(2);

if (folder === undefined) {
  const { count, misses } = await checkGold();
  for (const miss of misses) console.error(miss);
  console.log(`${count - misses.length} of ${count} requests are planned as they should be.`);
  process.exitCode = misses.length === 0 ? 0 : 1;
} else if (!existsSync(folder)) {
  console.error(`There is no folder ${folder}.`);
  process.exitCode = 2;
} else {
  const measured = await measureFolder(folder);
  console.log(tableOf(measured));
  const limit = options[0] === "--misses" ? Number(options[1] ?? 20) : 0;
  const { misses } = measured.development;
  if (limit > 0)
    console.log(`\nMissed in the development part: ${misses.length}\n- ${misses.slice(0, limit).join("\n- ")}`);
}
