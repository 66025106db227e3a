import {
  deedOpeners,
  sampleDeed,
  sampleNumbers,
  samplePlaces,
  sampleTexts,
  spokenWords,
} from "../../english/samples.ts";
import { commonWords } from "../../english/small-words.ts";
import { firstOf, type PhraseNode } from "./phrase-template.ts";
import type { SlotType } from "./slot-reading.ts";
import type { PhraseRule, ToolRules } from "./tool-rules.ts";

const maxExamples = 6;
/** The others show what else there is to ask for. */
const maxNear = 4;
/** How many phrases are tried for one refusal; what comes of each is remembered. */
const maxTried = 24;

/** Whether a request is planned with some tools. */
export type IsPlanned = (request: string) => Promise<boolean>;

/** A request that each phrase plans; for phrases that were tried. */
type KnownExamples = Map<PhraseRule, string | undefined>;

interface ToolSet {
  readonly more: WeakMap<ToolRules, ToolSet>;
  readonly known: KnownExamples;
  /** For each word, the phrases whose example has it; made when it is first needed. */
  byWord?: ReadonlyMap<string, readonly PhraseRule[]>;
}

const newSet = (): ToolSet => ({ more: new WeakMap(), known: new Map() });
const noTools = newSet();

/** What is known of just these tools. */
function toolSet(tools: readonly ToolRules[]): ToolSet {
  let set = noTools;
  for (const tool of tools) {
    const next = set.more.get(tool) ?? newSet();
    set.more.set(tool, next);
    set = next;
  }
  return set;
}

/** Requests that are planned when they are typed: those like the words first, then some of each tool. */
export async function examplesFor(
  tools: readonly ToolRules[],
  words: readonly string[],
  isPlanned: IsPlanned,
): Promise<readonly string[]> {
  const set = toolSet(tools);
  const { known } = set;
  set.byWord ??= byExampleWord(tools);
  const found = new Set<string>();
  let tried = 0;
  const collect = async (rules: Iterable<PhraseRule>, most: number) => {
    for (const rule of rules) {
      if (found.size >= most) return;
      if (!known.has(rule)) {
        if (tried++ >= maxTried) continue;
        known.set(rule, await exampleOf(rule, isPlanned));
      }
      const example = known.get(rule);
      if (example !== undefined) found.add(example);
    }
  };
  await collect(nearestRules(set.byWord, words), maxNear);
  tried = 0;
  await collect(inTurn(tools), maxExamples);
  return [...found];
}

async function exampleOf({ node, slots }: PhraseRule, isPlanned: IsPlanned): Promise<string | undefined> {
  for (const isSpoken of [true, false]) {
    const words = sentenceOf(node, slots, isSpoken);
    if (!/\p{L}|\d/u.test(words)) continue;
    const sentence = words.replace(/ (?=[:,?!])/g, "").replace(/\bi\b/g, "I");
    if (await isPlanned(sentence)) return sentence;
  }
  return undefined;
}

/** So many phrases with the rarest words of a request are enough to choose from. */
const maxCompared = 200;

/** Phrases that share words with a request, the most first; of those with equally many, those with the rarest word, the shortest. */
function nearestRules(
  byWord: ReadonlyMap<string, readonly PhraseRule[]>,
  words: readonly string[],
): readonly PhraseRule[] {
  const wanted = [...new Set(words)].filter((word) => !commonWords.has(word));
  const found = wanted.map((word) => byWord.get(word) ?? []);
  const shared = new Map<PhraseRule, number>();
  for (const rules of found.sort((left, right) => left.length - right.length)) {
    if (shared.size >= maxCompared) break;
    for (const rule of rules) shared.set(rule, (shared.get(rule) ?? 0) + 1);
  }
  const near: PhraseRule[] = [];
  for (let count = wanted.length; count > 0 && near.length < maxTried; count--)
    for (const [rule, own] of shared) if (own === count) near.push(rule);
  return near;
}

function byExampleWord(tools: readonly ToolRules[]): ReadonlyMap<string, readonly PhraseRule[]> {
  const byWord = new Map<string, PhraseRule[]>();
  const rules = tools.flatMap(({ rules }) => rules);
  for (const rule of rules.sort((left, right) => left.example.length - right.example.length)) {
    for (const word of new Set(rule.example.split(" "))) {
      const others = byWord.get(word);
      if (others === undefined) byWord.set(word, [rule]);
      else others.push(rule);
    }
  }
  return byWord;
}

/** Phrases of all tools in turn, those that are far apart in a tool's list first: they ask for different things. */
function* inTurn(tools: readonly ToolRules[]): Generator<PhraseRule> {
  for (let turn = 0; turn < maxTried; turn++) {
    for (const { rules } of tools) {
      const distance = Math.ceil(rules.length / maxExamples);
      // Every phrase at that distance, then those behind them.
      const perRound = Math.ceil(rules.length / Math.max(1, distance));
      const rule = rules[(turn % perRound) * distance + Math.floor(turn / perRound)];
      if (rule !== undefined) yield rule;
    }
  }
}

/** A phrase with something in its slots; spoken, it has the small words that may be left out. */
function sentenceOf(node: PhraseNode, slots: ReadonlyMap<string, SlotType>, isSpoken: boolean): string {
  const said: string[] = [];
  let count = 0;
  const say = (part: PhraseNode) => {
    if (part.type === "word") said.push(part.word);
    else if (part.type === "slot")
      said.push(sampleOf(part.name, slots.get(part.name), { before: said.at(-1) ?? "", count: count++ }));
    else if (part.type === "sequence") part.items.forEach(say);
    else {
      const isOptional = firstOf(part).isNullable;
      const chosen = isOptional ? part.items.find((item) => isSpoken && isSmall(item)) : part.items[0];
      if (chosen !== undefined) say(chosen);
    }
  };
  say(node);
  return said.join(" ");
}

function isSmall(node: PhraseNode): boolean {
  if (node.type === "choice") return node.items.some(isSmall);
  return node.type === "word" && spokenWords.has(node.word);
}

/** Something for a slot: after which word it stands, and how many slots come before it. */
function sampleOf(
  name: string,
  type: SlotType | undefined,
  { before, count }: { readonly before: string; readonly count: number },
): string {
  const kind = type?.kind ?? "text";
  switch (kind) {
    case "number":
      return samplePlaces.get(name) ?? sampleNumbers[count % sampleNumbers.length] ?? "";
    case "boolean":
      return "on";
    case "enum": {
      // One way to say each value: the first, which stands last here.
      const ways = [...(type?.values ?? [])].reverse();
      const said = [...new Map(ways.map(({ value, words }) => [value, words.join(" ")])).values()].reverse();
      return said[count % said.length] ?? "";
    }
    case "date":
    case "date-time":
      return "tomorrow";
    case "text":
    case "list": {
      if (type?.item === "number") return "3, 4 and 5";
      const words = name
        .replace(/([a-z\d])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .split(/[\s_-]+/);
      const sample = sampleTexts[words.at(-1) ?? ""] ?? words.join(" ");
      return sample === sampleTexts.title && deedOpeners.has(before) ? sampleDeed : sample;
    }
  }
}
