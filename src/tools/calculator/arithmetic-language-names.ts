import type { ArithmeticReader } from "./arithmetic-language-reader.ts";
import {
  type ArithmeticNode,
  atom,
  binary,
  call,
  level,
  listTerms,
  prefixTerms,
  rankOf,
} from "./arithmetic-language-terms.ts";
import { checkArgumentCount, findConstant, findFunction } from "./functions.ts";

/** Reads an expression that starts with a name: "the sum of …", "the square root of …", functions and constants. */
export function readNamed(reader: ArithmeticReader): ArithmeticNode | undefined {
  return (
    readCalledList(reader) ??
    readPrefixed(reader) ??
    readRoot(reader) ??
    readLogarithm(reader) ??
    readRemainder(reader) ??
    readFunctionCall(reader)
  );
}

function readCalledList(reader: ArithmeticReader): ArithmeticNode | undefined {
  const before = reader.at;
  const make = listTerms.get(reader.words[reader.at] ?? "");
  if (make === undefined || reader.words[reader.at + 1] === "(") return undefined;
  reader.at++;
  if (reader.take("value", "of") || reader.take("of") || reader.take("from")) reader.take("the", "numbers");
  const isBetween = reader.take("between");
  const items = reader.list();
  if (items.length === 1 && (reader.take("to") || reader.take("by"))) {
    const other = reader.expression();
    if (other !== undefined) return reader.counted(make([...items, other]));
  }
  if (items.length >= 2) return reader.counted(make(isBetween ? smallerLast(items) : items));
  reader.at = before;
  return undefined;
}

function readPrefixed(reader: ArithmeticReader): ArithmeticNode | undefined {
  const before = reader.at;
  for (const { words, make } of prefixTerms) {
    if (!reader.take(...words)) continue;
    reader.take("of");
    const operand = reader.isAtEnd ? reader.previous() : reader.expression(level.power);
    if (operand !== undefined) return reader.counted(make(operand));
    reader.at = before;
  }
  return undefined;
}

/** "fourth root of 16", "5th root of 32". */
function readRoot(reader: ArithmeticReader): ArithmeticNode | undefined {
  const before = reader.at;
  const word = reader.words[reader.at] ?? "";
  const rank = rankOf(word);
  if (rank !== undefined) {
    reader.at++;
    if (reader.take("root", "of")) {
      const operand = reader.expression(level.power);
      if (operand !== undefined) return reader.counted(call("root", [operand, atom(rank)]));
    }
  }
  reader.at = before;
  return undefined;
}

/** "log base 2 of 8". */
function readLogarithm(reader: ArithmeticReader): ArithmeticNode | undefined {
  const before = reader.at;
  if ((reader.take("log") || reader.take("logarithm")) && (reader.take("base") || reader.take("to", "the", "base"))) {
    const base = reader.number();
    const operand = base && reader.take("of") ? reader.expression(level.power) : undefined;
    if (base !== undefined && operand !== undefined) return reader.counted(call("log", [operand, base]));
  }
  reader.at = before;
  return undefined;
}

/** "remainder of 17 divided by 5", "remainder when 17 is divided by 5". */
function readRemainder(reader: ArithmeticReader): ArithmeticNode | undefined {
  const before = reader.at;
  if (reader.take("remainder") || reader.take("modulus")) {
    reader.take("of") || reader.take("when") || reader.take("if");
    reader.take("you", "divide") || reader.take("dividing");
    const left = reader.expression(level.power);
    reader.take("is") || reader.take("was");
    reader.take("divided");
    const right =
      left && (reader.take("by") || reader.take("/") || reader.take("and") || reader.take("over"))
        ? reader.expression(level.power)
        : undefined;
    if (left !== undefined && right !== undefined) return reader.counted(binary("%", left, right));
  }
  reader.at = before;
  return undefined;
}

function readFunctionCall(reader: ArithmeticReader): ArithmeticNode | undefined {
  const word = reader.words[reader.at] ?? "";
  const constant = findConstant(word);
  if (constant !== undefined) {
    reader.at++;
    return atom(constant);
  }
  const name = findFunction(word);
  if (name === undefined) return undefined;
  reader.at++;
  if (!reader.take("(")) {
    // "the sum of" needs several operands: one alone is a number that should be read as two.
    if (listTerms.has(word)) return undefined;
    reader.take("of");
    const operand = reader.expression(level.power);
    if (checkArgumentCount(name, 1) !== undefined) return undefined;
    return operand && reader.counted(call(name, [operand]));
  }
  const items: ArithmeticNode[] = [];
  do {
    const item = reader.expression();
    if (item === undefined) return undefined;
    items.push(item);
  } while (reader.take(","));
  return reader.take(")") && checkArgumentCount(name, items.length) === undefined
    ? reader.counted(call(name, items))
    : undefined;
}

/** The difference between 3 and 10 is 7, whichever comes first. */
function smallerLast(items: readonly ArithmeticNode[]): readonly ArithmeticNode[] {
  const [first, second] = items.map(({ text }) => Number(text));
  const isRising = items.length === 2 && first !== undefined && second !== undefined && first < second;
  return isRising ? [...items].reverse() : items;
}
