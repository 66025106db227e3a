import { readNamed } from "./arithmetic-language-names.ts";
import { ArithmeticReader } from "./arithmetic-language-reader.ts";
import { type ArithmeticNode, atom, binary, call, chain, changed } from "./arithmetic-language-terms.ts";
import { arithmeticWords } from "./arithmetic-language-words.ts";

/** Spoken arithmetic in the Calculator's notation. */
export interface SpokenArithmetic {
  /** In the Calculator's grammar; an earlier result is the variable `x`. */
  readonly expression: string;
  /** Whether the expression contains `x`. */
  readonly usesPrevious: boolean;
}

/** Options of {@link readArithmetic}. */
export interface ArithmeticOptions {
  /** Whether there is an earlier result to continue from. */
  readonly hasPrevious?: boolean;
  /** Whether a claimed result may follow: "is two plus two five". It is left out. */
  readonly hasClaim?: boolean;
}

/**
 * Reads arithmetic in signs, in words, or both: `12 * 4`, "the sum of three and four", "30% off 279", "the square root
 * of 16", "multiply six by seven". With `hasPrevious` it also reads what continues an earlier result: "add 12 to
 * it", "double that", "divided by 2". Undefined for anything that is not arithmetic, and for a number alone. Linear in
 * the text.
 */
export function readArithmetic(
  text: string,
  { hasPrevious = false, hasClaim = false }: ArithmeticOptions = {},
): SpokenArithmetic | undefined {
  const words = arithmeticWords(text);
  if (words === undefined || words.length === 0) return undefined;
  // "three hundred and four" is one number or two: the first reading in which the whole makes sense is used.
  for (const joinAnd of [true, false]) {
    for (const read of [readVerb, readContinuation, readPlain]) {
      const reader = new ArithmeticReader(stripped(words), { hasPrevious, joinAnd, readNamed });
      const node = read(reader);
      if (reader.hasGivenUp) return undefined;
      const whole = node && readRounding(reader, node);
      if (whole === undefined || reader.operations === 0) continue;
      readTail(reader, hasClaim);
      if (reader.isAtEnd) return { expression: whole.text, usesPrevious: reader.usesPrevious };
    }
    if (!words.includes("and")) break;
  }
  return undefined;
}

const openings = [
  ["how", "many", "times", "does"],
  ["how", "many", "times", "do"],
  ["how", "many", "times", "can"],
  ["how", "many", "times", "will"],
  ["what", "is"],
  ["what", "are"],
  ["the", "result", "of"],
  ["the", "value", "of"],
  ["the", "answer", "to"],
  ["the", "answer", "of"],
  ["result", "of"],
  ["value", "of"],
  ["answer", "to"],
];

function stripped(words: readonly string[]): readonly string[] {
  let start = 0;
  for (;;) {
    const opening = openings.find((opening) => opening.every((word, index) => words[start + index] === word));
    if (opening === undefined) return words.slice(start);
    start += opening.length;
  }
}

function readTail(reader: ArithmeticReader, hasClaim: boolean): void {
  reader.take("in", "total") || reader.take("altogether");
  const isEqual =
    reader.take("=") ||
    reader.take("equals", "to") ||
    reader.take("equals") ||
    reader.take("equal", "to") ||
    reader.take("equal") ||
    reader.take("is", "equal", "to") ||
    reader.take("is");
  reader.take("what");
  reader.take(",");
  // "four times two equals nine": the claimed result is not part of the expression.
  if ((isEqual || hasClaim) && !reader.isAtEnd) reader.number();
}

function readPlain(reader: ArithmeticReader): ArithmeticNode | undefined {
  reader.takeAny(new Set(["take", "find", "get", "compute", "calculate", "evaluate", "determine", "solve"]));
  if (reader.isAtEnd) return undefined;
  const node = reader.expression();
  // "the sum of 3 and 5, divided by 2"
  if (node === undefined || !reader.take(",")) return node;
  return reader.continued(node);
}

/** "divided by 2", "squared", "plus 5": the earlier result is the first operand. */
function readContinuation(reader: ArithmeticReader): ArithmeticNode | undefined {
  const previous = reader.previous();
  if (previous === undefined) return undefined;
  if (["(", "+", "-"].includes(reader.words[0] ?? "") && reader.words.length > 2) return undefined;
  const node = reader.continued(previous);
  return reader.at > 0 ? node : undefined;
}

