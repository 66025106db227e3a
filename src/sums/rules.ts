import {
  atom,
  binary,
  call,
  chain,
  changed,
  fraction,
  level,
  type One,
  partOf,
  suffixed,
  type Term,
  type Two,
} from "./terms.ts";

/**
 * Makes the term of a rule from those of its slots; undefined if the rule does not fit them. `running` gives the value
 * so far, where a whole statement continues it.
 */
type Make = (parts: readonly Term[], running: () => Term | undefined) => Term | undefined;

/**
 * A pattern, its precedence, and what it makes. `(a|b)` is one of them, `[a]` one or nothing. `@0` to `@5` is a term of
 * at least this precedence, `@*` a list, `@n` a number or percentage, `@th` an ordinal.
 */
type Rule = readonly [pattern: string, level: number, make: Make];

const two =
  (make: Two): Make =>
  ([a, b]) =>
    a && b && make(a, b);
/** An operator between two operands, or after one. */
const infix = (words: string, own: number, make: Two, right = own + 1): Rule => [
  `(${words}) @${right}`,
  own,
  two(make),
];
/** A word after one operand. */
const postfix = (words: string, own: number, make: One): Rule => [words, own, ([a]) => a && make(a)];
/** Two operands in any pattern. */
const pair = (pattern: string, make: Two): Rule => [pattern, 0, two(make)];
/** Two operands, or one that changes the value so far. */
const onward = (pattern: string, make: Two): Rule => [
  pattern,
  0,
  (parts, running) => (parts.length > 1 ? two(make) : continued(make))(parts, running),
];
const continued =
  (make: Two): Make =>
  ([by], running) => {
    const value = by && running();
    return value && make(value, by);
  };
const alone =
  (make: One): Make =>
  ([a], running) => {
    const operand = a ?? running();
    return operand && make(operand);
  };
/** A word before one operand, or alone for the value so far. */
const unary = (words: string, make: One): Rule => [`(${words}) [@4]`, 0, alone(make)];
/** A list of several. */
const fold = (words: string, make: Make): Rule => [
  `(${words}) @*`,
  0,
  (parts, running) => (parts.length > 1 ? make(parts, running) : undefined),
];
/** A list, or one operand that is arithmetic already: "the sum of 3 plus 5". */
const total = (words: string, make: Make): Rule => [
  `(${words}) @*`,
  0,
  (parts, running) => (parts.length > 1 ? make(parts, running) : parts[0]?.isBare ? undefined : parts[0]),
];
const swap =
  (make: Two): Two =>
  (a, b) =>
    make(b, a);

const plus: Two = (a, b) => changed("+", a, b);
const minus: Two = (a, b) => changed("-", a, b);
const times: Two = (a, b) => binary("*", a, b);
const over: Two = (a, b) => binary("/", a, b);
const power: Two = (a, b) => binary("^", a, b);
const share: Two = (part, whole) => binary("*", binary("/", part, whole), atom("100"));
const growth: Two = (from, to) => binary("*", binary("/", binary("-", to, from), from), atom("100"));
const remainder: Two = (a, b) => binary("%", a, b);
/** Words that only a percentage has: the tip that comes on top, the discount. */
const onlyPercent =
  (make: Two): Two =>
  (a, b) =>
    b.isPercent ? make(a, b) : undefined;
/** The amount before a tax that it includes. */
const net: Two = (a, rate) => (rate.isPercent ? binary("/", a, binary("+", atom("1"), rate)) : undefined);
const off: Two = (part, whole) => {
  if (part.fraction !== undefined) return binary("*", whole, binary("-", atom("1"), part));
  return part.isPercent ? minus(whole, part) : undefined;
};
const scaled =
  (factor: string): One =>
  (a) =>
    binary("*", a, atom(factor));
const halved: One = (a) => binary("/", a, atom("2"));
const raised =
  (rank: string): One =>
  (a) =>
    binary("^", a, atom(rank));
const factorial: One = (a) => suffixed(a, "!");
const named =
  (name: string): One =>
  (a) =>
    call(name, a);
