import { ordinals } from "../../english/numbers.ts";

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

/** An expression in the Calculator's notation, and its precedence. */
export interface ArithmeticNode {
  readonly text: string;
  readonly level: number;
  /** Set for "15 percent". */
  readonly isPercent?: boolean;
  /** Set for "three quarters": the numbers above and below. */
  readonly fraction?: readonly [above: string, below: string];
}

/** The precedence of each kind of expression, as in the calculator. */
export const level = { sum: 1, product: 2, negation: 3, power: 4, atom: 5 } as const;

/** A number, a name or a call. */
export function atom(text: string): ArithmeticNode {
  return { text, level: level.atom };
}

/** A call of one of the calculator's functions. */
export function call(name: string, parts: readonly ArithmeticNode[]): ArithmeticNode {
  return atom(`${name}(${parts.map(({ text }) => text).join(", ")})`);
}

function wrapped(node: ArithmeticNode, least: number): string {
  return node.level >= least ? node.text : `(${node.text})`;
}

/** Two operands with a sign between them, and the necessary parentheses. */
export function binary(
  sign: "+" | "-" | "*" | "/" | "%" | "^",
  left: ArithmeticNode,
  right: ArithmeticNode,
): ArithmeticNode {
  if (sign === "^")
    return { text: `${wrapped(left, level.atom)} ^ ${wrapped(right, level.power)}`, level: level.power };
  const own = sign === "+" || sign === "-" ? level.sum : level.product;
  return { text: `${wrapped(left, own)} ${sign} ${wrapped(right, sign === "+" ? own : own + 1)}`, level: own };
}

/** The operand with a minus before it. */
export function negative(node: ArithmeticNode): ArithmeticNode {
  return { text: `-${wrapped(node, level.power)}`, level: level.negation };
}

/** The operand with `%` after it. */
export function percent(node: ArithmeticNode): ArithmeticNode {
  return { text: `${wrapped(node, level.atom)}%`, level: level.power, isPercent: true };
}

/** The operand with `!` after it. */
function factorial(node: ArithmeticNode): ArithmeticNode {
  return { text: `${wrapped(node, level.atom)}!`, level: level.power };
}

/** "three quarters": a division that "of" splits again, so that two thirds of 9 are 6 without rounding. */
export function fraction(above: string, below: string): ArithmeticNode {
  return { ...binary("/", atom(above), atom(below)), fraction: [above, below] };
}

/** "15 % of 80", "two thirds of 9". */
export function partOf(part: ArithmeticNode, whole: ArithmeticNode): ArithmeticNode {
  if (part.fraction === undefined) return binary("*", part, whole);
  const [above, below] = part.fraction;
  const many = above === "1" ? whole : binary("*", atom(above), whole);
  return binary("/", many, atom(below));
}

/** The amount increased or decreased; a percentage is a percentage of the amount itself. */
export function changed(sign: "+" | "-", amount: ArithmeticNode, by: ArithmeticNode): ArithmeticNode {
  if (by.isPercent) return binary("*", amount, { ...binary(sign, atom("1"), by) });
  return binary(sign, amount, by);
}

/** All operands with the same sign between them. */
export function chain(sign: "+" | "-" | "*" | "/", parts: readonly ArithmeticNode[]): ArithmeticNode | undefined {
  const [first, ...others] = parts;
  return first && others.reduce((left, right) => binary(sign, left, right), first);
}
