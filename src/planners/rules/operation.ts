import { isNullable, type PhraseNode } from "../../core/phrase-syntax.ts";
import { remembered } from "../../core/remembered.ts";
import { emptyWords } from "../../english/word-classes.ts";
import { wordSet } from "../../english/word-set.ts";
import { stem } from "../../language/word-forms.ts";
import type { Template } from "./match.ts";
import { onceEach } from "./request.ts";
import { isReadable, type SlotType } from "./slots.ts";

export interface OperationSlot {
  readonly name: string;
  readonly type: SlotType;
  readonly leads: readonly (readonly string[])[];
  readonly behind: ReadonlySet<string>;
  readonly isInfinitive: boolean;
}

export const phraseEnd = "$";

export class Operation {
  readonly rules: Template[] = [];

  get slots(): ReadonlyMap<string, OperationSlot> {
    return slotsOf(this.rules);
  }

  slotsBeside(name: string): readonly OperationSlot[] {
    const all = this.rules.map((rule) => [rule, ...rule.anywhere].flatMap(({ slots }) => [...slots.keys()]));
    const names = new Set(all.filter((own) => own.includes(name)).flat());
    return [...this.slots.values()].filter((slot) => names.has(slot.name));
  }

  opens(word: string): boolean {
    const texts = [...this.slots.values()].filter(({ type }) => !isReadable(type));
    return texts.some(({ leads }) => leads.some((lead) => lead.at(-1) === word));
  }

  get words(): ReadonlySet<string> {
    return stemsOf(this.rules);
  }
}

const stemsOf = remembered(
  (rules: readonly Template[]): ReadonlySet<string> =>
    new Set(rules.flatMap(({ node }) => wordsIn(node).filter(isContent).map(stem))),
);

export function isContent(word: string): boolean {
  return /^[\p{L}#]/u.test(word) && !emptyWords.has(word);
}

export function wordsIn(node: PhraseNode): readonly string[] {
  if (node.type === "word") return [node.word];
  return node.type === "slot" ? [] : node.items.flatMap(wordsIn);
}

const slotMark = "{}";
const maxTails = 200;

const beforeInfinitive = /(?:^| )(?:me|us|need|have|want|got|remember|forget) to$/;

const slotsOf = remembered((rules: readonly Template[]): ReadonlyMap<string, OperationSlot> => {
  const tailsOf = onceEach((_slot: string) => new Set<string>());
  const behindOf = onceEach((_slot: string) => new Set<string>());
  const types = new Map<string, SlotType>();
  const seen = new Set<PhraseNode>();
  for (const rule of rules)
    for (const { node, slots } of [rule, ...rule.anywhere]) {
      for (const [name, type] of slots) if (!types.has(name)) types.set(name, type);
      if (seen.has(node)) continue;
      seen.add(node);
      walk(node, new Set([""]), (name, tails) => {
        for (const tail of tails) tailsOf(name).add(tail);
      });
      walkBack(node, new Set([phraseEnd]), (name, words) => {
        for (const word of words) behindOf(name).add(word);
      });
    }
  return new Map(
    [...types].map(([name, type]) => {
      const tails = [...tailsOf(name)];
      const leads = new Map(tails.flatMap(leadIn).map((words) => [words.join(" "), words]));
      const isInfinitive = tails.some((tail) => beforeInfinitive.test(tail));
      return [name, { name, type, leads: [...leads.values()], behind: behindOf(name), isInfinitive }];
    }),
  );
});

type OnSlot = (name: string, beside: ReadonlySet<string>) => void;

function walk(node: PhraseNode, tails: ReadonlySet<string>, onSlot: OnSlot): ReadonlySet<string> {
  if (node.type === "slot") {
    onSlot(node.name, tails);
    return new Set([slotMark]);
  }
  if (node.type === "word" && passed.has(node.word)) return tails;
  if (node.type === "word" && isContent(node.word)) return new Set([node.word]);
  if (node.type === "word") return new Set([...tails].map((tail) => `${tail.split(" ").at(-1)} ${node.word}`.trim()));
  if (node.type === "choice") {
    const ends = node.items.flatMap((item) => [...walk(item, tails, onSlot)]);
    return new Set(ends.slice(0, maxTails));
  }
  return node.items.reduce((before, item) => walk(item, before, onSlot), tails);
}

function walkBack(node: PhraseNode, following: ReadonlySet<string>, onSlot: OnSlot): ReadonlySet<string> {
  if (node.type === "slot") {
    onSlot(node.name, following);
    return new Set();
  }
  if (node.type === "word") return new Set([node.word]);
  const before = (item: PhraseNode, after: ReadonlySet<string>) =>
    new Set([...walkBack(item, after, onSlot), ...(isNullable(item) ? after : [])]);
  if (node.type === "choice") return new Set(node.items.flatMap((item) => [...before(item, following)]));
  return node.items.reduceRight((after, item) => before(item, after), following);
}

const passed = wordSet('the a an my our your this that some any [ ( "');

function leadIn(tail: string): readonly (readonly string[])[] {
  const words = tail.split(" ").filter((word) => word !== "");
  const [before = "", last = ""] = [words.at(-2), words.at(-1)];
  if (last === "" || last === slotMark) return [];
  if (isContent(last)) return [[last]];
  return isContent(before) && before !== slotMark ? [[before, last]] : [[last]];
}