const mean: Make = (parts) => {
  const sum = chain("+", parts);
  return sum && binary("/", sum, atom(String(parts.length)));
};
const isLess = (a: Term, b: Term) => a.isBare === true && b.isBare === true && Number(a.text) < Number(b.text);
/** A quotient in signs is a fraction too: three quarters of 8 may be written 3/4. */
const slash: Two = (a, b) =>
  /^\d{1,9}$/.test(a.text) && /^\d{1,9}$/.test(b.text) ? { ...fraction(a.text, b.text), isBare: false } : over(a, b);
/** "divide 7 into 49" asks how often 7 fits, "divide 49 into 7" how large each part is. */
const divideInto: Two = (a, b) => (isLess(a, b) ? over(b, a) : over(a, b));
/** "by a quarter", "less a quarter" may be a quarter of it, or 0.25. */
const grown =
  (make: Two): Two =>
  (a, b) =>
    b.fraction === undefined ? make(a, b) : undefined;
const difference: Make = ([a, b, ...others]) => {
  if (a === undefined || b === undefined) return undefined;
  if (/[a-z]/.test(a.text + b.text) && others.length === 0) return call("abs", binary("-", a, b));
  return chain("-", isLess(a, b) && others.length === 0 ? [b, a] : [a, b, ...others]);
};
/** "5 from 22", "minus 5 from 22", "18 percent from 650". */
const from: Two = (a, b) => {
  if (a.isPercent) return partOf(a, b);
  if (!a.isBare || !b.isBare) return undefined;
  return a.level === level.negation ? plus(b, a) : minus(b, a);
};
/** The sum of a list on top of its last item: "add 3 and 4 to 5". */
const addedTo: Make = (list) => {
  const sum = chain("+", list.slice(0, -1));
  const amount = list.at(-1);
  return sum && amount && plus(amount, sum);
};
/** Takes several operands, or one for the value so far. */
const joined =
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
const toPlaces =
  (name: string): Make =>
  (parts, running) => {
    const digits = parts.at(-1)?.text ?? "";
    const amount = parts.length > 1 ? parts[0] : running();
    return amount && /^\d{1,2}$/.test(digits) ? rounded(amount, name, -Number(digits)) : undefined;
  };
/** Rounds to a multiple of a power of ten. */
function rounded(a: Term, name: string, power: number): Term {
  if (power === 0) return call(name, a);
  if (power < 0 && name === "round") return call(name, a, atom(String(-power)));
  const unit = atom(power < 0 ? `0.${"0".repeat(-power - 1)}1` : `1${"0".repeat(power)}`);
  return binary("*", call(name, binary("/", a, unit)), unit);
}

const nearest = [
  "whole|whole number|number|unit|one 0",
  "ten|10 1",
  "hundred|100 2",
  "thousand|1000 3",
  "tenth -1",
  "hundredth|cent -2",
];

/** The rules of rounding, which all end alike. */
function roundings(pattern: (how: string, to: string) => string): readonly Rule[] {
  return Object.entries({ round: "", ceil: "up", floor: "down" }).flatMap(([name, how]): readonly Rule[] => {
    const to =
      (power: number): Make =>
      ([a], running) => {
        const amount = a ?? running();
        return amount && rounded(amount, name, power);
      };
    return [
      // "the nearest dollar"
      [pattern(how, "(to|to_the) nearest"), 0, to(0)],
      // "round 3 results" asks for nothing.
      [
        pattern(how, ""),
        0,
        (parts, running) => (/^\d+$/.test(parts[0]?.text ?? "") ? undefined : to(0)(parts, running)),
      ],
      ...nearest.map((row): Rule => {
        const [, words = "", power = ""] = /^(.*) (.*)$/.exec(row) ?? [];
        return [pattern(how, `(to|to_the) [nearest] (${words})`), 0, to(Number(power))];
      }),
      [pattern(how, "to @n [decimal] [places]"), 0, toPlaces(name)],
    ];
  });
}

const add = "add|added|join|tally|tot|lump|put together";
const subtract = "subtract|subtracted|remove|take|take away|lose";
const removed = "subtracted|taken|taken away|deducted|removed";
const divide = "divide|divided|split";
const tip = "tip|vat|increase";
const discount = "discount|off|less|cheaper";
const what = "what|which|how many|how much";
const be = "is|are|was|makes";
const to = "to|to_the";