type VerbReader = (reader: ArithmeticReader) => ArithmeticNode | undefined;

const verbs: ReadonlyMap<string, VerbReader> = new Map([
  ...verb("add adding sum summing total combine", readAdd),
  ...verb("subtract subtracting deduct take taking remove knock", readSubtract),
  ...verb("multiply multiplying times", readMultiply),
  ...verb("divide dividing split splitting share", readDivide),
  ...verb("increase raise", (reader) => readChange(reader, "+")),
  ...verb("decrease reduce lower cut", (reader) => readChange(reader, "-")),
  ...verb("square", (reader) => readAlone(reader, (operand) => binary("^", operand, atom("2")))),
  ...verb("cube", (reader) => readAlone(reader, (operand) => binary("^", operand, atom("3")))),
  ...verb("double", (reader) => readAlone(reader, (operand) => binary("*", operand, atom("2")))),
  ...verb("triple", (reader) => readAlone(reader, (operand) => binary("*", operand, atom("3")))),
  ...verb("halve", (reader) => readAlone(reader, (operand) => binary("/", operand, atom("2")))),
  ...verb("negate", (reader) => readAlone(reader, (operand) => binary("*", operand, atom("-1")))),
  ...verb("round", readRound),
]);

function verb(names: string, read: VerbReader): readonly (readonly [string, VerbReader])[] {
  return names.split(" ").map((name) => [name, read] as const);
}

function readVerb(reader: ArithmeticReader): ArithmeticNode | undefined {
  const read = verbs.get(reader.words[0] ?? "");
  if (read === undefined) return undefined;
  reader.at = 1;
  const node = read(reader);
  reader.operations++;
  return node && reader.continued(node);
}

function readAdd(reader: ArithmeticReader): ArithmeticNode | undefined {
  reader.take("up") || reader.take("together");
  reader.take("another") || reader.take("of");
  reader.take("the", "numbers") || reader.take("numbers");
  const items = reader.list();
  const [first] = items;
  if (reader.take("together") || reader.take("up") || first === undefined) return joined("+", items);
  if (items.length > 1) return joined("+", items);
  if (reader.take("to") || reader.take("onto") || reader.take("on", "to")) {
    const amount = reader.expression();
    return amount && changed("+", amount, first);
  }
  if (reader.operations > 0 && !reader.isAtEnd) return undefined;
  // "add 3 + 4" is a complete sum; "add 12" needs something to add to.
  if (reader.operations > 0) return first;
  const previous = reader.previous();
  return previous && changed("+", previous, first);
}

function readSubtract(reader: ArithmeticReader): ArithmeticNode | undefined {
  reader.take("away") || reader.take("another");
  const before = reader.operations;
  const part = reader.expression();
  if (part === undefined) return undefined;
  reader.take("away");
  if (reader.take("from") || reader.take("off", "of")) {
    const amount = reader.expression();
    return amount && changed("-", amount, part);
  }
  // "take 10% off 50" was read as a whole; "subtract 3" needs something to subtract from.
  if (reader.operations > before && reader.isAtEnd) return part;
  reader.take("off");
  const previous = reader.previous();
  return previous && changed("-", previous, part);
}

function readMultiply(reader: ArithmeticReader): ArithmeticNode | undefined {
  if (reader.take("by") || reader.take("with"))
    return withPrevious(reader, (previous, by) => binary("*", previous, by));
  const items = reader.list();
  const [first] = items;
  if (first === undefined || items.length > 1) return joined("*", items);
  if (reader.take("by") || reader.take("with") || reader.take("and")) {
    const by = reader.expression();
    return by && binary("*", first, by);
  }
  return undefined;
}

function readDivide(reader: ArithmeticReader): ArithmeticNode | undefined {
  if (reader.take("by")) return withPrevious(reader, (previous, by) => binary("/", previous, by));
  reader.blocked = "into";
  const amount = reader.expression();
  reader.blocked = "";
  if (amount === undefined) return undefined;
  reader.take("equally") || reader.take("evenly");
  const isInto = reader.words[reader.at] === "into";
  const isSaid = ["by", "into", "in", "with", "and", "between", "among", "amongst"].some((word) => reader.take(word));
  const by = reader.expression();
  const isShared = reader.take("equal", "parts") || reader.takeAny(shares);
  if (by === undefined || !(isSaid || isShared)) return undefined;
  // "divide 7 into 49" asks how often 7 fits, "divide 49 into 7" how large each part is.
  const isFitting = isInto && !isShared && Number(amount.text) < Number(by.text);
  return isFitting ? binary("/", by, amount) : binary("/", amount, by);
}

