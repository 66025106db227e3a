import { existsSync, writeFileSync } from "node:fs";
import { cell } from "../test/eval/measure.ts";
import { fromDevelopment, fromLabelled, fromWritten } from "./assemble.ts";
import { crossValidate, type Grouping } from "./cross-validate.ts";
import { readSentences } from "./read-sentences.ts";
import { readDevelopment, readLabelled } from "./read-shared.ts";
import { toTodoWeights, trainTodos } from "./train-todos.ts";

/*
 * npm run train                     learns what is said about todos, and writes the weights
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
  const written = fromWritten(sentences);
  const data = { written, development: fromDevelopment(rows), labelled: fromLabelled(readLabelled(folder)), rows };
  const learned = trainTodos([...written, ...data.development], data.labelled);
  const { classifier, tagger } = learned;
  const weights = JSON.stringify(toTodoWeights(learned), undefined, 2).replace(/^(\s*)"(\w+)":/gm, "$1$2:");
  writeFileSync(
    "src/tools/todo-store/reading/todo-weights.ts",
    `import type { TodoWeights } from "./todo-reader.ts";\n\n/** Written by \`npm run train\`. */\nexport const todoWeights: TodoWeights = ${weights};\n`,
  );
  console.log(
    `Kept: ${classifier.kept} weights of operations, ${tagger.weights.kept} of titles, ${tagger.vocabulary.length} words.`,
  );
  if (!args.includes("--check")) return;
  console.log("\n| todos, five folds | right | planned wrongly |\n| --- | --- | --- |");
  for (const [grouping, name] of groupings) {
    for (const [kind, { right, wrong, count }] of Object.entries(crossValidate(data, grouping)))
      console.log(`| ${kind}, ${name} | ${cell({ hits: right, count })} | ${wrong} |`);
  }
}

main(process.argv.slice(2));
