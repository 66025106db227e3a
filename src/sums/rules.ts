import { once } from "../language/phrases.ts";
import {
  atom,
  binary,
  call,
  chain,
  changed,
  formula,
  fraction,
  level,
  partOf,
  percentage,
  type Term,
} from "./terms.ts";

type Make = (parts: readonly Term[], running: () => Term | undefined) => Term | undefined;

const two =
  (make: (a: Term, b: Term) => Term | undefined): Make =>
  ([a, b]) =>
    a && b && make(a, b);

const isLess = (a: Term, b: Term) => a.isBare === true && b.isBare === true && Number(a.text) < Number(b.text);
const plus = (a: Term, b: Term) => changed("+", a, b);
const minus = (a: Term, b: Term) => changed("-", a, b);
const over = (a: Term, b: Term) => binary("/", a, b);

const joined =
  (sign: "+" | "*"): Make =>
  (list, running) => {
    const [first] = list;
    if (list.length !== 1 || first === undefined) return chain(sign, list);
    const value = first.level > level.sum || sign === "*" ? running() : undefined;
    if (value?.text === first.text && !/^\d/.test(first.text)) return undefined;
    if (value === undefined) return first.isBare ? undefined : first;
    return sign === "+" ? plus(value, first) : binary("*", value, first);
  };

const makers: Readonly<Record<string, Make>> = {
  plus: two(plus),
  minus: two(minus),
  partOf: two(partOf),
  off: two((part, whole) => {
    if (part.fraction !== undefined) return formula("b * (1 - a)")(part, whole);
    return part.isPercent ? minus(whole, part) : undefined;
  }),
  from: two((a, b) => {
    if (a.isPercent) return partOf(a, b);
    if (!a.isBare || !b.isBare) return undefined;
    return a.level === level.negation ? plus(b, a) : minus(b, a);
  }),
  slash: two((a, b) =>
    /^\d{1,9} \d{1,9}$/.test(`${a.text} ${b.text}`) ? { ...fraction(a.text, b.text), isBare: false } : over(a, b),
  ),
  /** "divide 7 into 49" asks how often 7 fits; "divide 49 into 7" asks for the size of each part. */
  divideInto: two((a, b) => (isLess(a, b) ? over(b, a) : over(a, b))),
  into: two((a, b) => (isLess(a, b) ? over(b, a) : binary("*", a, b))),
  percentage: ([a]) => a && percentage(a),
  same: ([a]) => a,
  decimal: ([a]) => a && { ...a, isBare: false },
  difference: ([a, b, ...others]) => {
    if (a === undefined || b === undefined) return undefined;
    if (/[a-z]/.test(a.text + b.text) && others.length === 0) return formula("abs(a - b)")(a, b);
    return chain("-", isLess(a, b) && others.length === 0 ? [b, a] : [a, b, ...others]);
  },
  sum: (list) => chain("+", list),
  product: (list) => chain("*", list),
  quotient: (list) => chain("/", list),
  mean: (list) => {
    const sum = chain("+", list);
    return sum && over(sum, atom(String(list.length)));
  },
  addedTo: (list) => {
    const [sum, amount] = [chain("+", list.slice(0, -1)), list.at(-1)];
    return sum && amount && plus(amount, sum);
  },
  joinSum: joined("+"),
  joinProduct: joined("*"),
};