/** Rules that begin with a word. Slots after it are read to the next word of the rule. */
const startingRules: readonly Rule[] = [
  pair(`(add|put) @n (${tip}) (on|on top of|${to}|onto) @0`, swap(onlyPercent(plus))),
  onward(`(add|put) @n (${tip}) [on]`, onlyPercent(plus)),
  pair("(remove|take|take out|take off) @n vat (from|off|out of) @0", swap(net)),
  pair("(net|before vat|without vat) [of] @0 (includes|with) @n vat", net),
  [`(${add}) @* [together|up]`, 0, joined("+")],
  [`(${add}) @* (${to}|onto|on to|on|on top of) @0`, 0, addedTo],
  pair("put @n (on|on top of) @0", swap(onlyPercent(plus))),
  pair(`(with|after) @n (${tip}) [on|${to}|how much is|what is] @0`, swap(onlyPercent(plus))),
  pair(`(${subtract}) [off|away] @0 (from|off|off of|out of|away from) @0`, swap(minus)),
  onward("(subtract|remove|take away|take off|lose) [off] @0", minus),
  onward("take @0 (off|away)", minus),
  pair("from @0 (subtract|remove|take|take away|take off) @0", minus),
  ["(multiply|multiplied) @* [together|up]", 0, joined("*")],
  ["plus @*", 0, (list, running) => (list.length > 1 ? joined("+")(list, running) : undefined)],
  ["times @*", 0, (list, running) => (list.length > 1 ? joined("*")(list, running) : undefined)],
  ["(multiply|multiplied|times) @* (by|with|on) @0", 0, (list) => chain("*", list)],
  onward("(multiply|times) [by|with] @0", times),
  onward(`(${divide}|cut) [@0] [in|into|between] @n [equal] parts`, over),
  onward(`(${divide}) [@0] (by|with|over|between|in|on) @0`, over),
  pair(`(${divide}) @0 (upon|and|for|through) @0`, over),
  pair("(divide|divided) @0 into @0", divideInto),
  pair("(split|cut) @0 (in|into) @0", over),
  [`(cut|${divide}) [@0] in half`, 0, alone(halved)],
  onward("(increase|raise|mark) [@0] [up] by @0", grown(plus)),
  onward("(reduce|decrease|cut|lower) [@0] [down] by @0", grown(minus)),
  onward(`raise [@0] (${to}) ([power] [of] @0|@th [power])`, power),
  ...["double 2", "triple 3", "quadruple 4", "quintuple 5", "negate -1"].map((row) => {
    const [word = "", factor = ""] = row.split(" ");
    return unary(`${word} [of]`, scaled(factor));
  }),
  unary("twice|two times as much as", (a) => binary("*", atom("2"), a)),
  unary("thrice", (a) => binary("*", atom("3"), a)),
  unary("halve", halved),
  unary("square [of]", raised("2")),
  unary("cube [of]", raised("3")),
  unary("(square root|squareroot|sq root|root|sqrt) [of]", named("sqrt")),
  unary("((cube|cubic) root|cbrt) [of]", named("cbrt")),
  pair("@th root [of] @4", (rank, a) => call("root", a, rank)),
  pair("@th power of @4", swap(power)),
  unary("factorial [of]", factorial),
  unary("(absolute value|magnitude|abs) [of]", named("abs")),
  unary("(reciprocal|inverse) [of]", (a) => binary("/", atom("1"), a)),
  unary("(log|logarithm) of", named("log")),
  ...["ln:natural (log|logarithm)|ln", "sin:sine|sin", "cos:cosine|cos", "tan:tangent|tan"].map((row) => {
    const [name = "", words = ""] = row.split(":");
    return unary(`(${words}) [of]`, named(name));
  }),
  pair(`(log|logarithm) [${to}] base @n of @4`, (base, a) => call("log", a, base)),
  pair(
    "(remainder|modulus|left over|leftover|remains) [divide|divided] @3 [divide|divided] (by|/|over|and|into) @3",
    remainder,
  ),
  total("sum|total|combine", (list) => chain("+", list)),
  total("product", (list) => chain("*", list)),
  total("quotient|ratio", (list) => chain("/", list)),
  [`ratio @* (${to}) @0`, 0, (list) => chain("/", list)],
  total("difference", difference),
  [`difference @* (${to}|from) @0`, 0, difference],
  ["far (is|are) @0 from @0", 0, difference],
  ["product @* (by|with) @0", 0, (list) => chain("*", list)],
  fold("average [out]|mean|avg|midpoint|halfway", mean),
  fold("(greatest|highest|largest) common (divisor|factor)|gcd|hcf", (list) => call("gcd", ...list)),
  fold("(least|lowest|smallest) common multiple|lcm", (list) => call("lcm", ...list)),
  fold("maximum|max|largest|biggest|greatest|highest|greater|larger|bigger|higher", (list) => call("max", ...list)),
  fold("minimum|min|smallest|lowest|least|smaller|lower|lesser", (list) => call("min", ...list)),
  pair("(how many|how_many_times|how often) @4 (go|goes|fit|fits) (in|into) @0", swap(over)),
  pair("(how many|how_many_times) @4 in @0", swap(over)),
  pair("how much (more|bigger|larger|higher|greater) is @0 than @0", minus),
  pair("how much (less|smaller|lower) than @0 is @0", minus),
  pair("how much (less|smaller|lower) is @0 than @0", swap(minus)),
  pair(`(${what}) percent of @0 (${be}) @0`, swap(share)),
  pair(`(${what}) percent (${be}) @0 (of|out of|from) @0`, share),
  pair(`(${what}) percent is @0 (more|bigger|higher|greater|larger) than @0`, swap(growth)),
  pair(`(${what}) percent (more|bigger|higher|greater|larger) is @0 than @0`, swap(growth)),
  pair(`percent (increase|change|growth|decrease|drop|difference) [from] @0 (${to}) @0`, growth),
  pair("perimeter @3 (by|x) @3", (a, b) => binary("*", atom("2"), binary("+", a, b))),
  pair(`(${tip}) of @n (on|for|${to}) @0`, swap(onlyPercent(times))),
  pair(`(${tip}) on @0 at @n`, onlyPercent(times)),
  pair("discount of @n (on|from) @0", off),
  ...roundings((how, ending) => `round [off] [@0 [${how}]|${how} [@0]] ${ending}`),
];

