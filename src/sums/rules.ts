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

const one =
  (make: One): Make =>
  ([a]) =>
    a && make(a);
const two =
  (make: Two): Make =>
  ([a, b]) =>
    a && b && make(a, b);

const hundred = atom("100");
const isLess = (a: Term, b: Term) => a.isBare === true && b.isBare === true && Number(a.text) < Number(b.text);
const plus: Two = (a, b) => changed("+", a, b);
const minus: Two = (a, b) => changed("-", a, b);
const times: Two = (a, b) => binary("*", a, b);
const over: Two = (a, b) => binary("/", a, b);

/** The difference of two numbers is the larger less the smaller. */
const difference: Make = ([a, b, ...others]) => {
  if (a === undefined || b === undefined) return undefined;
  if (/[a-z]/.test(a.text + b.text) && others.length === 0) return call("abs", binary("-", a, b));
  return chain("-", isLess(a, b) && others.length === 0 ? [b, a] : [a, b, ...others]);
};

/** Rounds to a multiple of a power of ten. */
function rounded(a: Term, name: string, power: number): Term {
  if (power === 0) return call(name, a);
  if (power < 0 && name === "round") return call(name, a, atom(String(-power)));
  const unit = atom(power < 0 ? `0.${"0".repeat(-power - 1)}1` : `1${"0".repeat(power)}`);
  return binary("*", call(name, binary("/", a, unit)), unit);
}

/** What rules make of their slots, by the name that the tables use. */
const makers: Readonly<Record<string, Make>> = {
  plus: two(plus),
  minus: two(minus),
  times: two(times),
  over: two(over),
  power: two((a, b) => binary("^", a, b)),
  remainder: two((a, b) => binary("%", a, b)),
  share: two((part, whole) => binary("*", over(part, whole) ?? part, hundred)),
  growth: two((from, to) => binary("*", binary("/", binary("-", to, from), from), hundred)),
  partOf: two(partOf),
  /** The amount before a tax that it includes. */
  net: two((a, rate) => (rate.isPercent ? binary("/", a, binary("+", atom("1"), rate)) : undefined)),
  off: two((part, whole) => {
    if (part.fraction !== undefined) return binary("*", whole, binary("-", atom("1"), part));
    return part.isPercent ? minus(whole, part) : undefined;
  }),
  /** "5 from 22", "minus 5 from 22", "18 percent from 650". */
  from: two((a, b) => {
    if (a.isPercent) return partOf(a, b);
    if (!a.isBare || !b.isBare) return undefined;
    return a.level === level.negation ? plus(b, a) : minus(b, a);
  }),
  /** A quotient in signs is a fraction too: three quarters of 8 may be written 3/4. */
  slash: two((a, b) =>
    /^\d{1,9} \d{1,9}$/.test(`${a.text} ${b.text}`) ? { ...fraction(a.text, b.text), isBare: false } : over(a, b),
  ),
  /** "divide 7 into 49" asks how often 7 fits, "divide 49 into 7" how large each part is. */
  divideInto: two((a, b) => (isLess(a, b) ? over(b, a) : over(a, b))),
  into: two((a, b) => (isLess(a, b) ? over(b, a) : times(a, b))),
  perimeter: two((a, b) => binary("*", atom("2"), binary("+", a, b))),
  root: two((rank, a) => call("root", a, rank)),
  logarithm: two((base, a) => call("log", a, base)),
  percentage: one((a) => suffixed(a, "%")),
  factorial: one((a) => suffixed(a, "!")),
  twice: one((a) => binary("*", atom("2"), a)),
  half: one((a) => binary("/", a, atom("2"))),
  reciprocal: one((a) => binary("/", atom("1"), a)),
  same: one((a) => a),
  decimal: one((a) => ({ ...a, isBare: false })),
  difference,
  mean: (list) => {
    const sum = chain("+", list);
    return sum && binary("/", sum, atom(String(list.length)));
  },
  /** The sum of a list on top of its last item: "add 3 and 4 to 5". */
  addedTo: (list) => {
    const [sum, amount] = [chain("+", list.slice(0, -1)), list.at(-1)];
    return sum && amount && plus(amount, sum);
  },
};

