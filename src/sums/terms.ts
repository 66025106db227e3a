/** A part of an expression in the notation of the calculator, and its precedence. */
export interface Term {
  readonly text: string;
  readonly level: number;
  /** True for only a number or an earlier result: no arithmetic yet. */
  readonly isBare?: boolean;
  readonly isPercent?: boolean;
  /** Present for "three quarters": the numbers above and below. */
  readonly fraction?: readonly [above: string, below: string];
}

/** A term of two others, or undefined if they do not fit. */
export type Two = (left: Term, right: Term) => Term | undefined;
export type One = (operand: Term) => Term;

/** The precedence of each kind of term, as in the calculator. */
export const level = { sum: 1, product: 2, negation: 3, power: 4, atom: 5 } as const;

/** A number or a variable. */
export function atom(text: string): Term {
  return { text, level: level.atom, isBare: true };
}

/** A call of one of the calculator's functions. */
export function call(name: string, ...parts: readonly Term[]): Term {
  return { text: `${name}(${parts.map(({ text }) => text).join(", ")})`, level: level.atom };
}

function wrapped(term: Term, least: number): string {
  return term.level >= least ? term.text : `(${term.text})`;
}

/** Two operands with a sign between them, and the necessary parentheses. */
export function binary(sign: "+" | "-" | "*" | "/" | "%" | "^", left: Term, right: Term): Term {
  if (sign === "^")
    return { text: `${wrapped(left, level.atom)} ^ ${wrapped(right, level.power)}`, level: level.power };
  const own = sign === "+" || sign === "-" ? level.sum : level.product;
  // A sign directly after the sign of a remainder would make that a percentage.
  const least = sign === "+" ? own : sign === "%" ? level.power : own + 1;
  return { text: `${wrapped(left, own)} ${sign} ${wrapped(right, least)}`, level: own };
}

/** The operand in parentheses, as it was written. */
export function grouped({ text, isBare }: Term): Term {
  return { text: `(${text})`, level: level.atom, isBare: isBare === true };
}

/** The operand with a minus before it. */
export function negative(term: Term): Term {
  return { text: `-${wrapped(term, level.power)}`, level: level.negation, isBare: term.isBare === true };
}

/** The operand with a sign after it. */
export function suffixed(term: Term, sign: "%" | "!"): Term {
  const isPercent = sign === "%";
  const isBare = isPercent && term.isBare === true;
  return { text: `${wrapped(term, level.atom)}${sign}`, level: level.power, isPercent, isBare };
}

/** "three quarters": a division that "of" splits again, so that two thirds of 9 are 6 without rounding. */
export function fraction(above: string, below: string): Term {
  return { ...binary("/", atom(above), atom(below)), fraction: [above, below], isBare: true };
}

/** "15 % of 80", "two thirds of 9", "0.25 of 8"; undefined for "5 of 9". */
export const partOf: Two = (part, whole) => {
  if (part.isPercent || part.text.startsWith("0.")) return binary("*", part, whole);
  if (part.fraction === undefined) return undefined;
  const [above, below] = part.fraction;
  return binary("/", above === "1" ? whole : binary("*", atom(above), whole), atom(below));
};

/** The amount increased or decreased; a percentage is one of the amount itself. */
export function changed(sign: "+" | "-", amount: Term, by: Term): Term {
  return by.isPercent && !amount.isPercent
    ? binary("*", amount, binary(sign, atom("1"), by))
    : binary(sign, amount, by);
}

/** All operands with the same sign between them. */
export function chain(sign: "+" | "-" | "*" | "/", parts: readonly Term[]): Term | undefined {
  const [first, ...others] = parts;
  return first && others.reduce((left, right) => binary(sign, left, right), first);
}
