/** A number read from words: its digits, exactly as given, and where the next word is. */
export interface NumberReading {
  /** Digits with an optional point, such as `1200` or `3.14`; any size. */
  readonly digits: string;
  /** The index after the last word. */
  readonly end: number;
}

/** The numbers from zero to nineteen. */
export const cardinals: readonly string[] = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen"
).split(" ");
/** The ordinals from first to fourteenth. */
export const ordinals: readonly string[] =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth".split(" ");

const small = new Map<string, bigint>(cardinals.map((name, value) => [name, BigInt(value)]));
small.set("nought", 0n).set("nil", 0n);
/** What may follow "point": "three point oh five". */
const decimal = new Map(small).set("oh", 0n);
const tens = new Map<string, bigint>(
  "twenty thirty forty fifty sixty seventy eighty ninety"
    .split(" ")
    .map((name, index) => [name, BigInt(20 + index * 10)]),
);
tens.set("fourty", 40n);
const scales = new Map<string, bigint>(
  "thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion"
    .split(" ")
    .map((name, index) => [name, 1000n ** BigInt(index + 1)]),
);
scales.set("dozen", 12n).set("lakh", 100_000n).set("crore", 10_000_000n);
scales.set("googol", 10n ** 100n);
const digitPattern = /^\d+(?:\.\d+)?$/;
const maxWords = 48;

/** Whether a word can start a number. */
export function startsNumber(word: string): boolean {
  return (
    digitPattern.test(word) ||
    small.has(word) ||
    tens.has(word) ||
    word === "a" ||
    word === "an" ||
    word === "hundred" ||
    scales.has(word)
  );
}

/** What was read so far: groups that a scale has closed, the open group, and the kind of the last word. */
interface NumberState {
  total: bigint;
  group: bigint;
  lastScale: bigint;
  last: "none" | "unit" | "ten" | "hundred" | "scale";
}

/**
 * Reads the longest number that starts at a word: `twelve`, `two hundred and five`, `3 million`, `three point one
 * four`, `a dozen`, `1200`. Words must be in lower case, digits without thousands separators. With `joinAnd: false` an
 * "and" ends the number, for "the sum of three hundred and four".
 */
export function readNumber(
  words: readonly string[],
  start: number,
  { joinAnd = true }: { joinAnd?: boolean } = {},
): NumberReading | undefined {
  const first = words[start] ?? "";
  if (digitPattern.test(first)) return readDigits(words, start);
  const state: NumberState = { total: 0n, group: 0n, lastScale: 0n, last: "none" };
  let end = start;
  if (first === "a" || first === "an") {
    const next = words[start + 1] ?? "";
    if (next !== "hundred" && !scales.has(next)) return undefined;
    state.group = 1n;
    state.last = "unit";
    end++;
  }
  for (let index = end; index < words.length && index - start < maxWords; index++) {
    const word = words[index] ?? "";
    const isAnd =
      word === "and" && joinAnd && (state.last === "hundred" || state.last === "scale") && isSmall(words[index + 1]);
    if (isAnd) continue;
    if (!takeWord(state, word)) break;
    end = index + 1;
  }
  if (state.last === "none" && first !== "point") return undefined;
  return readScales(words, readPoint(words, { digits: String(state.total + state.group), end }));
}

function isSmall(word: string | undefined): boolean {
  return word !== undefined && (small.has(word) || tens.has(word));
}

function takeWord(state: NumberState, word: string): boolean {
  const unit = small.get(word);
  if (unit !== undefined) {
    const fits = state.last === "ten" ? unit > 0n && unit < 10n : state.last !== "unit";
    if (!fits) return false;
    state.group += unit;
    state.last = "unit";
    return true;
  }
  const ten = tens.get(word);
  if (ten !== undefined) {
    if (state.last === "unit" || state.last === "ten") return false;
    state.group += ten;
    state.last = "ten";
    return true;
  }
  return word === "hundred" ? takeHundred(state) : takeScale(state, word);
}

function takeHundred(state: NumberState): boolean {
  if (state.last === "scale" || state.last === "hundred" || state.group >= 100n) return false;
  state.group = (state.last === "none" ? 1n : state.group) * 100n;
  state.last = "hundred";
  return true;
}

function takeScale(state: NumberState, word: string): boolean {
  const scale = scales.get(word);
  if (scale === undefined) return false;
  if (state.last === "scale") {
    state.total *= scale;
    return true;
  }
  if (state.lastScale !== 0n && scale >= state.lastScale) return false;
  state.total += (state.last === "none" ? 1n : state.group) * scale;
  state.group = 0n;
  state.lastScale = scale;
  state.last = "scale";
  return true;
}

/** "three point one four", "zero point twenty five". */
function readPoint(words: readonly string[], whole: NumberReading): NumberReading {
  if (words[whole.end] !== "point") return whole;
  let decimals = "";
  let end = whole.end + 1;
  for (; end < words.length && decimals.length < maxWords; end++) {
    const word = words[end] ?? "";
    const ten = tens.get(word);
    const unit = ten === undefined ? undefined : small.get(words[end + 1] ?? "");
    const isPair = ten !== undefined && unit !== undefined && unit > 0n && unit < 10n;
    const said = /^\d+$/.test(word) ? word : isPair ? String(ten + unit) : (ten ?? decimal.get(word))?.toString();
    if (said === undefined) break;
    decimals += said;
    if (isPair) end++;
  }
  return decimals === "" ? whole : { digits: `${whole.digits}.${decimals}`, end };
}

/** "one point five million" */
function readScales(words: readonly string[], found: NumberReading): NumberReading | undefined {
  const scale = found.digits.includes(".") ? scales.get(words[found.end] ?? "") : undefined;
  if (scale !== undefined) return { digits: multiply(found.digits, scale), end: found.end + 1 };
  return found.digits === "0" && words[found.end] === "point" ? undefined : found;
}

/** "1200", "3 million", "2.5 thousand". */
function readDigits(words: readonly string[], start: number): NumberReading {
  let digits = words[start] ?? "";
  let end = start + 1;
  for (; end < words.length && end - start < maxWords; end++) {
    const word = words[end] ?? "";
    const scale = word === "hundred" ? 100n : scales.get(word);
    if (scale === undefined) break;
    digits = multiply(digits, scale);
  }
  return digits.includes(".") ? { digits, end } : readPoint(words, { digits, end });
}

/** A decimal times a whole number, exactly. */
function multiply(digits: string, factor: bigint): string {
  const [whole = "0", decimals = ""] = digits.split(".");
  const product = (BigInt(whole + decimals) * factor).toString().padStart(decimals.length + 1, "0");
  if (decimals === "") return product;
  const cut = product.length - decimals.length;
  const rest = withoutLastZeros(product.slice(cut));
  return rest === "" ? product.slice(0, cut) : `${product.slice(0, cut)}.${rest}`;
}

/** Digits without trailing zeros. A regular expression would scan each run of zeros again from each of its places. */
export function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}
