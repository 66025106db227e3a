import fc from "fast-check";

const words = ["a", "b", "s1", "item", "x", "y", "size", "map", "_n", "constructor"];
const oddWords = ["__proto__", "if", "in"];
const values = [
  ..."1 0 7 2.5 007 0x1F 1e3 1.5e-3 true false null 't' ''".split(" "),
  ...['"a b"', '"\\n\\x41\\u00e9\\101\\U0001F600"', "r'\\d'", '"""a"b"""', "'''\n'''"],
];
const oddValues = [
  ..."0x 1e 1e+ 1e400 1.2345678901234568e20 9007199254740993 12345678901234567890.0 5u 0xFFu `a` ${a.b}".split(" "),
  ...['"\\ud800"', '"\\q"', '"""', "'", '"\n"', "b'x'", 'B""', "'\\400'", "'\\08'", "'\\U00110000'"],
];
const operators = [..."|| && == != < <= > >= + - * / %".split(" "), " in "];
const oddOperators = "= === & | . ?".split(" ");
const macros = "all exists exists_one filter map".split(" ");
const methods = "size contains startsWith trim matches bind foo".split(" ");
const functions = "has size int double string dyn".split(" ");
const oddFunctions = "type foo not if".split(" ");

const space = fc.constantFrom("", "", "", "", " ", " ", "\n", "\t ", " // note\n");
const word = mostly(words, oddWords);

function mostly(usual: readonly string[], odd: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

function joined(...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> {
  const arbitraries = parts.flatMap((part) => [typeof part === "string" ? fc.constant(part) : part, space]);
  return fc.tuple(...arbitraries).map((texts) => texts.join(""));
}

const { expression } = fc.letrec<{ expression: string; list: string; one: string }>((tie) => ({
  list: fc.array(tie("expression"), { maxLength: 3 }).map((items) => items.join(", ")),
  one: fc.oneof({ weight: 9, arbitrary: tie("expression") }, { weight: 1, arbitrary: tie("list") }),
  expression: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 4, arbitrary: word },
    { weight: 3, arbitrary: mostly(values, oddValues) },
    { weight: 4, arbitrary: joined(tie("expression"), mostly(operators, oddOperators), tie("expression")) },
    { weight: 2, arbitrary: joined(fc.constantFrom("!", "-", "!!", "- -"), tie("expression")) },
    { weight: 2, arbitrary: joined(tie("expression"), "?", tie("expression"), ":", tie("expression")) },
    { weight: 3, arbitrary: joined("(", tie("expression"), ")") },
    { weight: 3, arbitrary: joined(tie("expression"), ".", word) },
    { weight: 2, arbitrary: joined(tie("expression"), "[", tie("expression"), "]") },
    { weight: 2, arbitrary: joined("[", tie("list"), fc.constantFrom("", ","), "]") },
    {
      weight: 2,
      arbitrary: joined("{", mostly(["'k'", "k"], ["1"]), ":", tie("expression"), fc.constantFrom("", ","), "}"),
    },
    { weight: 3, arbitrary: joined(mostly(functions, oddFunctions), "(", tie("one"), ")") },
    { weight: 1, arbitrary: joined("has(", tie("expression"), ".", word, ")") },
    { weight: 1, arbitrary: joined(tie("expression"), ".", fc.constantFrom(...methods), "(", tie("list"), ")") },
    { weight: 1, arbitrary: joined(tie("expression"), fc.constantFrom(".trim()", " .size( )", ".lowerAscii()")) },
    {
      weight: 3,
      arbitrary: joined(
        joined(tie("expression"), ".", fc.constantFrom(...macros), "("),
        joined(mostly(["x", "y", "a", "(x)"], ["1", "a.b"]), ",", tie("one"), ")"),
      ),
    },
  ),
}));

const odd = fc.constantFrom(
  ..."()[]{}.,?:!-+*/%<>=&|\"'\\ \n0129azurbRB_é😀`@#$",
  "&&",
  "//",
  " in ",
  ".map(x, x)",
  " not ",
);
const change = fc.tuple(fc.nat({ max: 200 }), fc.nat({ max: 3 }), odd);
const changed = fc.tuple(expression, fc.array(change, { minLength: 1, maxLength: 3 })).map(([start, changes]) =>
  changes.reduce((text, [at, count, put]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + put + text.slice(from + count);
  }, start),
);

const pieces = [words, oddWords, values, oddValues, operators, oddOperators, [..."()[]{}.,:?!-"]].flat();
const mixed = fc
  .array(fc.tuple(fc.constantFrom(...pieces), space), { maxLength: 12 })
  .map((parts) => parts.flat().join(""));

/** Around the limits of levels and of operators, names and values. */
const deep = fc
  .tuple(
    fc.constantFrom("(", "[", "a[", "-", "!", "size(", "a.b", "1+", "true?1:", "{'a':", "1,", "a.all(x,"),
    fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 240, max: 510 })),
    expression,
    fc.constantFrom("", ")", "]", "}"),
  )
  .map(([part, count, end, close]) => part.repeat(count) + end + close.repeat(count));

/** Around the limits of lists, calls and maps. */
const wide = fc
  .tuple(
    fc.constantFrom(["[", "1,", "", "]"], ["size(", "1,", "", ")"], ["{", "'a':1,", "'b':", "}"]),
    fc.oneof(fc.integer({ min: 5, max: 9 }), fc.integer({ min: 197, max: 202 })),
    expression,
  )
  .map(([[open, item = "", key, close], count, last]) => open + item.repeat(count) + key + last + close);

/** Text of expressions that are well-formed, nearly so, or not at all. */
export const celText: fc.Arbitrary<string> = fc.oneof(
  { weight: 14, arbitrary: expression },
  { weight: 4, arbitrary: changed },
  { weight: 2, arbitrary: mixed },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: wide },
);
