import { compilePhrase, type PhraseNode } from "../../core/template.ts";
import { functionWords, prepositions, prepositionsLike, verbsLike } from "../../english/word-classes.ts";
import type { Template } from "./match.ts";
import { isReadable, type SlotType } from "./slots.ts";

/** A part of a phrase: a word or a slot. */
type Item = Extract<PhraseNode, { readonly type: "word" | "slot" }>;

const maxWays = 8;
const nothing: PhraseNode = { type: "sequence", items: [] };

/**
 * A phrase as people also say it: another verb of the same group, its words for slots in another order, without articles.
 * Undefined for a phrase with too little in it to be recognized so.
 */
export function loosenPhrase(node: PhraseNode, slots: ReadonlyMap<string, SlotType>): readonly Template[] {
  return waysOf(node).flatMap((items) => loosen(items, slots) ?? []);
}

/** The ways to say a phrase, each as its words and slots in a row; none where there are too many. */
function waysOf(node: PhraseNode): readonly (readonly Item[])[] {
  if (node.type === "word" || node.type === "slot") return [[node]];
  if (node.type === "choice") return node.items.flatMap(waysOf).slice(0, maxWays);
  return node.items.reduce<readonly (readonly Item[])[]>(
    (ways, item) => ways.flatMap((way) => waysOf(item).map((next) => [...way, ...next])).slice(0, maxWays),
    [[]],
  );
}

function loosen(items: readonly Item[], slots: ReadonlyMap<string, SlotType>): Template | undefined {
  const { head, asides } = cutAtPrepositions(items, slots);
  const content = head.filter(
    (item) => item.type === "word" && !functionWords.has(item.word) && !prepositions.has(item.word),
  );
  const hasText = head.some((item) => item.type === "slot");
  const [first] = head;
  if (content.length === 0) return undefined;
  // A single verb and a text is too little: "get {drink}" would take anything.
  if (content.length === 1 && hasText && asides.length === 0) return undefined;
  const isVerb = first?.type === "word" && verbsLike(first.word).length > 1;
  const parts = head.map((item, index): PhraseNode => {
    if (item.type === "slot") return item;
    if (index === 0 && isVerb) return choice(verbsLike(item.word));
    return functionWords.has(item.word) ? { type: "choice", items: [item, nothing] } : item;
  });
  const template = (nodes: readonly PhraseNode[]): Template => ({
    start: compilePhrase({ type: "sequence", items: nodes }),
    slots,
    anywhere: [],
  });
  // "onto the playlist" is "on the playlist".
  const asSaid = (item: PhraseNode, index: number) =>
    item.type === "word" && index === 0 ? choice(prepositionsLike(item.word)) : item;
  return { ...template(parts), anywhere: asides.map((aside) => template(aside.map(asSaid))) };
}

function choice(words: readonly string[]): PhraseNode {
  return { type: "choice", items: words.map((word) => ({ type: "word", word })) };
}

/** The beginning of a phrase, and the slots behind it with the prepositions that lead them in. */
function cutAtPrepositions(items: readonly Item[], slots: ReadonlyMap<string, SlotType>) {
  const head: Item[] = [];
  const asides: Item[][] = [];
  for (const [index, item] of items.entries()) {
    const last = asides.at(-1);
    const leads =
      item.type === "word" &&
      prepositions.has(item.word) &&
      index > 0 &&
      items.slice(index + 1, index + 4).some(({ type }) => type === "slot");
    const isTyped = item.type === "slot" && isReadable(slots.get(item.name) ?? { kind: "text" });
    if (leads || (isTyped && (last === undefined || last.some(({ type }) => type === "slot")))) asides.push([item]);
    else if (last === undefined) head.push(item);
    else last.push(item);
  }
  return { head, asides };
}
