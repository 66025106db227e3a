import { existsSync, writeFileSync } from "node:fs";
import { loadDateReader } from "../src/dates/read-dates.ts";
import { cell } from "../test/eval/measure.ts";
import { fromDevelopment, fromLabelled, fromWritten } from "./assemble.ts";
import { crossValidate, type Grouping } from "./cross-validate.ts";
import { crossValidateCuts } from "./cross-validate-cuts.ts";
import { markDates } from "./mark-dates.ts";
import { readSentences } from "./read-sentences.ts";
import { readDevelopment, readLabelled } from "./read-shared.ts";
import { trainCuts } from "./train-cuts.ts";
import { checkExamples, type ExampleScores, trainExamples } from "./train-examples.ts";
import { toTodoWeights, trainTodos } from "./train-todos.ts";

/*
 * npm run train                     learns what is said about todos, where wishes begin and how examples are used, and writes the weights
 * npm run train -- --check          also prints how well it does on requests left out: some minutes
 * npm run train -- --without SET    only prints how well examples do on a data set that nothing is learned from: clinc150, banking77
 * npm run train -- ../elsewhere     with the evaluation data in another folder
 */

/** With how many examples a tool is measured. */
const exampleCounts = [3, 5, 10, 20];
const groupings: readonly (readonly [Grouping, string])[] = [
  ["phrasing", "phrasings left out"],
  ["random", "requests left out"],
];

async function main(args: readonly string[]): Promise<void> {
  const set = args.includes("--without") ? args[args.indexOf("--without") + 1] : undefined;
  const folder = args.find((argument) => !argument.startsWith("--") && argument !== set) ?? "../shared/eval";
  const sentences = readSentences("training/sentences");
  console.log(`${sentences.length} sentences were written for this.`);
  if (!existsSync(`${folder}/training`)) {
    console.error(
      `There is no ${folder}/training: the sentences of other data sets and the development part are needed.`,
    );
    process.exitCode = 1;
    return;
  }
  if (set !== undefined) {
    printExamples(checkExamples(readLabelled(folder), exampleCounts, set));
    return;
  }
  const rows = readDevelopment(folder);
  const labelled = readLabelled(folder);
  const written = fromWritten(sentences);
  const readDates = await loadDateReader();
  const data = { written, development: fromDevelopment(rows), labelled: fromLabelled(labelled), rows, readDates };
  const sayings = [...written, ...data.development];
  const learned = trainTodos([...sayings, ...markDates(sayings, readDates)], data.labelled);
  const { classifier, tagger } = learned;
  const cuts = trainCuts({ sentences, rows, labelled });
  writeWeights("src/tools/todo-store/reading/todo-weights.ts", "TodoWeights", toTodoWeights(learned));
  writeWeights("src/planners/rules/cut-weights.ts", "CutWeights", cuts.weights);
  writeWeights("src/language/example-weights.ts", "ExampleWeights", trainExamples(labelled));
  console.log(
    `Kept: ${classifier.kept} weights of operations, ${tagger.weights.kept} of titles, ${tagger.vocabulary.length} words, ${cuts.kept} of cuts.`,
  );
  if (!args.includes("--check")) return;
  printExamples(checkExamples(labelled, exampleCounts));
  console.log("\n| todos, five folds | right | planned wrongly |\n| --- | --- | --- |");
  for (const [grouping, name] of groupings) {
    for (const [kind, { right, wrong, count }] of Object.entries(await crossValidate(data, grouping)))
      console.log(`| ${kind}, ${name} | ${cell({ hits: right, count })} | ${wrong} |`);
  }
  console.log("\n| cuts, five folds | exact |\n| --- | --- |");
  for (const [name, share] of crossValidateCuts({ sentences, rows, labelled }))
    console.log(`| ${name} | ${cell(share)} |`);
}

const decoders = {
  TodoWeights: "todo-reader",
  CutWeights: "learned-cuts",
  ExampleWeights: "example-classifier",
} as const;

/** Writes a module that exports weights; their type is in the module that decodes them. */
function writeWeights(path: string, type: keyof typeof decoders, weights: object): void {
  const text = JSON.stringify(weights, undefined, 2).replace(/^(\s*)"(\w+)":/gm, "$1$2:");
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const head = `import type { ${type} } from "./${decoders[type]}.ts";\n\n/** Written by \`npm run train\`. */\n`;
  writeFileSync(path, `${head}export const ${name}: ${type} = ${text};\n`);
}

/** How many sentences of tools of one's own are understood, of kinds of requests that nothing was learned from. */
function printExamples(scores: readonly ExampleScores[]): void {
  console.log("\n| examples a tool | right | wrong tool | out of scope, refused | other kinds, refused |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const { examples, right, wrong, asked, refused, toRefuse } of scores) {
    const cells = [
      cell({ hits: right, count: asked }),
      cell({ hits: wrong, count: asked }),
      cell({ hits: refused["out of scope"], count: toRefuse["out of scope"] }),
      cell({ hits: refused.neighbour, count: toRefuse.neighbour }),
    ];
    console.log(`| ${examples} | ${cells.join(" | ")} |`);
  }
}

void main(process.argv.slice(2));