const adverbs: Readonly<Record<string, (make: Make) => Make>> = {
  swapped:
    (make) =>
    ([a, b], running) =>
      a && b && make([b, a], running),
  percent: (make) => (parts, running) => (parts[1]?.isPercent ? make(parts, running) : undefined),
  /** Refuses "by a quarter", which may mean a quarter of the value or 0.25. */
  unbroken: (make) => (parts, running) => (parts[1]?.fraction === undefined ? make(parts, running) : undefined),
  onward: (make) => (parts, running) => {
    const value = parts.length === 1 ? running() : undefined;
    return parts.length > 1 ? make(parts, running) : value && make([value, ...parts], running);
  },
  alone: (make) => (parts, running) => {
    const operand = parts[0] ?? running();
    return operand && make([operand], running);
  },
  several: (make) => (parts, running) => (parts.length > 1 ? make(parts, running) : undefined),
  total: (make) => (parts, running) => {
    const [first] = parts;
    return parts.length > 1 ? make(parts, running) : first?.isBare ? undefined : first;
  },
  broken: (make) => (parts, running) => (/^\d+$/.test(parts[0]?.text ?? "") ? undefined : make(parts, running)),
  places: (make) => (parts, running) => {
    const digits = parts.at(-1);
    const amount = parts.length > 1 ? parts[0] : running();
    return digits && amount && /^\d{1,2}$/.test(digits.text) ? make([amount, digits], running) : undefined;
  },
};

function makerOf(words: string): Make {
  const [, first = "", rest = ""] = /^(\w+) (.*)$/.exec(words) ?? [];
  const adverb = adverbs[first];
  if (adverb !== undefined) return adverb(makerOf(rest));
  const [, list] = /^(\w+)\(list\)$/.exec(words) ?? [];
  if (list !== undefined) return (parts) => call(list, parts);
  const count = /\bb\b/.test(words) ? 2 : 1;
  const make = formula(words);
  return makers[words] ?? ((parts) => (parts.length < count ? undefined : make(...parts)));
}

// A row is `pattern => maker`. Rules that continue an operand start with their precedence. `(a|b)` is a choice, `[a]`
// is optional. `@0` to `@5` match a term of at least this precedence, `@*` a list, `@n` a number or percentage, and
// `@th` an ordinal. Words in capitals name the groups below.
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

const roundingEnds = [
  ["", "broken alone round(a)", "broken alone NAME(a)"],
  ["TO (nearest|[(nearest|then)] (whole|full|(whole|full) number|number|unit|one))", "alone round(a)", "alone NAME(a)"],
  ["TO [nearest] (ten|10)", "alone round(a / 10) * 10", "alone NAME(a / 10) * 10"],
  ["TO [nearest] (hundred|100)", "alone round(a / 100) * 100", "alone NAME(a / 100) * 100"],
  ["TO [nearest] (thousand|1000)", "alone round(a / 1000) * 1000", "alone NAME(a / 1000) * 1000"],
  ["TO [nearest] tenth", "alone round(a, 1)", "alone NAME(a * 10) / 10"],
  ["TO [nearest] (hundredth|cent)", "alone round(a, 2)", "alone NAME(a * 100) / 100"],
  ["to @n [decimal] [places]", "places round(a, b)", "places NAME(a * 10 ^ b) / 10 ^ b"],
] as const;

function roundings(pattern: string): string {
  const rows = (how: string, name: string) =>
    roundingEnds.map(([end, round, other]) => {
      const make = name === "round" ? round : other.replace("NAME", name);
      return `${pattern.replaceAll("HOW", how).replaceAll("END", end)} => ${make}`;
    });
  return [...rows("", "round"), ...rows("up", "ceil"), ...rows("down", "floor")].join("\n");
}

