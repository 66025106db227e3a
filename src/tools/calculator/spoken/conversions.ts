import { unitKinds } from "../../../english/units.ts";
import { type Amount, readAmount } from "./amounts.ts";
import { vocabulary } from "./grammar.ts";
import { atom, binary, type Term } from "./terms.ts";
import { meanings, weakWords } from "./words.ts";

/** The term of a conversion, and for each word whether it has a part in it. */
interface Conversion {
  readonly term: Term;
  readonly used: readonly boolean[];
}

interface Unit {
  readonly name: string;
  readonly kind: string;
  readonly size: string;
}

/** A unit in the words; a source has an amount, the target has none. */
interface Mention {
  readonly unit: Unit;
  readonly amount?: Term;
  readonly start: number;
  readonly end: number;
}

const units = new Map<string, Unit>(
  Object.entries(unitKinds).flatMap(([kind, sizes]) =>
    Object.entries(sizes).flatMap(([name, [size, ...others]]) =>
      [name, ...others].map((word) => [word, { name, kind, size }] as const),
    ),
  ),
);
for (const [name, ...others] of [["celsius", "centigrade", "c"] as const, ["fahrenheit", "f"] as const])
  for (const word of [name, ...others]) units.set(word, { name, kind: "temperature", size: "1" });
const counted = units.get("piece");
const links = new Set(
  "to into in as is are equals equal make makes = how what many much there do does have".split(" "),
);
const commands = new Set("convert change turn express".split(" "));
const additions = new Set("+ - plus minus add subtract and less more sum total difference average".split(" "));
const skipped = new Set(["degree", "degrees", "of", "°", "a", "an", "the"]);
const pronouns = new Set(["it", "that", "this"]);

/** Whether different units of one kind are added, which would have to be converted first. */
export function mixesUnits(words: readonly string[]): boolean {
  if (!words.some((word) => additions.has(meanings.get(word) ?? word))) return false;
  const names = new Map<string, string>();
  return words.some((word) => {
    const unit = units.get(word);
    if (unit === undefined) return false;
    const other = names.get(unit.kind) ?? unit.name;
    names.set(unit.kind, other);
    return other !== unit.name;
  });
}

/** Reads a question for another unit: "how many inches are in 5 feet", "3 km in m", "1 hour and 5 minutes to seconds". */
export function readConversion(words: readonly string[], previous: string | undefined): Conversion | undefined {
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
  const between = words.slice(Math.min(source.end, target.end), Math.max(source.start, target.start));
  if (!isOneKind || !isFalling || !(isAsked(target) || between.some((word) => links.has(word)))) return undefined;
  const term = converted(sources, target.unit);
  if (term === undefined) return undefined;
  const used = words.map((word) => [links, skipped, commands].some((words) => words.has(word)) || word === "and");
  for (const { start, end } of mentions) used.fill(true, start, end);
  return { term, used };
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

/** All units with their amounts; undefined if there is another number, or an operator. */
function mentionsIn(words: readonly string[], previous: string | undefined): readonly Mention[] | undefined {
  const mentions: Mention[] = [];
  for (let at = 0; at < words.length; ) {
    const found = units.has(words[at] ?? "") ? undefined : amountAt(words, at, previous);
    const mention = mentionAt(words, at, found);
    if (mention !== undefined) mentions.push(mention);
    else if (found !== undefined || isOperator(words[at] ?? "")) return undefined;
    at = mention?.end ?? at + 1;
  }
  return mentions;
}

function mentionAt(words: readonly string[], start: number, found: Amount | undefined): Mention | undefined {
  let at = found?.end ?? start;
  while (found !== undefined && skipped.has(words[at] ?? "")) at++;
  const unit = units.get(words[at] ?? "");
  const end = found?.end ?? start;
  if (unit !== undefined)
    return found === undefined ? { unit, start, end: at + 1 } : { unit, amount: found.term, start, end: at + 1 };
  // "how many in 3 dozen"
  const isDozen = found !== undefined && counted !== undefined && /^dozens?$/.test(words[end - 1] ?? "");
  return isDozen ? { unit: counted, amount: found.term, start, end } : undefined;
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

function isOperator(word: string): boolean {
  const meaning = meanings.get(word) ?? word;
  return vocabulary.has(meaning) && !weakWords.has(meaning);
}
