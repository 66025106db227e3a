export interface NumberReading {
  readonly digits: string;
  readonly end: number;
}

export const cardinals: readonly string[] = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen"
).split(" ");
export const ordinals: readonly string[] = [
  ..."first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" "),
  ...cardinals.slice(13).map((name) => `${name}th`),
];

type Kind = "unit" | "ten" | "hundred" | "scale";

interface Numeral {
  readonly value: bigint;
  readonly kind: Kind;
}

const numerals = new Map<string, Numeral>();
function name(kind: Kind, names: readonly string[], toValue: (index: number) => bigint): void {
  for (const [index, word] of names.entries()) numerals.set(word, { kind, value: toValue(index) });
}
name("unit", cardinals, (index) => BigInt(index));
name("unit", ["nought", "nil"], () => 0n);
export const tens: readonly string[] = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
name("ten", tens, (index) => BigInt(20 + index * 10));
name("ten", ["fourty"], () => 40n);
name("hundred", ["hundred"], () => 100n);
const scales =
  "thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion";
name("scale", scales.split(" "), (index) => 1000n ** BigInt(index + 1));
const others = { dozen: 12n, lakh: 100_000n, crore: 10_000_000n, googol: 10n ** 100n };
name("scale", Object.keys(others), (index) => Object.values(others)[index] ?? 0n);

const digitPattern = /^\d+(?:\.\d+)?$/;
const maxWords = 48;

export function startsNumber(word: string): boolean {
  return digitPattern.test(word) || numerals.has(word) || word === "a" || word === "an";
}

function factorOf(word: string | undefined): bigint | undefined {
  const { kind, value } = numerals.get(word ?? "") ?? {};
  return kind === "hundred" || kind === "scale" ? value : undefined;
}

export function readNumber(
  words: readonly string[],
  start: number,
  { joinAnd = true }: { joinAnd?: boolean } = {},
): NumberReading | undefined {
  const first = words[start] ?? "";
  if (digitPattern.test(first)) return readDigits(words, start);
  const hasArticle = /^an?$/.test(first);
  if (hasArticle && factorOf(words[start + 1]) === undefined) return undefined;
  const state: NumberState = { total: 0n, group: hasArticle ? 1n : 0n, lastScale: 0n, last: hasArticle ? "unit" : "" };
  let end = hasArticle ? start + 1 : start;
  for (let at = end; at < words.length && at - start < maxWords; at++) {
    const isJoining = joinAnd && (state.last === "hundred" || state.last === "scale") && isSmall(words[at + 1]);
    if (isJoining && words[at] === "and") continue;
    const numeral = numerals.get(words[at] ?? "");
    if (numeral === undefined || !take(state, numeral)) break;
    end = at + 1;
  }
  if (state.last === "" && first !== "point") return undefined;
  return readScales(words, readPoint(words, { digits: String(state.total + state.group), end }));
}

interface NumberState {
  total: bigint;
  group: bigint;
  lastScale: bigint;
  last: Kind | "";
}

function isSmall(word: string | undefined): boolean {
  return /^(?:unit|ten)$/.test(numerals.get(word ?? "")?.kind ?? "");
}

function take(state: NumberState, { kind, value }: Numeral): boolean {
  const { total, group, lastScale, last } = state;
  const count = last === "" ? 1n : group;
  if (kind === "unit" || kind === "ten") {
    if (last === "ten" ? kind === "ten" || value === 0n || value > 9n : last === "unit") return false;
    state.group += value;
  } else if (kind === "hundred") {
    if (last === "scale" || last === "hundred" || group >= 100n) return false;
    state.group = count * value;
  } else if (last === "scale") {
    state.total *= value;
  } else {
    if (lastScale !== 0n && value >= lastScale) return false;
    Object.assign(state, { total: total + count * value, group: 0n, lastScale: value });
  }
  state.last = kind;
  return true;
}

function readPoint(words: readonly string[], whole: NumberReading): NumberReading {
  if (words[whole.end] !== "point") return whole;
  let decimals = "";
  let end = whole.end + 1;
  while (end < words.length && decimals.length < maxWords) {
    const [said, next] = decimalsAt(words, end);
    if (said === undefined) break;
    decimals += said;
    end = next;
  }
  return decimals === "" ? whole : { digits: `${whole.digits}.${decimals}`, end };
}

function decimalsAt(words: readonly string[], at: number): readonly [digits: string | undefined, end: number] {
  const word = words[at] ?? "";
  if (/^\d+$/.test(word)) return [word, at + 1];
  const state: NumberState = { total: 0n, group: 0n, lastScale: 0n, last: "" };
  let end = at;
  for (let numeral = numerals.get(word); numeral && isSmall(words[end]) && take(state, numeral); )
    numeral = numerals.get(words[++end] ?? "");
  return end > at ? [String(state.group), end] : [word === "oh" ? "0" : undefined, at + 1];
}

function readScales(words: readonly string[], found: NumberReading): NumberReading | undefined {
  const scale = found.digits.includes(".") ? factorOf(words[found.end]) : undefined;
  if (scale !== undefined) return { digits: multiply(found.digits, scale), end: found.end + 1 };
  return found.digits === "0" && words[found.end] === "point" ? undefined : found;
}

function readDigits(words: readonly string[], start: number): NumberReading {
  let digits = words[start] ?? "";
  let end = start + 1;
  for (; end < words.length && end - start < maxWords; end++) {
    const scale = factorOf(words[end]);
    if (scale === undefined) break;
    digits = multiply(digits, scale);
  }
  return digits.includes(".") ? { digits, end } : readPoint(words, { digits, end });
}

function multiply(digits: string, factor: bigint): string {
  const [whole = "0", decimals = ""] = digits.split(".");
  const product = (BigInt(whole + decimals) * factor).toString().padStart(decimals.length + 1, "0");
  if (decimals === "") return product;
  const cut = product.length - decimals.length;
  const rest = withoutLastZeros(product.slice(cut));
  return rest === "" ? product.slice(0, cut) : `${product.slice(0, cut)}.${rest}`;
}

/** Uses a loop because a regular expression takes quadratic time on runs of zeros. */
export function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}
