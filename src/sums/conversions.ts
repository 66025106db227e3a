import { vocabulary } from "./rules.ts";
import { type Amount, readAmount, readRest } from "./sum-tokens.ts";
import { atom, binary, type Term } from "./terms.ts";
import { around, meanings, type Unit, units, weakWords } from "./words.ts";

/** A unit in the words; a source has an amount, the target has none. */
interface Mention {
  readonly unit: Unit;
  readonly amount?: Term;
  readonly start: number;
  readonly end: number;
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const counted = units.get("piece");
const links = setOf("to into in as is are equals equal make makes = how what many much there do does have");
const skipped = setOf("degree degrees of ° a an the");
const between = setOf("convert change turn express and if should , ! call would be");
const pronouns = setOf("it that this");

/** Reads a question for another unit: "how many inches are in 5 feet", "3 km in m", "1 hour and 5 minutes to seconds". */
export function readConversion(
  words: readonly string[],
  previous: string | undefined,
): { readonly expression: string } | undefined {
  if (!words.some((word) => units.has(word))) return undefined;
  const mentions = mentionsIn(words, previous);
  if (mentions === undefined) return undefined;
  let sources = mentions.filter(({ amount }) => amount !== undefined);
  let targets = mentions.filter(({ amount }) => amount === undefined);
  const isAsked = (mention: Mention | undefined) => mention !== undefined && words[mention.start - 1] === "many";
  // "how many inches in a foot", "how many in 3 dozen"
  if (targets.length === 2 && sources.length === 0 && isAsked(targets[0]))
    [targets, sources] = [targets.slice(0, 1), targets.slice(1)];
  else if (targets.length === 0 && counted !== undefined && words.includes("many") && sources[0]?.unit === counted)
    targets = [{ unit: counted, start: 0, end: 0 }];
  const [target, ...others] = targets;
  const [source] = sources;
  if (target === undefined || source === undefined || others.length > 0) return undefined;
  const isSame = sources.length === 1 && source.unit === target.unit && source.unit !== counted;
  const isOneKind = !isSame && sources.every(({ unit }) => unit.kind === target.unit.kind);
  const isFalling = sources.every(
    ({ unit }, index) => index === 0 || Number(unit.size) < Number(sources[index - 1]?.unit.size),
  );
  const inside = words.slice(Math.min(source.end, target.end), Math.max(source.start, target.start));
  if (!isOneKind || !isFalling || !(isAsked(target) || inside.some((word) => links.has(word)))) return undefined;
  const term = converted(sources, target.unit);
  return term && { expression: term.text };
}

function converted(sources: readonly Mention[], target: Unit): Term | undefined {
  const [first] = sources;
  if (target.kind === "temperature") {
    if (first?.amount === undefined || first.unit.name === target.name || sources.length > 1) return undefined;
    const [nine, five, freezing] = [atom("9"), atom("5"), atom("32")];
    return target.name === "celsius"
      ? binary("/", binary("*", binary("-", first.amount, freezing), five), nine)
      : binary("+", binary("/", binary("*", first.amount, nine), five), freezing);
  }
  const small = sources
    .map(({ amount = atom("1"), unit }) => (unit.size === "1" ? amount : binary("*", amount, atom(unit.size))))
    .reduce((left, right) => binary("+", left, right));
  return target.size === "1" ? small : binary("/", small, atom(target.size));
}

/** All units with their amounts; undefined if there is another number, an operator, or a word that is not explained. */
function mentionsIn(words: readonly string[], previous: string | undefined): readonly Mention[] | undefined {
  const mentions: Mention[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? "";
    const found = units.has(word) ? undefined : amountAt(words, at, previous);
    const mention = mentionAt(words, at, found);
    if (mention !== undefined) mentions.push(mention);
    else if (found !== undefined || !isSmall(word)) return undefined;
    at = mention?.end ?? at + 1;
  }
  return mentions;
}

function mentionAt(words: readonly string[], start: number, found: Amount | undefined): Mention | undefined {
  let at = found?.end ?? start;
  while (found !== undefined && skipped.has(words[at] ?? "")) at++;
  const unit = units.get(words[at] ?? "");
  if (unit !== undefined && found !== undefined) {
    // "two hours and a half"
    const rest = /^\d+$/.test(found.term.text) ? readRest(words, found.term.text, at + 1, true) : undefined;
    return { unit, amount: rest?.term ?? found.term, start, end: rest?.end ?? at + 1 };
  }
  if (unit !== undefined) return { unit, start, end: at + 1 };
  // "how many in 3 dozen"
  const isDozen = found !== undefined && counted !== undefined && /^dozens?$/.test(words[found.end - 1] ?? "");
  return isDozen ? { unit: counted, amount: found.term, start, end: found.end } : undefined;
}

function amountAt(words: readonly string[], at: number, previous: string | undefined): Amount | undefined {
  const word = words[at] ?? "";
  const isBeforeUnit = units.has(words[at + 1] ?? "");
  if (previous !== undefined && pronouns.has(word) && isBeforeUnit) return { term: atom(previous), end: at + 1 };
  const isNegative = ["-", "minus", "negative"].includes(word);
  const found = readAmount(words, isNegative ? at + 1 : at, true);
  if (found === undefined && (word === "a" || word === "an") && isBeforeUnit) return { term: atom("1"), end: at + 1 };
  return found && isNegative ? { term: atom(`(-${found.term.text})`), end: found.end } : found;
}

/** True for a word that says nothing about the sum; an operator does. */
function isSmall(word: string): boolean {
  if ([links, skipped, between, around].some((words) => words.has(word))) return true;
  const meaning = meanings.get(word) ?? word;
  return weakWords.has(meaning) && (!vocabulary.has(meaning) || !/^(?:over|total|sum|left|remains)$/.test(meaning));
}