/** Rules that continue an operand, which is the first of their parts. */
const continuingRules: readonly Rule[] = [
  [`(with|at|after|-|minus|less) @n (${discount})`, 1, two(onlyPercent(minus))],
  ["(with|after) discount of @n", 1, two(onlyPercent(minus))],
  [`(with|+|plus|and|after) (@n (${tip}) [more|on top]|(${tip}) of @n)`, 1, two(onlyPercent(plus))],
  ["(without|before|net of) @n vat", 1, two(net)],
  infix(
    "+|plus|added to|added with|add|together with|in addition to|increased by|raised by|with an increase of|[goes] up by",
    1,
    plus,
  ),
  infix("more than|greater than|on top of", 1, swap(plus)),
  infix("-|minus|take away|takeaway|take|subtract|without|decreased by|reduced by|lowered by|[goes] down by", 1, minus),
  infix("less", 1, grown(minus)),
  infix(`(${removed}) from|less than|fewer than`, 1, swap(minus)),
  infix("from", 1, from),
  infix("up", 1, onlyPercent(plus)),
  infix("down", 1, onlyPercent(minus)),
  infix(
    "*|x|times|time|multiplied by|multiplied with|multiply by|multiply with|multiply|multiplied|lots of|parts of|times as (much|many|big) as",
    2,
    times,
  ),
  infix("/", 2.5, slash),
  infix("(divide|divided|split) [by|in|between|on|through]|over|upon|out of|through", 2, over, 2.5),
  infix("divided into", 2, divideInto),
  infix("split into|cut (in|into)", 2, over),
  [`into @n parts`, 2, two(over)],
  infix("(goes|go|fits|fit) (into|in)", 2, swap(over)),
  infix("into", 2, (a, b) => (isLess(a, b) ? over(b, a) : times(a, b))),
  infix("mod|modulo|modulus|divisible by", 2, remainder),
  infix(`of|on|(${tip}) (on|for|of)`, 2, partOf, 2),
  infix(`off|off of|(discount|less) (on|off|from|for)`, 2, off, 2),
  [`(${discount})`, 1, continued(onlyPercent(minus))],
  infix("^|* *|(to|to_the) power [of]|raised (to|to_the) [power] [of]|power|exponent", 4, power, 3),
  infix("to_the", 4, power, 3),
  [`(to_the|to|raised to|raised to_the) (@th|@th power)`, 4, two(power)],
  postfix("squared|square", 4, raised("2")),
  postfix("cubed|cube", 4, raised("3")),
  postfix("factorial|!", 5, factorial),
  postfix("percent", 5, (a) => suffixed(a, "%")),
  ...["doubled 2", "tripled 3", "quadrupled 4"].map((row) => {
    const [word = "", factor = ""] = row.split(" ");
    return postfix(word, 5, scaled(factor));
  }),
  postfix("halved", 5, halved),
  postfix("in total|altogether", 0, (a) => ({ ...a })),
  postfix(`(as|in|into|to) percent`, 0, scaled("100")),
  postfix(`(as|in|into|to) decimal`, 0, (a) => ({ ...a, isBare: false })),
  [`(${be}) (${what}) percent of @0`, 0, two(share)],
  [`(${be}) @n of (what|which)`, 0, two(onlyPercent(over))],
  ...roundings((how, ending) => `(rounded|round) ${how} ${ending}|${ending} rounded ${how}`),
  ["(to|to_the) @n (decimal [places]|places)", 0, toPlaces("round")],
];

