export interface Term {
  readonly text: string;
  readonly level: number;
  readonly isBare?: boolean;
  readonly isPercent?: boolean;
  readonly fraction?: readonly [above: string, below: string];
}

export const level = { sum: 1, product: 2, negation: 3, power: 4, atom: 5 } as const;
type Levels = Readonly<Record<string, number>>;
const after: Levels = { "+ ": 1, "- ": 2, "* ": 3, "/ ": 3, "% ": 4, "^ ": 4, "-": 4 };
const before: Levels = { " +": 1, " -": 1, " *": 2, " /": 2, " %": 2, " ^": 5, "%": 5, "!": 5 };

export function formula(text: string): (...parts: readonly Term[]) => Term {
  const outside = text.replace(/\(.*\)/, "");
  const signs = [/ [-+] /, / [*/%] /, /^-/, /[!%^]/];
  const own = (signs.findIndex((sign) => sign.test(outside)) + 1 || level.atom) as number;
  return (...parts) => ({
    text: text.replace(/\b[ab]\b/g, (name, at: number) => {
      const part = parts[name === "a" ? 0 : 1] ?? atom(name);
      const least = Math.max(after[text.slice(Math.max(0, at - 2), at)] ?? 0, before[text.slice(at + 1, at + 3)] ?? 0);
      return part.level >= least ? part.text : `(${part.text})`;
    }),
    level: own,
  });
}

export function atom(text: string): Term {
  return { text, level: level.atom, isBare: true };
}

export function call(name: string, parts: readonly Term[]): Term {
  return { text: `${name}(${parts.map(({ text }) => text).join(", ")})`, level: level.atom };
}

const binaries = { "+": formula("a + b"), "-": formula("a - b"), "*": formula("a * b"), "/": formula("a / b") };

export function binary(sign: keyof typeof binaries, left: Term, right: Term): Term {
  return binaries[sign](left, right);
}

export function grouped({ text, isBare }: Term): Term {
  return { text: `(${text})`, level: level.atom, isBare: isBare === true };
}

const negation = formula("-a");

export function negative(term: Term): Term {
  return { ...negation(term), isBare: term.isBare === true };
}

export function percentage(term: Term): Term {
  return { ...formula("a%")(term), isPercent: true, isBare: term.isBare === true };
}

/** Keeps both numbers, so that `partOf` computes two thirds of 9 as 6 without rounding. */
export function fraction(above: string, below: string): Term {
  return { ...binary("/", atom(above), atom(below)), fraction: [above, below], isBare: true };
}

export function partOf(part: Term, whole: Term): Term | undefined {
  if (part.isPercent || part.text.startsWith("0.")) return binary("*", part, whole);
  if (part.fraction === undefined) return undefined;
  const [above, below] = part.fraction;
  return binary("/", above === "1" ? whole : binary("*", atom(above), whole), atom(below));
}

export function changed(sign: "+" | "-", amount: Term, by: Term): Term {
  return by.isPercent && !amount.isPercent
    ? binary("*", amount, binary(sign, atom("1"), by))
    : binary(sign, amount, by);
}

export function chain(sign: keyof typeof binaries, parts: readonly Term[]): Term | undefined {
  const [first, ...others] = parts;
  return first && others.reduce((left, right) => binary(sign, left, right), first);
}