/** The same for what has a word or a sign of its own. */
const makersWith: Readonly<Record<string, (word: string) => Make>> = {
  scale: (factor) => one((a) => binary("*", a, atom(factor))),
  raise: (rank) => one((a) => binary("^", a, atom(rank))),
  call: (name) => (list) => call(name, ...list),
  chain: (sign) => (list) => chain(sign as "+", list),
  /** Several operands, or one for the value so far. */
  join: (sign) => (list, running) => {
    const [first] = list;
    if (list.length !== 1 || first === undefined) return chain(sign as "+" | "*", list);
    // "add 3 + 4" is a complete sum; "add 12" needs something to add to.
    const value = first.level > level.sum || sign === "*" ? running() : undefined;
    // "multiply it" does not say by what.
    if (value?.text === first.text && !/^\d/.test(first.text)) return undefined;
    if (value === undefined) return first.isBare ? undefined : first;
    return sign === "+" ? plus(value, first) : times(value, first);
  },
  /** "round 3 results" asks for nothing. */
  round: (name) => (parts, running) => {
    const amount = /^\d+$/.test(parts[0]?.text ?? "") ? undefined : (parts[0] ?? running());
    return amount && rounded(amount, name, 0);
  },
  nearest: (how) => (parts, running) => {
    const [name = "", power] = how.split(":");
    const amount = parts[0] ?? running();
    return amount && rounded(amount, name, Number(power));
  },
  places: (name) => (parts, running) => {
    const digits = parts.at(-1)?.text ?? "";
    const amount = parts.length > 1 ? parts[0] : running();
    return amount && /^\d{1,2}$/.test(digits) ? rounded(amount, name, -Number(digits)) : undefined;
  },
};

/** Words before the name of a maker, which say for which slots it is. */
const adverbs: Readonly<Record<string, (make: Make) => Make>> = {
  swapped:
    (make) =>
    ([a, b], running) =>
      a && b && make([b, a], running),
  /** Only for a percentage: the tip that comes on top, the discount. */
  percent: (make) => (parts, running) => (parts[1]?.isPercent ? make(parts, running) : undefined),
  /** "by a quarter", "less a quarter" may be a quarter of it, or 0.25. */
  unbroken: (make) => (parts, running) => (parts[1]?.fraction === undefined ? make(parts, running) : undefined),
  /** For two operands, or one that changes the value so far. */
  onward: (make) => (parts, running) => {
    const value = parts.length === 1 ? running() : undefined;
    return parts.length > 1 ? make(parts, running) : value && make([value, ...parts], running);
  },
  /** For one operand, or alone for the value so far. */
  alone: (make) => (parts, running) => {
    const operand = parts[0] ?? running();
    return operand && make([operand], running);
  },
  several: (make) => (parts, running) => (parts.length > 1 ? make(parts, running) : undefined),
  /** For a list, or one operand that is arithmetic already: "the sum of 3 plus 5". */
  total: (make) => (parts, running) => {
    const [first] = parts;
    return parts.length > 1 ? make(parts, running) : first?.isBare ? undefined : first;
  },
};

/** The maker that some words name, such as `onward percent plus` or `alone call(sqrt)`. */
function makerOf(words: string): Make {
  const [, adverb = "", rest = ""] = /^(\w+) (.*)$/.exec(words) ?? [];
  if (adverb !== "") return adverbs[adverb]?.(makerOf(rest)) ?? unknown(adverb);
  const [, name = "", word = ""] = /^(\w+)\((.*)\)$/.exec(words) ?? [];
  return (name === "" ? makers[words] : makersWith[name]?.(word)) ?? unknown(words);
}

