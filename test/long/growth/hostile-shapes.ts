/** A text of about so many characters. */
export type Shape = (size: number) => string;

const repeated =
  (piece: string, { before = "", after = "" } = {}): Shape =>
  (size) =>
    before + piece.repeat(Math.max(1, Math.floor(size / piece.length))) + after;

/** What makes readers go back, nest, or look ahead: each for another kind of reader. */
export const textShapes: Readonly<Record<string, Shape>> = {
  letters: repeated("a"),
  words: repeated("add milk "),
  "a word of hyphens": repeated("a-", { before: "show my ", after: "/ list" }),
  clauses: repeated("add milk and then ", { after: "show my list" }),
  "lists of items": repeated("milk, eggs and ", { before: "add ", after: "bread" }),
  digits: repeated("9"),
  "number words": repeated("one hundred thousand and ", { before: "calculate " }),
  "numbers with signs": repeated("1,000.5 + ", { before: "calculate ", after: "1" }),
  parentheses: (size) => `${"(".repeat(size / 2)}1${")".repeat(size / 2)}`,
  "brackets never closed": repeated("["),
  "objects never closed": repeated('{"a":'),
  "steps never closed": repeated('"a\n', { before: '{"steps":[' }),
  "quotes in quotes": repeated("'.", { before: '{"steps":[', after: "]" }),
  quotes: repeated('"'),
  "a quoted text": repeated("milk ", { before: 'add "', after: '" to my list' }),
  backslashes: repeated("\\"),
  "templates never closed": repeated('${a["'),
  templates: repeated("${s1.value}"),
  dollars: repeated("$"),
  "spaces before the end": repeated(" ", { before: "a", after: "b" }),
  "line breaks": repeated("\n\t", { before: "- milk", after: "x" }),
  "two signs far apart": repeated("token limit "),
  "signs of thinking": repeated("<think>a</thinking><"),
  fences: repeated("```\n"),
  calls: repeated('Open(title="a")\n'),
  "calls never closed": repeated("Open("),
  "calls among words": repeated("a b(c"),
  "elements never closed": repeated('<invoke name="Open">'),
  elements: repeated('<invoke name="Open"><parameter name="a">b</parameter></invoke>'),
  "objects behind names": repeated('Open {"a":"b"}\n'),
  labels: repeated("#E1 "),
  slashes: repeated("/", { before: "http://localhost:1", after: "x" }),
  "combining marks": repeated("e\u0301\u200d\u{1F468}"),
  "half surrogates": repeated("\ud800"),
  "letters without spaces": repeated("買牛奶"),
  "possessives and apostrophes": repeated("don't's "),
  percentages: repeated("5 % of "),
};