const startingRules = `
(add|put) @n EXTRA (on|on top of|TO|onto) @0 => swapped percent plus
(add|put) EXTRA of @n (on|on top of|TO|onto) @0 => swapped percent plus
(add|put) @n EXTRA [on] => onward percent plus
(remove|take|take out|take off) @n vat (from|off|out of) @0 => swapped percent a / (1 + b)
(net|before vat|without vat) [of] @0 (includes|with) @n vat => percent a / (1 + b)
ADD @* [together|up] => joinSum
ADD @* (TO|onto|on to|on|on top of) @0 => addedTo
put @n (on|on top of) @0 => swapped percent plus
(with|after) @n EXTRA [on|TO|how much is|what is] @0 => swapped percent plus
with @n EXTRA [on top|more] => onward percent plus
SUBTRACT [off|away] @0 (from|off|off of|out of|away from) @0 => swapped minus
(subtract|remove|take away|take off|lose) [off] @0 => onward minus
take @0 (off|away) => onward minus
from @0 (subtract|remove|take|take away|take off) @0 => minus
(multiply|multiplied) @* [together|up] => joinProduct
plus @* => several joinSum
times @* => several joinProduct
(multiply|multiplied|times) @* (by|with|on) @0 => product
(multiply|times) [by|with] @0 => onward a * b
(DIVIDE|cut) [@0] [in|into|between] @n [equal] parts => onward a / b
DIVIDE [@0] (by|with|over|between|in|on) @0 => onward a / b
DIVIDE @0 (upon|and|for|through) @0 => a / b
(divide|divided) @0 into @0 => divideInto
(split|cut) @0 (in|into) @0 => a / b
(cut|DIVIDE) [@0] in half => alone a / 2
(increase|raise|mark) [@0] [up] by @0 => onward unbroken plus
(reduce|decrease|cut|lower) [@0] [down] by @0 => onward unbroken minus
raise [@0] TO ([power] [of] @0|@th [power]) => onward a ^ b
double [of] [@4] => alone a * 2
triple [of] [@4] => alone a * 3
quadruple [of] [@4] => alone a * 4
negate [of] [@4] => alone a * -1
(twice|two times as much as) [@4] => alone 2 * a
thrice [@4] => alone a * 3
halve [@4] => alone a / 2
square [of] [@4] => alone a ^ 2
cube [of] [@4] => alone a ^ 3
(square root|squareroot|sq root|root|sqrt) [of] [@4] => alone sqrt(a)
((cube|cubic) root|cbrt) [of] [@4] => alone cbrt(a)
@th root [of] @4 => root(b, a)
@th power of @4 => b ^ a
factorial [of] [@4] => alone a!
(absolute value|magnitude|abs) [of] [@4] => alone abs(a)
(reciprocal|inverse) [of] [@4] => alone 1 / a
(log|logarithm) of [@4] => alone log(a)
(natural (log|logarithm)|ln) [of] [@4] => alone ln(a)
(sine|sin) [of] [@4] => alone sin(a)
(cosine|cos) [of] [@4] => alone cos(a)
(tangent|tan) [of] [@4] => alone tan(a)
(log|logarithm) [TO] base @n of @4 => log(b, a)
(remainder|modulus|left over|leftover|remains) [divide|divided] @3 [divide|divided] (by|/|over|and|into) @3 => a % b
(sum|total|combine) @* => total sum
product @* => total product
(quotient|ratio) @* => total quotient
ratio @* TO @0 => quotient
difference @* => total difference
difference @* (TO|from) @0 => difference
far (is|are) @0 from @0 => difference
product @* (by|with) @0 => product
(average [out]|mean|avg|midpoint|halfway) @* => several mean
((greatest|highest|largest) common (divisor|factor)|gcd|hcf) @* => several gcd(list)
((least|lowest|smallest) common multiple|lcm) @* => several lcm(list)
(maximum|max|largest|biggest|greatest|highest|greater|larger|bigger|higher) @* => several max(list)
(minimum|min|smallest|lowest|least|smaller|lower|lesser) @* => several min(list)
(how many|how_many_times|how often) @4 (go|goes|fit|fits) (in|into) @0 => b / a
(how many|how_many_times) @4 in @0 => b / a
how much MORE is @0 than @0 => minus
how much (less|smaller|lower) than @0 is @0 => minus
how much (less|smaller|lower) is @0 than @0 => swapped minus
MUCH percent of @0 BE @0 => b / a * 100
MUCH percent BE @0 (of|out of|from) @0 => a / b * 100
MUCH percent is @0 MORE than @0 => (a - b) / b * 100
MUCH percent MORE is @0 than @0 => (a - b) / b * 100
percent (increase|change|growth|decrease|drop|difference) [from] @0 TO @0 => (b - a) / a * 100
perimeter @3 (by|x) @3 => 2 * (a + b)
EXTRA of @n (on|for|TO) @0 => swapped percent a * b
EXTRA on @0 at @n => percent a * b
discount of @n (on|from) @0 => off
${roundings("round [off] [@0 [HOW]|HOW [@0]] END")}`;

