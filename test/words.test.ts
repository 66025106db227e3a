import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Words that this project once had for itself, or that are not standard English, and what to write instead. */
const words: readonly { readonly word: RegExp; readonly instead: string }[] = [
  { word: /\b[Ll]egs?\b/g, instead: "execution" },
  { word: /\b[Cc]onduct(?:s|ed|ing|or)?\b/g, instead: "execute, run, runtime" },
  { word: /\banew\b/g, instead: "again" },
  { word: /\bunbegun\b/g, instead: "not started" },
  { word: /\b[Tt]ellers?\b/g, instead: "reporter" },
  { word: /\bgo(?:es|ing)? on\b/g, instead: "continue, resume" },
  { word: /\b[Oo]utside work\b/g, instead: "pending work" },
  { word: /\bparts(?:Of|At)\b|\bdescribePlace\b/g, instead: "step ref, instance" },
  { word: /\b(?:the|a|its|no) claims?\b/g, instead: "lease" },
  { word: /\b[Cc]an not\b/g, instead: "cannot" },
  {
    word: /\b(?:plan|plans|steps?) (?:that )?(?:does not|do not|holds?|held)\b(?= *[.,;:)"'`]| *$)/gm,
    instead: "is valid",
  },
  { word: /(?<!\b[Tt]here )\bis no (?!longer|more|less|larger|reason|way\b)/g, instead: "is not a" },
];

/** What users type, in any English. */
const isUtterances = (path: string) => /phrases|english|refusals/.test(path);

const places = ["src", "docs", "examples", "skills", "README.md", "AGENTS.md", "CHANGELOG.md", "llms.txt"];

const texts = places.flatMap((place) =>
  /\.(?:md|txt)$/.test(place)
    ? [place]
    : readdirSync(place, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:ts|mts|mjs|md)$/.test(name))
        .map((name) => join(place, name)),
);

it.each(words)("no text contains $word", ({ word, instead }) => {
  const found = texts
    .filter((path) => !isUtterances(path))
    .flatMap((path) => {
      const lines = readFileSync(path, "utf8").split("\n");
      return lines.flatMap((line, index) => (line.match(word) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
    });
  expect(found, `write: ${instead}`).toEqual([]);
});

it("no doc comment begins with a noun clause: each says what is so", () => {
  const nounClause = /\/\*\*\s+(?:\* )?(?:What|Whether|How|Why|Where|When|Which|Who|Of|Set)\b.*/g;
  const found = texts.filter((path) => path.startsWith("src"));
  expect(found.flatMap((path) => readFileSync(path, "utf8").match(nounClause) ?? [])).toEqual([]);
});

/** Private declarations and members: the count may only fall. */
const maxRiddles = 40;

it("few comments begin with a noun and what it is of", () => {
  const riddle = /\/\*\* The \w+ (?:that|of|at|in|by|with|which)\b(?:(?!\*\/)[\s\S])*\*\/\s*(?!export\b)\S/g;
  const found = texts.filter((path) => path.startsWith("src"));
  const count = found.flatMap((path) => readFileSync(path, "utf8").match(riddle) ?? []).length;
  expect(count).toBeLessThanOrEqual(maxRiddles);
});
