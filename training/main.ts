import { existsSync, writeFileSync } from "node:fs";
import { cell } from "../test/eval/measure.ts";
import { fromDevelopment, fromLabelled, fromWritten } from "./assemble.ts";
import { crossValidate, type Grouping } from "./cross-validate.ts";
import { crossValidateCuts } from "./cross-validate-cuts.ts";
import { readSentences } from "./read-sentences.ts";
import { readDevelopment, readLabelled } from "./read-shared.ts";
import { trainCuts } from "./train-cuts.ts";
import { toTodoWeights, trainTodos } from "./train-todos.ts";

/*
 * npm run train                     learns what is said about todos, and where wishes begin, and writes the weights
 * npm run train -- --check          also prints how well it does on requests left out: some minutes
 * npm run train -- ../elsewhere     with the evaluation data in another folder
 */

const groupings: readonly (readonly [Grouping, string])[] = [
  ["phrasing", "phrasings left out"],
  ["random", "requests left out"],
];

function main(args: readonly string[]): void {
  const folder = args.find((argument) => !argument.startsWith("--")) ?? "../shared/eval";
  const sentences = readSentences("training/sentences");
  console.log(`${sentences.length} sentences were written for this.`);
  if (!existsSync(`${folder}/training`)) {
    console.error(
      `There is no ${folder}/training: the sentences of other data sets and the development part are needed.`,
    );
    process.exitCode = 1;
    return;
  }
  const rows = readDevelopment(folder);
  const labelled = readLabelled(folder);
  const written = fromWritten(sentences);
  const data = { written, development: fromDevelopment(rows), labelled: fromLabelled(labelled), rows };
  const learned = trainTodos([...written, ...data.development], data.labelled);
  const { classifier, tagger } = learned;
  const cuts = trainCuts({ sentences, rows, labelled });
  writeWeights("src/tools/todo-store/reading/todo-weights.ts", "TodoWeights", toTodoWeights(learned));
  writeWeights("src/planners/rules/cut-weights.ts", "CutWeights", cuts.weights);
  console.log(
    `Kept: ${classifier.kept} weights of operations, ${tagger.weights.kept} of titles, ${tagger.vocabulary.length} words, ${cuts.kept} of cuts.`,
  );
  if (!args.includes("--check")) return;
  console.log("\n| todos, five folds | right | planned wrongly |\n| --- | --- | --- |");
  for (const [grouping, name] of groupings) {
    for (const [kind, { right, wrong, count }] of Object.entries(crossValidate(data, grouping)))
      console.log(`| ${kind}, ${name} | ${cell({ hits: right, count })} | ${wrong} |`);
  }
  console.log("\n| cuts, five folds | exact |\n| --- | --- |");
  for (const [name, share] of crossValidateCuts({ sentences, rows, labelled }))
    console.log(`| ${name} | ${cell(share)} |`);
}

/** Writes a module that exports weights; their type is in the module that decodes them. */
function writeWeights(path: string, type: "TodoWeights" | "CutWeights", weights: object): void {
  const text = JSON.stringify(weights, undefined, 2).replace(/^(\s*)"(\w+)":/gm, "$1$2:");
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const from = type === "TodoWeights" ? "todo-reader" : "learned-cuts";
  const head = `import type { ${type} } from "./${from}.ts";\n\n/** Written by \`npm run train\`. */\n`;
  writeFileSync(path, `${head}export const ${name}: ${type} = ${text};\n`);
}

main(process.argv.slice(2));