const continuingRules = `
1 (with|at|after|-|minus|less) @n DISCOUNT => percent minus
1 (with|after) discount of @n => percent minus
1 (with|+|plus|and|after) (@n EXTRA [more|on top]|EXTRA of @n) => percent plus
1 (without|before|net of) @n vat => percent a / (1 + b)
1 (+|plus|added to|added with|add|together with|in addition to|increased by|raised by|with an increase of) @2 => plus
1 [goes] up by @2 => plus
1 (more than|greater than|on top of) @2 => swapped plus
1 (-|minus|take away|takeaway|take|subtract|without|decreased by|reduced by|lowered by|[goes] down by) @2 => minus
1 less @2 => unbroken minus
1 ((subtracted|taken|taken away|deducted|removed) from|less than|fewer than) @2 => swapped minus
1 from @2 => from
1 up @2 => percent plus
1 down @2 => percent minus
2 (*|x|times|time|multiplied by|multiplied with|multiply by|multiply with|multiply|multiplied|lots of|parts of) @3 => a * b
2 times as (much|many|big) as @3 => a * b
2.5 / @3.5 => slash
2 ((divide|divided|split) [by|in|between|on|through]|over|upon|out of|through) @2.5 => a / b
2 divided into @3 => divideInto
2 (split into|cut (in|into)) @3 => a / b
2 into @n parts => a / b
2 (goes|go|fits|fit) (into|in) @3 => b / a
2 into @3 => into
2 (mod|modulo|modulus|divisible by) @3 => a % b
2 (of|on|EXTRA (on|for|of)) @2 => partOf
2 (off|off of|(discount|less) (on|off|from|for)) @2 => off
1 DISCOUNT => onward percent minus
4 (^|* *|TO power [of]|raised TO [power] [of]|power|exponent|to_the) @3 => a ^ b
4 (to_the|to|raised to|raised to_the) (@th|@th power) => a ^ b
4 (squared|square) => a ^ 2
4 (cubed|cube) => a ^ 3
5 (factorial|!) => a!
5 percent => percentage
5 doubled => a * 2
5 tripled => a * 3
5 quadrupled => a * 4
5 halved => a / 2
0 (in total|altogether) => same
0 (as|in|into|to) percent => a * 100
0 (as|in|into|to) decimal => decimal
0 BE MUCH percent of @0 => a / b * 100
0 BE @n of (what|which) => percent a / b
${roundings("0 ((rounded|round) HOW END|END rounded HOW)")}
0 TO @n (decimal [places]|places) => places round(a, b)`;

export interface RuleNode {
  readonly words: Map<string, RuleNode>;
  readonly slots: Map<string, RuleNode>;
  level: number;
  make?: Make;
}

interface Rule {
  readonly level: number;
  readonly parts: readonly string[];
  readonly maker: string;
}

function readRules(rows: string): readonly Rule[] {
  return rows
    .trim()
    .split("\n")
    .map((row) => {
      const [, own = "0", short = "", maker = ""] = /^(?:([\d.]+) )?(.*) => (.*)$/.exec(row) ?? [];
      const pattern = short.replace(/[A-Z]+/g, (name) => groups[name] ?? name);
      return { level: Number(own), parts: pattern.match(/[()[\]|]|[^\s()[\]|]+/g) ?? [], maker };
    });
}

const rules = { starting: readRules(startingRules), continuing: readRules(continuingRules) };

export const vocabulary: ReadonlySet<string> = new Set([
  "negative",
  ...[...rules.starting, ...rules.continuing].flatMap(({ parts }) => parts.filter((part) => !/^[()[\]|]$/.test(part))),
]);

export const startingTree = once(() => compile(rules.starting));
export const continuingTree = once(() => compile(rules.continuing));

/** Builds a tree, so that a word is read once for all rules. If patterns are equal, the first wins. */
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
