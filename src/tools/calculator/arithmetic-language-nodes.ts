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
export function factorial(node: ArithmeticNode): ArithmeticNode {
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
