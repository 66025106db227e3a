import { readNumber } from "../english/numbers.ts";
import { type Unit, units } from "../english/units.ts";
import { wordSet } from "../english/word-set.ts";
import { atom, binary, fraction, partOf, type Term } from "./terms.ts";
import { around, denominators } from "./words.ts";

export interface Amount {
  readonly term: Term;
  readonly end: number;
}

const scales: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ dozen: "12", score: "20", hundred: "100", k: "1000", grand: "1000", thousand: "1000" }),
  ...Object.entries({ million: "1000000", billion: "1000000000", trillion: "1000000000000" }),
]);
const vulgar = new Map<string, readonly [above: string, below: string]>([
  ...Object.entries({ "½": ["1", "2"], "¼": ["1", "4"], "¾": ["3", "4"] } as const),
  ...Object.entries({ "⅓": ["1", "3"], "⅔": ["2", "3"], "⅛": ["1", "8"] } as const),
]);
const whole = /^\d{1,9}$/;
const beforePronoun = /^(?:would|does|should|could|do|can|did|might|must|may|when|if)$/;
const beforePlace = /^(?:quick|easy|simple|first|second|this|that|other|last|which|no|previous|another)$/;
const afterNumber =
  /^(?:plus|minus|times|and|over|percent|divided|multiplied|point|hundred|thousand|[mbt]r?illion|[-+*/%x])$/;

export function readAmount(words: readonly string[], at: number, joinAnd: boolean): Amount | undefined {
  const word = words[at] ?? "";
  if (word === "one" && isPronoun(words, at)) return undefined;
  const written = vulgar.get(word);
  if (written !== undefined) return { term: fraction(...written), end: at + 1 };
  if (/^\.\d+$/.test(word)) return { term: atom(`0${word}`), end: at + 1 };
  const part = readPart(words, at);
  if (part !== undefined) return part;
  const number = readNumber(words, at, { joinAnd });
  if (number === undefined) return undefined;
  const { digits, end } = number;
  const next = words[end] ?? "";
  if (/^e\d{1,3}$/.test(next)) return { term: atom(digits + next), end: end + 1 };
  const below = denominators.get(next);
  const isRank = /^(?:root|power)$/.test(words[end + 1] ?? "");
  if (below !== undefined && whole.test(digits) && !isRank) return { term: fraction(digits, below), end: end + 1 };
  const cents = readCents(words, digits, end);
  if (cents !== undefined) return cents;
  const amount = readRest(words, digits, end, joinAnd) ?? { term: atom(digits), end };
  const scale = scales.get(words[amount.end] ?? "");
  if (scale === undefined) return amount;
  return { term: { ...binary("*", amount.term, atom(scale)), isBare: true }, end: amount.end + 1 };
}

function isPronoun(words: readonly string[], at: number): boolean {
  const before = words[at - 1] ?? "";
  return beforePlace.test(before) || (beforePronoun.test(before) && !afterNumber.test(words[at + 1] ?? ""));
}

function readPart(words: readonly string[], at: number): Amount | undefined {
  const hasArticle = /^an?$/.test(words[at] ?? "");
  const name = words[hasArticle ? at + 1 : at] ?? "";
  const below = denominators.get(name);
  const isAlone = /^(?:half|quarters?)$/.test(name) || words[at + 1] === "of";
  if (below === undefined || !(hasArticle || isAlone)) return undefined;
  const part = fraction("1", below);
  const end = at + (hasArticle ? 2 : 1);
  const start = words[end] === "a" ? end + 1 : end;
  const scale = scales.get(words[start] ?? "");
  if (scale === undefined) return { term: part, end: words[start] === "percent" ? start : end };
  return { term: { ...(partOf(part, atom(scale)) ?? part), isBare: true }, end: start + 1 };
}

function readCents(words: readonly string[], digits: string, end: number): Amount | undefined {
  if (!whole.test(digits) || !/^(?:dollars?|euros?|pounds?|bucks?)$/.test(words[end] ?? "")) return undefined;
  const cents = readNumber(words, words[end + 1] === "and" ? end + 2 : end + 1, { joinAnd: false });
  if (cents === undefined || !/^\d{1,2}$/.test(cents.digits) || !/^(?:cents?|pence)$/.test(words[cents.end] ?? ""))
    return undefined;
  return { term: atom(`${digits}.${cents.digits.padStart(2, "0")}`), end: cents.end + 1 };
}

function readRest(words: readonly string[], digits: string, end: number, joinAnd: boolean): Amount | undefined {
  const mixed = (above: string, below: string, length: number): Amount => {
    return { term: { ...binary("+", atom(digits), fraction(above, below)), isBare: true }, end: end + length };
  };
  const [next = "", second = "", third = "", fourth = ""] = words.slice(end, end + 4);
  const written = vulgar.get(next);
  if (written !== undefined) return mixed(...written, 1);
  if (second === "/" && [digits, next, third].every((one) => whole.test(one)) && Number(next) < Number(third))
    return mixed(next, third, 3);
  if (next !== "and" || !joinAnd) return undefined;
  const alone = denominators.get(second);
  if (alone !== undefined) return third === "a" || third === "of" ? undefined : mixed("1", alone, 2);
  const below = denominators.get(third);
  const above = /^an?$/.test(second) ? "1" : readNumber([second], 0)?.digits;
  return below === undefined || above === undefined || fourth === "of" ? undefined : mixed(above, below, 3);
}

interface Mention {
  readonly unit: Unit;
  readonly amount?: Term;
  readonly start: number;
  readonly end: number;
}

const counted = units.get("piece");
const links = wordSet("to into in as is are equals equal make makes = how what many much there do does have");
const degrees = wordSet("degree degrees of ° a an the");
const others = wordSet("convert change turn express and on for with if at then both all each left total , !");

export function readConversion(words: readonly string[], previous: string | undefined): string | undefined {
  const mentions = words.some((word) => units.has(word)) ? mentionsIn(words, previous) : undefined;
  if (mentions === undefined) return undefined;
  const sources = mentions.filter(({ amount }) => amount !== undefined);
  const [target, another] = mentions.filter(({ amount }) => amount === undefined);
  const [source] = sources;
  if (target === undefined || source === undefined || another !== undefined) return undefined;
  const isSame = sources.length === 1 && source.unit === target.unit && source.unit !== counted;
  const isFalling = sources.every(({ unit }, index) => index === 0 || unit.size < (sources[index - 1]?.unit.size ?? 0));
  const inside = words.slice(Math.min(source.end, target.end), Math.max(source.start, target.start));
  const isLinked = words[target.start - 1] === "many" || inside.some((word) => links.has(word));
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
  if (unit === undefined && counted !== undefined && /^dozens?$/.test(words[amount.end - 1] ?? ""))
    return { unit: counted, amount: amount.term, start, end: amount.end };
  if (unit === undefined || (words[at] === "second" && amount.term.text !== "1")) return undefined;
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