function unknown(name: string): never {
  throw new RangeError(`no rule makes ${name}`);
}

/*
 * A rule is a pattern, what it makes, and between rules that continue an operand their precedence, before the pattern.
 * `(a|b)` is one of them, `[a]` one or nothing. `@0` to `@5` is a term of at least this precedence, `@*` a list, `@n` a
 * number or percentage, `@th` an ordinal. Words in capitals stand for several.
 */
const groups: Readonly<Record<string, string>> = {
  ADD: "(add|added|join|tally|tot|lump|put together)",
  SUBTRACT: "(subtract|subtracted|remove|take|take away|lose)",
  DIVIDE: "(divide|divided|split)",
  EXTRA: "(tip|vat|increase)",
  DISCOUNT: "(discount|off|less|cheaper)",
  MUCH: "(what|which|how many|how much)",
  BE: "(is|are|was|makes)",
  MORE: "(more|bigger|higher|greater|larger)",
  TO: "(to|to_the)",
};

/** Roundings all end alike: `start` has `HOW` for "up" or "down" and `END` for what it is rounded to. */
function roundings(pattern: string): string {
  const ends = [
    "whole|whole number|number|unit|one 0",
    "ten|10 1",
    "hundred|100 2",
    "thousand|1000 3",
    "tenth -1",
    "hundredth|cent -2",
  ];
  const rows = ["round", "ceil up", "floor down"].flatMap((row) => {
    const [name, how = ""] = row.split(" ");
    const nearest = ends.map((end) => {
      const [, words, power] = /^(.*) (.*)$/.exec(end) ?? [];
      return [`TO [nearest] (${words})`, `nearest(${name}:${power})`];
    });
    const all = [["TO nearest", `nearest(${name}:0)`], ["", `round(${name})`], ...nearest];
    return [...all, ["to @n [decimal] [places]", `places(${name})`]].map(
      ([end = "", make]) => `${pattern.replaceAll("HOW", how).replaceAll("END", end)} => ${make}`,
    );
  });
  return rows.join("\n");
}