/** "split 90 three ways", "divide 100 among 5 people". */
const shares = new Set(["parts", "ways", "people", "friends", "persons", "groups", "pieces", "kids", "children"]);

/** "increase 50 by 10%", "reduce it by 3", "raise 2 to the power of 5". */
function readChange(reader: ArithmeticReader, sign: "+" | "-"): ArithmeticNode | undefined {
  const before = reader.operations;
  const isOfPrevious = reader.words[1] === "by" || reader.words[1] === "to";
  const amount = isOfPrevious ? reader.previous() : reader.expression();
  if (amount === undefined) return undefined;
  if (reader.take("by")) {
    const by = reader.expression();
    // "by a quarter" may be a quarter of it, or 0.25.
    return by && by.fraction === undefined ? changed(sign, amount, by) : undefined;
  }
  // "to the power of 5" was read with the amount, or follows the earlier result.
  const raised = isOfPrevious ? reader.continued(amount) : amount;
  if (reader.operations > before) return raised;
  const power = reader.take("to") ? reader.expression() : undefined;
  return power && binary("^", amount, power);
}

function readAlone(
  reader: ArithmeticReader,
  make: (operand: ArithmeticNode) => ArithmeticNode,
): ArithmeticNode | undefined {
  if (reader.words[1] === "root" || reader.words[1] === "of") return undefined;
  const operand = reader.isAtEnd ? reader.previous() : reader.expression();
  return operand && make(operand);
}

function readRound(reader: ArithmeticReader): ArithmeticNode | undefined {
  const direction = reader.take("up") ? "ceil" : reader.take("down") ? "floor" : "round";
  const operand = reader.isAtEnd || reader.words[reader.at] === "to" ? reader.previous() : reader.expression();
  if (operand === undefined) return undefined;
  if (direction === "round" && reader.take("up")) return call("ceil", [operand]);
  if (direction === "round" && reader.take("down")) return call("floor", [operand]);
  return readPlaces(reader, operand) ?? call(direction, [operand]);
}

/** "…, rounded to 2 decimals" after any expression. */
function readRounding(reader: ArithmeticReader, node: ArithmeticNode): ArithmeticNode | undefined {
  const before = reader.at;
  reader.take(",");
  if (!(reader.take("rounded") || reader.take("round"))) {
    reader.at = before;
    return node;
  }
  reader.operations++;
  return readPlaces(reader, node) ?? call("round", [node]);
}

/** "to 2 decimal places", "to the nearest whole number". */
function readPlaces(reader: ArithmeticReader, operand: ArithmeticNode): ArithmeticNode | undefined {
  if (!reader.take("to")) return undefined;
  if (reader.take("the", "nearest")) {
    reader.take("whole");
    return reader.takeAny(new Set(["number", "integer", "one", "unit", "cent"])) ? call("round", [operand]) : undefined;
  }
  const places = reader.words[reader.at] ?? "";
  const digits = /^\d{1,2}$/.test(places) ? places : { one: "1", two: "2", three: "3", four: "4" }[places];
  if (digits === undefined) return undefined;
  reader.at++;
  reader.take("decimal");
  reader.takeAny(new Set(["decimals", "places", "place", "digits"]));
  return call("round", [operand, atom(digits)]);
}

function withPrevious(
  reader: ArithmeticReader,
  make: (previous: ArithmeticNode, by: ArithmeticNode) => ArithmeticNode,
): ArithmeticNode | undefined {
  const by = reader.expression();
  const previous = by && reader.previous();
  return by && previous && make(previous, by);
}

/** All operands with a sign between them; for "add 3, 4 and 5". */
function joined(sign: "+" | "*", items: readonly ArithmeticNode[]): ArithmeticNode | undefined {
  return items.length > 1 ? chain(sign, items) : undefined;
}
