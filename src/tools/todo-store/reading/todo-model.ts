import type { ClauseReader } from "../../../core/clause-reader.ts";
import { unpackWeights } from "../../../language/packed-weights.ts";
import { featureCount } from "../../../language/sentence-features.ts";
import { tokenFeatureCount } from "../../../language/token-features.ts";
import { createTodoReader, type TodoModel, type TodoWeights } from "./todo-reader.ts";

/** What a clause may mean; the last four are no operation of the store. */
export const todoClasses: readonly string[] =
  "add list search get complete reopen update delete clear several missing negated none".split(" ");
/** What a word may belong to. */
export const todoTags: readonly string[] = ["other", "title", "newTitle", "list", "newList"];
/** Words of which the tagger sees whether they stand anywhere before or after a word. */
export const todoMarks: readonly string[] = (
  "list lists todo todos do task tasks item items reminder reminders add put remove delete take off mark done is on " +
  "my it from rename change move called new show find search"
).split(" ");

/** Decodes what was learned. */
export function decodeTodoModel({ classifier, tagger }: TodoWeights): TodoModel {
  return {
    classifier: {
      classes: todoClasses,
      weights: unpackWeights(classifier.text, {
        columns: todoClasses.length,
        features: featureCount + 1,
        scale: classifier.scale,
      }),
    },
    tagger: {
      labels: todoTags,
      weights: unpackWeights(tagger.text, {
        columns: todoTags.length,
        features: tokenFeatureCount,
        scale: tagger.scale,
      }),
      transitions: tagger.transitions,
      vocabulary: new Set(tagger.vocabulary.split(" ")),
      marks: new Set(todoMarks),
    },
  };
}

/** The reader that is shipped: its weights are loaded when the first request needs it. */
export async function loadTodoReader(): Promise<ClauseReader> {
  const { todoWeights } = await import("./todo-weights.ts");
  return createTodoReader(decodeTodoModel(todoWeights));
}