/** Rules that begin with a word. Slots after it are read to the next word of the rule. */
const startingRules = `
(add|put) @n EXTRA (on|on top of|TO|onto) @0 => swapped percent plus
(add|put) EXTRA of @n (on|on top of|TO|onto) @0 => swapped percent plus
(add|put) @n EXTRA [on] => onward percent plus
(remove|take|take out|take off) @n vat (from|off|out of) @0 => swapped net
(net|before vat|without vat) [of] @0 (includes|with) @n vat => net
ADD @* [together|up] => join(+)
ADD @* (TO|onto|on to|on|on top of) @0 => addedTo
put @n (on|on top of) @0 => swapped percent plus
(with|after) @n EXTRA [on|TO|how much is|what is] @0 => swapped percent plus
SUBTRACT [off|away] @0 (from|off|off of|out of|away from) @0 => swapped minus
(subtract|remove|take away|take off|lose) [off] @0 => onward minus
take @0 (off|away) => onward minus
from @0 (subtract|remove|take|take away|take off) @0 => minus
(multiply|multiplied) @* [together|up] => join(*)
plus @* => several join(+)
times @* => several join(*)
(multiply|multiplied|times) @* (by|with|on) @0 => chain(*)
(multiply|times) [by|with] @0 => onward times
(DIVIDE|cut) [@0] [in|into|between] @n [equal] parts => onward over
DIVIDE [@0] (by|with|over|between|in|on) @0 => onward over
DIVIDE @0 (upon|and|for|through) @0 => over
(divide|divided) @0 into @0 => divideInto
(split|cut) @0 (in|into) @0 => over
(cut|DIVIDE) [@0] in half => alone half
(increase|raise|mark) [@0] [up] by @0 => onward unbroken plus
(reduce|decrease|cut|lower) [@0] [down] by @0 => onward unbroken minus
raise [@0] TO ([power] [of] @0|@th [power]) => onward power
double [of] [@4] => alone scale(2)
triple [of] [@4] => alone scale(3)
quadruple [of] [@4] => alone scale(4)
quintuple [of] [@4] => alone scale(5)
negate [of] [@4] => alone scale(-1)
(twice|two times as much as) [@4] => alone twice
thrice [@4] => alone scale(3)
halve [@4] => alone half
square [of] [@4] => alone raise(2)
cube [of] [@4] => alone raise(3)
(square root|squareroot|sq root|root|sqrt) [of] [@4] => alone call(sqrt)
((cube|cubic) root|cbrt) [of] [@4] => alone call(cbrt)
@th root [of] @4 => root
@th power of @4 => swapped power
factorial [of] [@4] => alone factorial
(absolute value|magnitude|abs) [of] [@4] => alone call(abs)
(reciprocal|inverse) [of] [@4] => alone reciprocal
(log|logarithm) of [@4] => alone call(log)
(natural (log|logarithm)|ln) [of] [@4] => alone call(ln)
(sine|sin) [of] [@4] => alone call(sin)
(cosine|cos) [of] [@4] => alone call(cos)
(tangent|tan) [of] [@4] => alone call(tan)
(log|logarithm) [TO] base @n of @4 => logarithm
(remainder|modulus|left over|leftover|remains) [divide|divided] @3 [divide|divided] (by|/|over|and|into) @3 => remainder
(sum|total|combine) @* => total chain(+)
product @* => total chain(*)
(quotient|ratio) @* => total chain(/)
ratio @* TO @0 => chain(/)
difference @* => total difference
difference @* (TO|from) @0 => difference
far (is|are) @0 from @0 => difference
product @* (by|with) @0 => chain(*)
(average [out]|mean|avg|midpoint|halfway) @* => several mean
((greatest|highest|largest) common (divisor|factor)|gcd|hcf) @* => several call(gcd)
((least|lowest|smallest) common multiple|lcm) @* => several call(lcm)
(maximum|max|largest|biggest|greatest|highest|greater|larger|bigger|higher) @* => several call(max)
(minimum|min|smallest|lowest|least|smaller|lower|lesser) @* => several call(min)
(how many|how_many_times|how often) @4 (go|goes|fit|fits) (in|into) @0 => swapped over
(how many|how_many_times) @4 in @0 => swapped over
how much MORE is @0 than @0 => minus
how much (less|smaller|lower) than @0 is @0 => minus
how much (less|smaller|lower) is @0 than @0 => swapped minus
MUCH percent of @0 BE @0 => swapped share
MUCH percent BE @0 (of|out of|from) @0 => share
MUCH percent is @0 MORE than @0 => swapped growth
MUCH percent MORE is @0 than @0 => swapped growth
percent (increase|change|growth|decrease|drop|difference) [from] @0 TO @0 => growth
perimeter @3 (by|x) @3 => perimeter
EXTRA of @n (on|for|TO) @0 => swapped percent times
EXTRA on @0 at @n => percent times
discount of @n (on|from) @0 => off
${roundings("round [off] [@0 [HOW]|HOW [@0]] END")}`;

