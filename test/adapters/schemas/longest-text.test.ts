import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { longestTextFor } from "../../../src/adapters/schemas/longest-text.ts";

it.each([
  // Names, slugs, domains, dates, versions, addresses, as people write them.
  "^[a-z0-9]+(-[a-z0-9]+)*$",
  String.raw`^[a-z]+(\.[a-z]+)*$`,
  "^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$",
  "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  String.raw`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$`,
  "^([0-9a-f]{2})+$",
  "^(?:[0-9a-zA-Z+/]{4})*(?:[0-9a-zA-Z+/]{2}==|[0-9a-zA-Z+/]{3}=)?$",
  String.raw`^(?=.*\d)(?=.*[a-z]).{8,}$`,
  String.raw`^(?:.*\.)?x$|^\u{1F600}\uD83D\uDE00\cA\x41[\]\\-]$`,
  String.raw`^\p{L}[\p{L}\p{M}' -]*$`,
  String.raw`\.(jpe?g|png)$`,
  "^(a?)*$",
  "^(?<year>\\d{4})-(\\d\\d?)$",
  "",
])("a pattern that reads each text in one way is quick for all: %s", (pattern) => {
  expect(longestTextFor(pattern)).toBe(Infinity);
});

it.each([
  [String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, 5_000],
  [String.raw`\s+$`, 5_000],
  ["^.*.*$", 5_000],
  ["^.*.*.*$", 300],
  ["^(25[0-5]|2[0-4]\\d|[01]?\\d\\d?)(\\.(25[0-5]|2[0-4]\\d|[01]?\\d\\d?)){3}$", 5_000],
  ["^a(?=b*b*c)b*$", 80],
])("pairs in a row shorten it: %s", (pattern, count) => {
  expect(longestTextFor(pattern)).toBe(count);
});

it.each([
  String.raw`^(\w+\s?)*$`,
  "^(a|a)*$",
  "^(a|aa)+$",
  "(x+x+)+y",
  "^(a?){30}a{30}$",
  `^${"a?".repeat(25)}${"a".repeat(25)}$`,
  `^${"(?:a|a)".repeat(30)}b$`,
  "^(a*)*$",
  "^(.*a){20}$",
  "(a|b|ab)*c",
  "^(?:a|[^b])*$",
  String.raw`^(\p{L}|\p{Lu})*$`,
  String.raw`^(\u00e9|[à-ü])*$`,
  String.raw`^(?:\p{Script=Thai}|[\u0e01-\u0e20])*$`,
  "^.*.*.*.*.*$",
  "^(?!(a+)+$)b",
  "^a*b(?=c*c*c*d)a*a*e",
  "^(a|a|a|a|a|a|a|a)*b",
  "^(?:(?:a?){30}){30}b$",
  "^(?:|||){30}b$",
  String.raw`^(?:(?:[ ]?|-?)\d)+$`,
  "^(?:(?:|)a)*b",
  "^(?:(?:b*|c*)a)*d$",
  "^(?:x(?:a?|b?)y)*c",
  `^${"(?:|)".repeat(40)}b$`,
  // Not followed.
  String.raw`(\d+)\1`,
  "^(?i:a)$",
  "a".repeat(2_001),
  `^${"(".repeat(200)}a${"){8}".repeat(200)}`,
])("a pattern that may take long is quick for short texts or none: %s", (pattern) => {
  expect(longestTextFor(pattern)).toBeLessThan(20);
});

const repeat = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i)).join("");
const letter = (index: number) => String.fromCodePoint(0x4e00 + 3 * index);

it.each([
  ["what can be left out", `^${repeat(900, () => "x*")}$`],
  ["loops around loops", `^${"(".repeat(400)}${repeat(300, () => "x*")}${")*".repeat(400)}$`],
  ["classes", `^${repeat(150, (index) => `[^${letter(index)}]?`)}$`],
  ["letters", `^${repeat(900, (index) => `${letter(index)}?`)}$`],
  ["counts", `^(?:(?:(?:a${"^".repeat(1_900)}){8}){8}){8}$`],
])("a pattern with many %s is soon refused", (_what, pattern) => {
  // The time limit is patience only: it took minutes without bounds.
  expect(runInNewContext("longestTextFor(pattern)", { longestTextFor, pattern }, { timeout: 10_000 })).toBe(0);
});

it("random patterns that are taken are quick for texts that have many ways", () => {
  let seed = 7;
  const below = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  const pick = (...of: readonly string[]) => of[below(of.length)] as string;
  const write = (depth: number): string => {
    const part = depth > 0 && below(2) === 0 ? `(?:${write(depth - 1)})` : pick("a", "b", "[ab]", ".", "[^a]", "aa");
    const term = `${part}${pick("", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?")}`;
    return below(3) === 0
      ? term
      : `${term}${pick("", "", "|")}${write(depth - 1 < 0 ? 0 : depth - (below(2) as number))}`;
  };
  const texts = ["a", "b", "ab", "aab"].map((pump) => pump.repeat(30).slice(0, 60));
  let taken = 0;
  for (let times = 0; times < 400; times += 1) {
    const pattern = `^${write(2)}c$`;
    const longest = longestTextFor(pattern);
    if (longest === 0) continue;
    taken += 1;
    const run = "for (const text of texts) expression.test(text.slice(0, longest))";
    runInNewContext(run, { texts, longest, expression: new RegExp(pattern, "u") }, { timeout: 10_000 });
  }
  expect(taken).toBeGreaterThan(40);
});
