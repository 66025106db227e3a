import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type EvalArguments, readArguments } from "./arguments.ts";
import { describeModel } from "./describe-model.ts";
import { checkGold } from "./gold.ts";
import { measureFolder, tableOf, timeFolder } from "./measure.ts";
import { measureCalls } from "./measure-calls.ts";
import { isOfPeople, measurePeople } from "./measure-people.ts";
import type { PlannedRow } from "./plan-rows.ts";
import { describeSentences } from "./sentences.ts";

/*
 * npm run eval                            the project's own requests: all must be planned as they say
 * npm run eval -- ../shared/eval          the evaluation data: prints the table of docs/planners.md
 * npm run eval -- ../shared/eval --misses 20    and what was missed, in the development part only
 * npm run eval -- [folder] --planner ollama --model qwen3 [--host …] [--limit 50]    the same by a model, and how it came about
 * npm run eval -- ../shared/eval/fresh --planner ollama --model qwen3    what people typed: by rules, by the model, by both
 * npm run eval -- [folder] --planner ai-sdk --provider @ai-sdk/openai --model gpt-5-mini    by any model of the AI SDK
 */

/** A dot for each request, as a model may take seconds for one. */
const onRow = () => process.stderr.write(".");

async function evaluate(read: EvalArguments): Promise<number> {
  const { folder, planner, model, misses, limit } = read;
  const options = { planner, limit, ...(model !== undefined && { onRow }) };
  if (folder === undefined) {
    const gold = await checkGold(options);
    tellModel(model, gold.lines);
    const shown = model === undefined ? gold.misses.length : misses;
    for (const miss of gold.misses.slice(0, shown)) console.error(miss);
    console.log(`${gold.count - gold.misses.length} of ${gold.count} requests are planned as they should be.`);
    if (model === undefined) console.log(await describeSentences(planner));
    return model === undefined && gold.misses.length > 0 ? 1 : 0;
  }
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  if (isOfPeople(folder)) return measurePeople(resolve(folder), read).then(() => 0);
  const measured = await measureFolder(folder, options);
  // Rules know no tool but those that bring phrases.
  const calls = model === undefined ? undefined : await measureCalls(folder, options);
  tellModel(model, [...measured.lines, ...(calls?.lines ?? [])]);
  console.log(tableOf(measured, model === undefined ? await timeFolder(folder, planner) : undefined));
  if (calls !== undefined) console.log(`\n${calls.table}`);
  tellMisses(measured.development.misses, misses);
  return 0;
}

function tellModel(model: string | undefined, lines: readonly PlannedRow[]): void {
  if (model !== undefined) console.log(`\n\n${model}\n\n${describeModel(lines)}\n`);
}

function tellMisses(misses: readonly string[], limit: number): void {
  if (limit > 0)
    console.log(`\nMissed in the development part: ${misses.length}\n- ${misses.slice(0, limit).join("\n- ")}`);
}

async function main(): Promise<void> {
  try {
    process.exitCode = await evaluate(await readArguments(process.argv.slice(2)));
  } catch (thrown) {
    console.error((thrown as Error).message);
    process.exitCode = 2;
  }
}

void main();
