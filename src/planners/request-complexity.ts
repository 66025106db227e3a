import type { PlanRequest } from "../core/planner.ts";
import { wishVerbs } from "../english/clauses.ts";
import { wordSet } from "../english/word-set.ts";
import { cutWishes } from "./rules/cut-wishes.ts";

/** Complexity of a request. @inline */
export type RequestComplexity = "simple" | "moderate" | "complex";

/**
 * A `simple` request is one wish that names at most one tool. A `complex` one has a condition, a loop, more than three
 * wishes, at least two references back or more than 200 000 UTF-16 code units, names more than two tools, or is
 * abstract ("analyze the workflow"). All others are `moderate`. In other languages, sentences count as wishes.
 */
export function estimateComplexity({ request, tools }: Pick<PlanRequest, "request" | "tools">): RequestComplexity {
  if (request.length > maxLength) return "complex";
  const text = plain(request);
  const wishes = cutWishes(request).filter((wish) => /[\p{L}\p{N}]/u.test(plain(wish.text)));
  // The first wish has nothing to refer back to.
  const references = plain(request.slice(wishes[1]?.start ?? request.length)).match(backReference)?.length ?? 0;
  const words = new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);
  const named = tools.filter(({ name }) => wordsOfName(name).some((word) => words.has(word))).length;
  if (branch.test(text) || isAbstract(text, words) || wishes.length > 3 || references > 1 || named > 2)
    return "complex";
  return wishes.length > 1 || references > 0 || named > 1 ? "moderate" : "simple";
}

const recurringTimes =
  "day|week|month|year|morning|evening|night|hour|minute|(?:mon|tues|wednes|thurs|fri|satur|sun)day";

const thinkingVerbs = wordSet(
  "analyze analyse assess audit compare contrast coordinate design develop diagnose elaborate evaluate examine explore " +
    "forecast formulate integrate investigate model optimize optimise orchestrate organize organise plan prioritize prioritise " +
    "propose research restructure review strategize streamline study summarize summarise synthesize transform",
);

const scopeWords = wordSet(
  "approach architecture campaign complex comprehensive detailed holistic implementation implications infrastructure initiative methodology " +
    "migration pipeline pipelines process processes roadmap scenario scenarios strategic strategies strategy sophisticated systematic " +
    "thorough tradeoffs trends workflow workflows",
);

const maxLength = 200_000;
const quoted = /"[^"]*"|“[^“”]*”|„[^„“”]*[“”]/g;

function plain(text: string): string {
  return text.toLowerCase().replace(quoted, '""');
}

const backReference = /\b(?:it|that|this|them|those|the (?:result|answer|total|sum|first|last|same))\b/g;
const branch = new RegExp(
  String.raw`\b(?:if|unless|otherwise|or else|each(?! other\b)|every(?! (?:other |\d+ )?(?:${recurringTimes})s?\b)|(?<!\bdue )until|while|whenever)\b`,
);

function isAbstract(text: string, words: ReadonlySet<string>): boolean {
  if (concrete.test(text)) return false;
  if (manySteps.test(text)) return true;
  const [first = ""] = words;
  let scope = 0;
  for (const word of words) if (scopeWords.has(word)) scope++;
  return thinkingVerbs.has(first) ? scope > 0 : scope > 1;
}

const concrete = new RegExp(String.raw`^(?:please |(?:can|could|would|will) you )*(?:${[...wishVerbs].join("|")})\b`);
const manySteps =
  /\b(?:multi|several|many|multiple)[- ](?:step|stage|phase|part)s?\b|\b(?:step by step|end[- ]to[- ]end|in depth)\b/;

function wordsOfName(name: string): readonly string[] {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return words.filter((word) => word.length > 2);
}
