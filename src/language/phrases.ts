import { isNullable, type KnownGroups, type PhraseNode, parseSyntax } from "../core/phrase-syntax.ts";
import { contractions } from "../english/word-classes.ts";
import { tokenize } from "./tokens.ts";

export function parsePhrase(phrase: string, known?: KnownGroups): PhraseNode {
  return parseSyntax(phrase, wordsOf, known);
}

/** Splits plain lower-case words at spaces, because the tokenizer is slow. */
function wordsOf(text: string): readonly string[] {
  const plain = text.trim() === "" ? [] : text.trim().split(/\s+/);
  const isPlain = plain.every((word) => /^[a-z]+$/.test(word) && !contractions.has(word));
  return isPlain ? plain : tokenize(text).map(({ norm }) => norm);
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function examplePhrase(node: PhraseNode): string {
  if (node.type === "word") return node.word;
  if (node.type === "slot") return `{${node.name}}`;
  if (node.type === "choice") {
    const [first] = node.items;
    return isNullable(node) || first === undefined ? "" : examplePhrase(first);
  }
  return node.items
    .map(examplePhrase)
    .filter((text) => text !== "")
    .join(" ");
}
