import { ordinals } from "../../english/numbers.ts";
import {
  type ArithmeticNode,
  atom,
  binary,
  call,
  chain,
  changed,
  factorial,
  fraction,
  partOf,
} from "./arithmetic-language-nodes.ts";

/** Lower-case words that belong together. */
export type Phrase = readonly string[];

type Combine = (left: ArithmeticNode, right: ArithmeticNode) => ArithmeticNode | undefined;

/** A phrase for an operator between two operands. */
export interface InfixTerm {
  readonly words: Phrase;
  readonly level: number;
  readonly combine: Combine;
}

function terms(text: string, level: number, combine: Combine): readonly InfixTerm[] {
  return text.split("|").map((way) => ({ words: way.trim().split(" "), level, combine }));
}

const plus: Combine = (left, right) => binary("+", left, right);
const minus: Combine = (left, right) => binary("-", left, right);
const times: Combine = (left, right) => binary("*", left, right);
const over: Combine = (left, right) => {
  const isFraction = /^\d+$/.test(left.text) && /^\d+$/.test(right.text);
  return isFraction ? fraction(left.text, right.text) : binary("/", left, right);
};
const swapped =
  (combine: Combine): Combine =>
  (left, right) =>
    combine(right, left);
const off: Combine = (part, whole) => (part.isPercent ? changed("-", whole, part) : undefined);
const of: Combine = (part, whole) => (part.isPercent || part.fraction ? partOf(part, whole) : undefined);
const onTop: Combine = (whole, part) => changed("+", whole, part);

/** All operators between operands, by first word; longer phrases come first. */
export const infixTerms: ReadonlyMap<string, readonly InfixTerm[]> = groupByFirst([
  ...terms("+ | plus | added to | added with | add | together with | in addition to", 1, plus),
  ...terms("more than | greater than", 1, swapped(plus)),
  ...terms("- | minus | take away | takeaway | subtract | less | without", 1, minus),
  ...terms(
    "subtracted from | taken from | taken away from | less than | fewer than | deducted from",
    1,
    swapped(minus),
  ),
  ...terms("increased by | raised by | with an increase of", 1, onTop),
  ...terms("decreased by | reduced by | lowered by | with a decrease of", 1, (whole, part) =>
    changed("-", whole, part),
  ),
  ...terms(
    "* | x | times | time | multiplied by | multiplied with | multiply by | multiply | multiplied | lots of",
    2,
    times,
  ),
  ...terms("/ | over | divided by | divide by | divided | divide", 2, over),
  ...terms("goes into | go into | into | divided into", 2, swapped(over)),
  ...terms("% | mod | modulo | modulus | divisible by | evenly divisible by", 2, (left, right) =>
    binary("%", left, right),
  ),
  ...terms("of | tip on | tax on | interest on", 2, of),
  ...terms("off | off of | discount on | discount off | reduction on | less on", 2, off),
  ...terms(
    "^ | to the power of | to the power | raised to the power of | raised to the power | raised to",
    4,
    (left, right) => binary("^", left, right),
  ),
]);

type Fold = (parts: readonly ArithmeticNode[]) => ArithmeticNode | undefined;

/** Terms that take a list of operands: "the sum of 3, 4 and 5". */
export const listTerms: ReadonlyMap<string, Fold> = new Map<string, Fold>([
  ...entries<Fold>("sum total", (parts) => chain("+", parts)),
  ...entries<Fold>("product", (parts) => chain("*", parts)),
  ...entries<Fold>("difference", (parts) => chain("-", parts)),
  ...entries<Fold>("quotient ratio", (parts) => chain("/", parts)),
  ...entries<Fold>("average mean", (parts) => {
    const sum = chain("+", parts);
    return sum && binary("/", sum, atom(String(parts.length)));
  }),
  ...entries<Fold>("maximum max largest biggest greatest highest greater larger bigger", (parts) => call("max", parts)),
  ...entries<Fold>("minimum min smallest lowest least smaller lower lesser", (parts) => call("min", parts)),
]);

