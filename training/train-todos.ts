import { maskWords, plainLists } from "../src/language/mask.ts";
import { unpackWeights } from "../src/language/packed-weights.ts";
import { sentenceFeatures } from "../src/language/sentence-features.ts";
import { knownWords, type Tagger, tagWords } from "../src/language/tagger.ts";
import { tokenFeatureCount, tokenFeatures } from "../src/language/token-features.ts";
import { wordForms } from "../src/language/word-forms.ts";
import { settleTags } from "../src/tools/todo-store/reading/settle-tags.ts";
import { decodeTodoModel, todoClasses, todoMarks, todoTags } from "../src/tools/todo-store/reading/todo-model.ts";
import type { TodoModel, TodoWeights } from "../src/tools/todo-store/reading/todo-reader.ts";
import type { Example } from "./assemble.ts";
import { type PackedWeights, packWeights } from "./pack.ts";
import { createRandom } from "./random.ts";
import { type ClassifierRow, trainClassifier } from "./train-classifier.ts";
import { trainTagger } from "./train-tagger.ts";
import { swapTitles } from "./vary.ts";

/** What is shipped of a tagger. */
export interface PackedTagger {
  readonly weights: PackedWeights;
  readonly transitions: readonly number[];
  readonly vocabulary: readonly string[];
}

/** What is shipped for todos. */
export interface PackedTodos {
  readonly classifier: PackedWeights;
  readonly tagger: PackedTagger;
}

export interface TrainTodosOptions {
  readonly keepTags?: number;
  readonly keepClasses?: number;
  readonly labelledWeight?: number;
  readonly seed?: number;
  readonly epochs?: number;
  readonly l2?: number;
  readonly classEpochs?: number;
  readonly rate?: number;
  readonly tagRate?: number;
  readonly dropout?: number;
}

const frameless = new Set(["none", "calc", "missing", "negated", "small-talk"]);

/** The words that stand around titles in more than one sentence, and not mostly in them. */
function frameWords(examples: readonly Example[], atLeast: number): readonly string[] {
  const around = new Map<string, number>();
  const inside = new Map<string, number>();
  for (const { tokens, tags, operations } of examples) {
    if (tags === undefined || frameless.has(operations[0] ?? "")) continue;
    const seen = new Set(wordForms(tokens).map((word, index) => `${tags[index] === "other" ? "" : "+"}${word}`));
    for (const each of seen) {
      const counts = each.startsWith("+") ? inside : around;
      const word = each.replace(/^\+/, "");
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...around]
    .filter(([word, count]) => count >= atLeast && 2 * count >= (inside.get(word) ?? 0) && /^\p{L}/u.test(word))
    .map(([word]) => word)
    .sort();
}

/** A tagger as it runs. */
export function toTagger(
  { weights, transitions, vocabulary }: PackedTagger,
  { labels, marks }: { labels: readonly string[]; marks: readonly string[] },
): Tagger {
  return {
    labels,
    weights: unpackWeights(weights.text, { columns: labels.length, features: tokenFeatureCount, scale: weights.scale }),
    transitions,
    vocabulary: new Set(vocabulary),
    marks: new Set(marks),
  };
}

const rareOperations = new Set(["update", "reopen", "get", "negated"]);

/** Of some operations there are few sentences. */
const rareWeight = ([operation = ""]: readonly string[]) => (rareOperations.has(operation) ? 1.5 : 1);

function trainTodoTagger(
  examples: readonly Example[],
  { keepTags = 11_000, seed = 1, epochs = 6, tagRate = 0.2 }: TrainTodosOptions,
): PackedTagger {
  const random = createRandom(seed);
  const tagged = examples.filter(
    ({ tags, operations, tokens }) => tags !== undefined && tokens.length > 0 && operations[0] !== "several",
  );
  const vocabulary = frameWords(tagged, 2);
  const known = new Set(vocabulary);
  const marks = new Set(todoMarks);
  const rows = [...tagged, ...swapTitles(tagged, random), ...swapTitles(tagged, random)].map(
    ({ tokens, tags = [], operations }) => ({
      features: tokenFeatures(knownWords(wordForms(tokens), known), marks),
      labels: tags.map((tag) => todoTags.indexOf(tag)),
      weight: operations[0] === "none" ? 0.3 : rareWeight(operations),
    }),
  );
  const { weights, transitions } = trainTagger(rows, {
    labelCount: todoTags.length,
    epochs,
    keep: keepTags,
    seed,
    rate: tagRate,
  });
  return {
    weights: packWeights(weights, todoTags.length),
    transitions: [...transitions].map((value) => Math.round(value * 100) / 100),
    vocabulary,
  };
}

/** Learns to read what people say about todos. */
export function trainTodos(
  examples: readonly Example[],
  labelled: readonly Example[],
  options: TrainTodosOptions = {},
): PackedTodos {
  const { keepClasses = 17_000, labelledWeight = 0.3, classEpochs = 12, l2 = 0, rate = 0.6, dropout = 0 } = options;
  const names = { labels: todoTags, marks: todoMarks };
  // Each half is tagged by what was learned from the other, so that the classifier sees tags as wrong as they will be.
  const halves = [0, 1].map((rest) =>
    toTagger(
      trainTodoTagger(
        examples.filter((_, index) => index % 2 === rest),
        options,
      ),
      names,
    ),
  );
  const tagger = trainTodoTagger(examples, options);
  const whole = toTagger(tagger, names);
  const rows = [
    ...examples.map((example, index) =>
      toRow(example, halves[1 - (index % 2)] ?? whole, rareWeight(example.operations)),
    ),
    ...labelled.map((example) => toRow(example, whole, labelledWeight)),
  ];
  const { weights } = trainClassifier(rows, {
    classCount: todoClasses.length,
    epochs: classEpochs,
    keep: keepClasses,
    rate,
    dropout,
    l2,
  });
  return { classifier: packWeights(weights, todoClasses.length), tagger };
}

function toRow({ tokens, operations }: Example, tagger: Tagger, weight: number): ClassifierRow {
  const forms = wordForms(tokens);
  const classes = operations.map((operation) => {
    const index = todoClasses.indexOf(operation);
    return index === -1 ? todoClasses.indexOf("none") : index;
  });
  return {
    features: sentenceFeatures(
      plainLists(maskWords(forms, settleTags(forms, tagWords(tagger, forms), tagger.vocabulary))),
    ),
    classes: [...new Set(classes)],
    weight,
  };
}

/** What is shipped. */
export function toTodoWeights({ classifier, tagger }: PackedTodos): TodoWeights {
  const { weights, transitions, vocabulary } = tagger;
  return {
    classifier: { scale: classifier.scale, text: classifier.text },
    tagger: { scale: weights.scale, text: weights.text, transitions, vocabulary: vocabulary.join(" ") },
  };
}

/** The model as it runs. */
export function toTodoModel(packed: PackedTodos): TodoModel {
  return decodeTodoModel(toTodoWeights(packed));
}