/** The place of the reader within all rules that begin with the same words. */
export interface RuleNode {
  readonly words: Map<string, RuleNode>;
  /** By the name of the slot, without "@". */
  readonly slots: Map<string, RuleNode>;
  /** The highest precedence of the rules that pass here. */
  level: number;
  /** Makes the value of the first of the rules that end here. */
  make?: Make;
}

/** Rules as a tree, so that a word is read once however many rules contain it. Of two equal patterns the first counts. */
function compile(rules: readonly Rule[]): RuleNode {
  const root: RuleNode = { words: new Map(), slots: new Map(), level: 0 };
  for (const [pattern, level, make] of rules)
    for (const way of expand((pattern.match(/[()[\]|]|[^\s()[\]|]+/g) ?? []).values())) {
      let node = root;
      for (const part of way) {
        const ways = part.startsWith("@") ? node.slots : node.words;
        const name = part.replace("@", "");
        const next = ways.get(name) ?? { words: new Map(), slots: new Map(), level };
        next.level = Math.max(next.level, level);
        ways.set(name, next);
        node = next;
      }
      node.make ??= make;
    }
  return root;
}

/** All ways of a pattern up to the closing bracket. */
function expand(parts: Iterator<string>): readonly (readonly string[])[] {
  const all: (readonly string[])[] = [];
  let ways: readonly (readonly string[])[] = [[]];
  for (let { value, done } = parts.next(); !(done || value === ")" || value === "]"); { value, done } = parts.next()) {
    if (value === "|") {
      all.push(...ways);
      ways = [[]];
      continue;
    }
    const next = value === "(" || value === "[" ? expand(parts) : [[value]];
    const optional = value === "[" ? [[], ...next] : next;
    ways = ways.flatMap((way) => optional.map((more) => [...way, ...more]));
  }
  return [...all, ...ways];
}

/** Rules that begin with a word. */
export const starting = compile(startingRules);
/** Rules that continue an operand. */
export const continuing = compile(continuingRules);
/** All words of the rules. */
export const vocabulary: ReadonlySet<string> = new Set([
  "negative",
  ...[...startingRules, ...continuingRules].flatMap(([pattern]) => pattern.match(/[^\s()[\]|]+/g) ?? []),
]);
