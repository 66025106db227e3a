import type { MatchInput } from "./match-input.ts";
import { isMistyped, type PhraseIndex } from "./phrase-index.ts";
import type { ToolRules } from "./tool-rules.ts";

/** Fewer tools are all looked at. */
const manyTools = 16;

/** The index of each set of tools, by its first tool: most programs have one set. */
const indexes = new WeakMap<ToolRules, { readonly tools: readonly ToolRules[]; readonly index: ToolIndex }>();

/** Those of some tools that have a phrase which may fit a request: of many most have none. */
export function likelyTools(tools: readonly ToolRules[], input: MatchInput): readonly ToolRules[] {
  const [first] = tools;
  if (first === undefined || tools.length < manyTools) return tools;
  const known = indexes.get(first);
  const isKnown = known?.tools.length === tools.length && known.tools.every((tool, at) => tool === tools[at]);
  const index = isKnown ? known.index : indexTools(tools);
  if (!isKnown) indexes.set(first, { tools, index });
  const likely = find(index, input);
  return tools.filter((tool) => likely.has(tool));
}

interface ToolIndex {
  /** The tools with a phrase that cannot do without a word; of several the rarest counts. */
  readonly byWord: ReadonlyMap<string, ReadonlySet<ToolRules>>;
  readonly byLetter: ReadonlyMap<string, readonly string[]>;
  /** The tools with a phrase that needs no word. */
  readonly open: readonly ToolRules[];
}

/** Linear in the phrases. */
function indexTools(tools: readonly ToolRules[]): ToolIndex {
  const groups = tools.map(({ index }) => wordsOfGroups(index));
  const counts = new Map<string, number>();
  for (const words of groups.flat()) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const countOf = (words: readonly string[]) => words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0);
  const byWord = new Map<string, Set<ToolRules>>();
  const open = new Set<ToolRules>();
  for (const [place, rules] of tools.entries()) {
    const own = groups[place] ?? [];
    for (const required of rules.index.required) {
      const [rarest] = required.map((group) => own[group] ?? []).sort((left, right) => countOf(left) - countOf(right));
      if (rarest === undefined) open.add(rules);
      for (const word of rarest ?? []) byWord.set(word, (byWord.get(word) ?? new Set()).add(rules));
    }
  }
  const byLetter = new Map<string, string[]>();
  for (const word of byWord.keys()) {
    const alike = byLetter.get(word.charAt(0));
    if (alike === undefined) byLetter.set(word.charAt(0), [word]);
    else alike.push(word);
  }
  return { byWord, byLetter, open: [...open] };
}

function find({ byWord, byLetter, open }: ToolIndex, { words }: MatchInput): ReadonlySet<ToolRules> {
  const likely = new Set(open);
  for (const word of new Set(words)) {
    const alike = byLetter.get(word.charAt(0)) ?? [];
    // A tool that has the word takes it as it is, another one may take it for a typing mistake.
    for (const other of alike)
      if (other === word || isMistyped(word, other)) for (const rules of byWord.get(other) ?? []) likely.add(rules);
  }
  return likely;
}

function wordsOfGroups({ groupsOf }: PhraseIndex): readonly (readonly string[])[] {
  const words: string[][] = [];
  for (const [word, groups] of groupsOf) {
    for (const group of groups) {
      const others = words[group];
      if (others === undefined) words[group] = [word];
      else others.push(word);
    }
  }
  return words;
}