/** Terms before one operand: "the square root of 16". Longer phrases come first. */
export const prefixTerms: readonly {
  readonly words: Phrase;
  readonly make: (operand: ArithmeticNode) => ArithmeticNode;
}[] = [
  ...prefixes("square root of | squareroot of | sq root of | root of | square root | squareroot", (operand) =>
    call("sqrt", [operand]),
  ),
  ...prefixes("cube root of | cubic root of | cube root", (operand) => call("cbrt", [operand])),
  ...prefixes("square of", (operand) => binary("^", operand, atom("2"))),
  ...prefixes("cube of", (operand) => binary("^", operand, atom("3"))),
  ...prefixes("factorial of", factorial),
  ...prefixes("absolute value of | magnitude of", (operand) => call("abs", [operand])),
  ...prefixes("reciprocal of | inverse of", (operand) => binary("/", atom("1"), operand)),
  ...prefixes("natural logarithm of | natural log of | ln of", (operand) => call("ln", [operand])),
  ...prefixes("logarithm of | log of", (operand) => call("log", [operand])),
  ...prefixes("sine of | sin of", (operand) => call("sin", [operand])),
  ...prefixes("cosine of | cos of", (operand) => call("cos", [operand])),
  ...prefixes("tangent of | tan of", (operand) => call("tan", [operand])),
  ...prefixes("double of | the double of | double | twice | two times as much as", (operand) =>
    binary("*", atom("2"), operand),
  ),
  ...prefixes("triple of | triple | thrice", (operand) => binary("*", atom("3"), operand)),
  ...prefixes("quadruple", (operand) => binary("*", atom("4"), operand)),
  ...prefixes("halve", (operand) => binary("/", operand, atom("2"))),
];

/** Terms after one operand. */
export const postfixTerms: ReadonlyMap<string, (operand: ArithmeticNode) => ArithmeticNode> = new Map([
  ...entries("squared", (operand: ArithmeticNode) => binary("^", operand, atom("2"))),
  ...entries("cubed", (operand: ArithmeticNode) => binary("^", operand, atom("3"))),
  ...entries("factorial !", factorial),
  ...entries("doubled", (operand: ArithmeticNode) => binary("*", operand, atom("2"))),
  ...entries("tripled", (operand: ArithmeticNode) => binary("*", operand, atom("3"))),
  ...entries("halved", (operand: ArithmeticNode) => binary("/", operand, atom("2"))),
]);

function entries<T>(names: string, value: T): readonly (readonly [string, T])[] {
  return names.split(" ").map((name) => [name, value] as const);
}

function prefixes(text: string, make: (operand: ArithmeticNode) => ArithmeticNode) {
  return text.split("|").map((way) => ({ words: way.trim().split(" "), make }));
}

function groupByFirst(all: readonly InfixTerm[]): ReadonlyMap<string, readonly InfixTerm[]> {
  const groups = new Map<string, InfixTerm[]>();
  for (const term of all) {
    const first = term.words[0] ?? "";
    groups.set(
      first,
      [...(groups.get(first) ?? []), term].sort((left, right) => right.words.length - left.words.length),
    );
  }
  return groups;
}

/** The denominator of a fraction, by its name. */
export const denominators = new Map<string, string>([
  ...entries("half halves", "2"),
  ...entries("quarter quarters", "4"),
]);
const ranks = new Map<string, string>([...entries("second square", "2"), ...entries("third cube", "3")]);
for (const [index, name] of ordinals.slice(2, 10).entries()) {
  denominators.set(name, String(index + 3)).set(`${name}s`, String(index + 3));
  ranks.set(name, String(index + 3));
}
for (const [name, value] of entries("hundredth hundredths", "100")) denominators.set(name, value);
for (const [name, value] of entries("thousandth thousandths", "1000")) denominators.set(name, value);

/** The number of an ordinal such as "fourth" or "4th". */
export function rankOf(word: string): string | undefined {
  return ranks.get(word) ?? /^(\d+)th$/.exec(word)?.[1];
}