/** Rules that continue an operand, which is the first of their parts. */
const continuingRules = `
1 (with|at|after|-|minus|less) @n DISCOUNT => percent minus
1 (with|after) discount of @n => percent minus
1 (with|+|plus|and|after) (@n EXTRA [more|on top]|EXTRA of @n) => percent plus
1 (without|before|net of) @n vat => net
1 (+|plus|added to|added with|add|together with|in addition to|increased by|raised by|with an increase of) @2 => plus
1 [goes] up by @2 => plus
1 (more than|greater than|on top of) @2 => swapped plus
1 (-|minus|take away|takeaway|take|subtract|without|decreased by|reduced by|lowered by|[goes] down by) @2 => minus
1 less @2 => unbroken minus
1 ((subtracted|taken|taken away|deducted|removed) from|less than|fewer than) @2 => swapped minus
1 from @2 => from
1 up @2 => percent plus
1 down @2 => percent minus
2 (*|x|times|time|multiplied by|multiplied with|multiply by|multiply with|multiply|multiplied|lots of|parts of) @3 => times
2 times as (much|many|big) as @3 => times
2.5 / @3.5 => slash
2 ((divide|divided|split) [by|in|between|on|through]|over|upon|out of|through) @2.5 => over
2 divided into @3 => divideInto
2 (split into|cut (in|into)) @3 => over
2 into @n parts => over
2 (goes|go|fits|fit) (into|in) @3 => swapped over
2 into @3 => into
2 (mod|modulo|modulus|divisible by) @3 => remainder
2 (of|on|EXTRA (on|for|of)) @2 => partOf
2 (off|off of|(discount|less) (on|off|from|for)) @2 => off
1 DISCOUNT => onward percent minus
4 (^|* *|TO power [of]|raised TO [power] [of]|power|exponent|to_the) @3 => power
4 (to_the|to|raised to|raised to_the) (@th|@th power) => power
4 (squared|square) => raise(2)
4 (cubed|cube) => raise(3)
5 (factorial|!) => factorial
5 percent => percentage
5 doubled => scale(2)
5 tripled => scale(3)
5 quadrupled => scale(4)
5 halved => half
0 (in total|altogether) => same
0 (as|in|into|to) percent => scale(100)
0 (as|in|into|to) decimal => decimal
0 BE MUCH percent of @0 => share
0 BE @n of (what|which) => percent over
${roundings("0 ((rounded|round) HOW END|END rounded HOW)")}
0 TO @n (decimal [places]|places) => places(round)`;

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

/** A row of the rules. */
interface Rule {
  readonly level: number;
  /** Its words, slots and brackets. */
  readonly parts: readonly string[];
  readonly maker: string;
}

function readRules(rows: string): readonly Rule[] {
  return rows
    .trim()
    .split("\n")
    .map((row) => {
      const [, own = "0", short = "", maker = ""] = /^(?:([\d.]+) )?(.*) => (.*)$/.exec(row) ?? [];
      const pattern = short.replace(/[A-Z]+/g, (name) => groups[name] ?? unknown(name));
      return { level: Number(own), parts: pattern.match(/[()[\]|]|[^\s()[\]|]+/g) ?? [], maker };
    });
}

const rules = { starting: readRules(startingRules), continuing: readRules(continuingRules) };

/** All words of the rules. */
export const vocabulary: ReadonlySet<string> = new Set([
  "negative",
  ...[...rules.starting, ...rules.continuing].flatMap(({ parts }) => parts.filter((part) => !/^[()[\]|]$/.test(part))),
]);

const trees = new Map<keyof typeof rules, RuleNode>();

/** The rules that begin with a word, or that continue an operand; made a tree when they are first needed. */
export function ruleTree(name: keyof typeof rules): RuleNode {
  const tree = trees.get(name) ?? compile(rules[name]);
  trees.set(name, tree);
  return tree;
}

/** Rules as a tree, so that a word is read once however many rules contain it. Of two equal patterns the first counts. */
function compile(rows: readonly Rule[]): RuleNode {
  const root: RuleNode = { words: new Map(), slots: new Map(), level: 0 };
  for (const { level: own, parts, maker } of rows) {
    const make = makerOf(maker);
    for (const way of expand(parts.values())) {
      let node = root;
      for (const part of way) {
        const ways = part.startsWith("@") ? node.slots : node.words;
        const name = part.replace("@", "");
        const next = ways.get(name) ?? { words: new Map(), slots: new Map(), level: own };
        next.level = Math.max(next.level, own);
        ways.set(name, next);
        node = next;
      }
      node.make ??= make;
    }
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
