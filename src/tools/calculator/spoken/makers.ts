import type { Make, Rule } from "./rules.ts";
import { atom, binary, call, chain, changed, fraction, level, suffixed, type Term } from "./terms.ts";

export type Two = (left: Term, right: Term) => Term | undefined;
export type One = (operand: Term) => Term;

/** The rule of an operator between two operands, or after one. */
export const infix = (words: string, own: number, make: Two, right = own + 1): Rule => [
  `(${words}) @${right}`,
  own,
  ([a, b]) => a && b && make(a, b),
];
/** The rule of a word after one operand. */
export const postfix = (words: string, own: number, make: One): Rule => [words, own, ([a]) => a && make(a)];
export const two =
  (make: Two): Make =>
  ([a, b]) =>
    a && b && make(a, b);
/** The rule of two operands in any pattern. */
export const pair = (pattern: string, make: Two): Rule => [pattern, 0, two(make)];
export const continued =
  (make: Two): Make =>
  ([by], running) => {
    const value = by && running();
    return value && make(value, by);
  };
/** The rule of one operand that changes the value so far. */
export const onward = (pattern: string, make: Two): Rule => [pattern, 0, continued(make)];
export const alone =
  (make: One): Make =>
  ([a], running) => {
    const operand = a ?? running();
    return operand && make(operand);
  };
/** The rules of a word before one operand, or alone for the value so far. */
export const unary = (words: string, make: One): Rule => [`(${words}) [@4]`, 0, alone(make)];
/** Takes a list, or one operand that is arithmetic already: "the sum of 3 plus 5". */
export const fold = (words: string, make: Make): Rule => [
  `(${words}) @*`,
  0,
  (parts, running) => (parts.length > 1 ? make(parts, running) : parts[0]?.isBare ? undefined : parts[0]),
];
export const swap =
  (make: Two): Two =>
  (a, b) =>
    make(b, a);

export const plus: Two = (a, b) => changed("+", a, b);
export const minus: Two = (a, b) => changed("-", a, b);
export const times: Two = (a, b) => binary("*", a, b);
export const over: Two = (a, b) => binary("/", a, b);
export const power: Two = (a, b) => binary("^", a, b);
export const share: Two = (part, whole) => times(binary("/", part, whole), atom("100"));
export const growth: Two = (from, to) => times(binary("/", binary("-", to, from), from), atom("100"));
export const remainder: Two = (a, b) => binary("%", a, b);
/** Of a percentage only: the tip that comes on top, the discount. */
export const onlyPercent =
  (make: Two): Two =>
  (a, b) =>
    b.isPercent ? make(a, b) : undefined;
export const off: Two = (part, whole) => {
  if (part.fraction !== undefined) return binary("*", whole, binary("-", atom("1"), part));
  return part.isPercent ? minus(whole, part) : undefined;
};
export const scaled =
  (factor: string): One =>
  (a) =>
    binary("*", a, atom(factor));
export const halved: One = (a) => binary("/", a, atom("2"));
export const squared: One = (a) => binary("^", a, atom("2"));
export const cubed: One = (a) => binary("^", a, atom("3"));
export const factorial: One = (a) => suffixed(a, "!");
export const named =
  (name: string): One =>
  (a) =>
    call(name, a);
export const mean: Make = (parts) => {
  const sum = chain("+", parts);
  return sum && binary("/", sum, atom(String(parts.length)));
};
export const isLess = (a: Term, b: Term): boolean =>
  a.isBare === true && b.isBare === true && Number(a.text) < Number(b.text);
/** A quotient in signs is a fraction too: three quarters of 8 may be written 3/4. */
export const slash: Two = (a, b) => (/^\d{1,9}$/.test(a.text) && /^\d{1,9}$/.test(b.text) ? written(a, b) : over(a, b));
const written: Two = (a, b) => ({ ...fraction(a.text, b.text), isBare: false });
/** "divide 7 into 49" asks how often 7 fits, "divide 49 into 7" how large each part is. */
export const divideInto: Two = (a, b) => (isLess(a, b) ? over(b, a) : over(a, b));
/** "by a quarter" may be a quarter of it, or 0.25. */
export const grown =
  (make: Two): Two =>
  (a, b) =>
    b.fraction === undefined ? make(a, b) : undefined;
export const difference: Make = ([a, b, ...others]) => {
  if (a === undefined || b === undefined) return undefined;
  if (/[a-z]/.test(a.text) && others.length === 0) return call("abs", binary("-", a, b));
  return chain("-", isLess(a, b) && others.length === 0 ? [b, a] : [a, b, ...others]);
};
/** "5 from 22", "minus 5 from 22". */
export const subtractedFrom: Two = (a, b) => {
  if (!a.isBare || !b.isBare || a.isPercent) return undefined;
  return a.level === level.negation ? plus(b, a) : minus(b, a);
};
/** The sum of a list on top of its last item: "add 3 and 4 to 5". */
export const addedTo: Make = (list) => {
  const sum = chain("+", list.slice(0, -1));
  const amount = list.at(-1);
  return sum && amount && plus(amount, sum);
};
/** Takes several operands, or one for the value so far. */
export const joined =
  (sign: "+" | "*"): Make =>
  (list, running) => {
    const [first] = list;
    if (list.length !== 1 || first === undefined) return chain(sign, list);
    // "add 3 + 4" is a complete sum; "add 12" needs something to add to.
    const value = first.level > level.sum || sign === "*" ? running() : undefined;
    // "multiply it" does not say by what.
    if (value?.text === first.text && !/^\d/.test(first.text)) return undefined;
    if (value === undefined) return first.isBare ? undefined : first;
    return sign === "+" ? changed("+", value, first) : binary("*", value, first);
  };
export const toPlaces =
  (name: string): Make =>
  (parts, running) => {
    const places = parts.at(-1)?.text ?? "";
    const amount = parts.length > 1 ? parts[0] : running();
    return amount && /^\d{1,2}$/.test(places) ? rounded(amount, name, -Number(places)) : undefined;
  };
/** Rounds to a multiple of a power of ten. */
export const rounded = (a: Term, name: string, power: number): Term => {
  if (power === 0) return call(name, a);
  if (power < 0 && name === "round") return call(name, a, atom(String(-power)));
  const unit = power < 0 ? `0.${"0".repeat(-power - 1)}1` : `1${"0".repeat(power)}`;
  return binary("*", call(name, binary("/", a, atom(unit))), atom(unit));
};

const nearest: readonly (readonly [words: string, power: number])[] = [
  ["whole|whole number|number|integer|one|unit|dollar|euro|pound", 0],
  ["ten|10", 1],
  ["hundred|100", 2],
  ["thousand|1000", 3],
  ["tenth", -1],
  ["hundredth|cent|penny", -2],
];

/** The rules of rounding, which all end alike. */
export function roundings(pattern: (how: string, to: string) => string): readonly Rule[] {
  const whole = (a: Term | undefined, name: string, power: number) => a && rounded(a, name, power);
  return Object.entries({ round: "", ceil: "up", floor: "down" }).flatMap(([name, how]): readonly Rule[] => [
    // "round 3 results" asks for nothing.
    [pattern(how, ""), 0, ([a], running) => (/^\d+$/.test(a?.text ?? "") ? undefined : whole(a ?? running(), name, 0))],
    ...nearest.map(([words, power]): Rule => {
      return [
        pattern(how, `(to|to_the) [nearest] (${words})`),
        0,
        ([a], running) => whole(a ?? running(), name, power),
      ];
    }),
    [pattern(how, "to @n [decimal] [decimals|places|place|digits]"), 0, toPlaces(name)],
  ]);
}
