import { type Unit, units } from "../english/units.ts";
import { type Amount, readAmount, readRest } from "./amounts.ts";
import { atom, binary, type Term } from "./terms.ts";
import { around } from "./words.ts";

/** A unit in the words; a source has an amount, the target has none. */
interface Mention {
  readonly unit: Unit;
  readonly amount?: Term;
  readonly start: number;
  readonly end: number;
}

const counted = units.get("piece");
const setOf = (words: string) => new Set(words.split(" "));
const links = setOf("to into in as is are equals equal make makes = how what many much there do does have");
const degrees = setOf("degree degrees of ° a an the");
const others = setOf("convert change turn express and on for with if at then both all each left total , !");

/** Reads a question for another unit: "how many inches are in 5 feet", "3 km in m", "1 hour and 5 minutes to seconds". */
export function readConversion(words: readonly string[], previous: string | undefined): string | undefined {
  const mentions = words.some((word) => units.has(word)) ? mentionsIn(words, previous) : undefined;
  if (mentions === undefined) return undefined;
  let sources = mentions.filter(({ amount }) => amount !== undefined);
  let targets = mentions.filter(({ amount }) => amount === undefined);
  const isAsked = (mention: Mention | undefined) => mention !== undefined && words[mention.start - 1] === "many";
  // "how many inches in a foot", "how many in 3 dozen"
  if (targets.length === 2 && sources.length === 0 && isAsked(targets[0]))
    [targets, sources] = [targets.slice(0, 1), targets.slice(1)];
  else if (targets.length === 0 && counted !== undefined && words.includes("many") && sources[0]?.unit === counted)
    targets = [{ unit: counted, start: 0, end: 0 }];
  const [[target, another], [source]] = [targets, sources];
  if (target === undefined || source === undefined || another !== undefined) return undefined;
  const isSame = sources.length === 1 && source.unit === target.unit && source.unit !== counted;
  const isFalling = sources.every(({ unit }, index) => index === 0 || unit.size < (sources[index - 1]?.unit.size ?? 0));
  const inside = words.slice(Math.min(source.end, target.end), Math.max(source.start, target.start));
  const isLinked = isAsked(target) || inside.some((word) => links.has(word));
  if (isSame || !isFalling || !isLinked || sources.some(({ unit }) => unit.kind !== target.unit.kind)) return undefined;
  return converted(sources, target.unit)?.text;
}

function converted(sources: readonly Mention[], target: Unit): Term | undefined {
  const [first] = sources;
  if (target.kind.has("celsius")) {
    if (first?.amount === undefined || sources.length > 1) return undefined;
    const [nine, five, freezing] = [atom("9"), atom("5"), atom("32")];
    return target.names[0] === "celsius"
      ? binary("/", binary("*", binary("-", first.amount, freezing), five), nine)
      : binary("+", binary("/", binary("*", first.amount, nine), five), freezing);
  }
  const small = sources
    .map(({ amount = atom("1"), unit }) => (unit.size === 1 ? amount : binary("*", amount, atom(String(unit.size)))))
    .reduce((left, right) => binary("+", left, right));
  return target.size === 1 ? small : binary("/", small, atom(String(target.size)));
}

/** All units with their amounts; undefined if there is another number, an operator, or a word that is not explained. */
function mentionsIn(words: readonly string[], previous: string | undefined): readonly Mention[] | undefined {
  const mentions: Mention[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? "";
    const amount = units.has(word) ? undefined : amountAt(words, at, previous);
    const mention = mentionAt(words, at, amount);
    const isSmall = [links, degrees, others, around].some((set) => set.has(word));
    if (mention !== undefined) mentions.push(mention);
    else if (amount !== undefined || !isSmall) return undefined;
    at = mention?.end ?? at + 1;
  }
  return mentions;
}

function mentionAt(words: readonly string[], start: number, amount: Amount | undefined): Mention | undefined {
  let at = amount?.end ?? start;
  while (amount !== undefined && degrees.has(words[at] ?? "")) at++;
  const unit = units.get(words[at] ?? "");
  if (amount === undefined) return unit && { unit, start, end: at + 1 };
  // "how many in 3 dozen"
  if (unit === undefined && counted !== undefined && /^dozens?$/.test(words[amount.end - 1] ?? ""))
    return { unit: counted, amount: amount.term, start, end: amount.end };
  // "the twenty second" is a day.
  if (unit === undefined || (words[at] === "second" && amount.term.text !== "1")) return undefined;
  // "two hours and a half"
  const rest = /^\d+$/.test(amount.term.text) ? readRest(words, amount.term.text, at + 1, true) : undefined;
  return { unit, amount: rest?.term ?? amount.term, start, end: rest?.end ?? at + 1 };
}

function amountAt(words: readonly string[], at: number, previous: string | undefined): Amount | undefined {
  const word = words[at] ?? "";
  const isBeforeUnit = units.has(words[at + 1] ?? "");
  if (previous !== undefined && /^(?:it|that|this)$/.test(word) && isBeforeUnit)
    return { term: atom(previous), end: at + 1 };
  const isNegative = ["-", "minus", "negative"].includes(word);
  const found = readAmount(words, isNegative ? at + 1 : at, true);
  if (found === undefined && (word === "a" || word === "an") && isBeforeUnit) return { term: atom("1"), end: at + 1 };
  return found && isNegative ? { term: atom(`(-${found.term.text})`), end: found.end } : found;
}
