import type { PlanRequest } from "../core/planner.ts";
import {
  abbreviations,
  itemWords,
  recurringTimes,
  scopeWords,
  thinkingVerbs,
  wishVerbs,
} from "../english/sentences.ts";

/** How complex a request is. @inline */
export type RequestComplexity = "simple" | "moderate" | "complex";

/**
 * Estimates how complex a request is, from its words alone: `simple` is one clause. `complex` has a condition, a loop,
 * more than three clauses, more than two tools, refers back more than once, or speaks of the size of its subject without
 * a single thing to do ("analyze the workflow"). Quoted text does not count. It knows
 * English; in other languages, several sentences count as several clauses. Linear in the length of the request; one of
 * more than 200 000 characters is `complex`.
 */
export function estimateComplexity({ request, tools }: Pick<PlanRequest, "request" | "tools">): RequestComplexity {
  if (request.length > maxLength) return "complex";
  const text = request.toLowerCase().replace(quoted, '""').replace(listMark, "");
  const clauses = text.split(clauseEnd).filter((clause) => /[\p{L}\p{N}]/u.test(clause)).length;
  // What the first words refer to is not in the request.
  const rest = text.slice(firstPart.exec(text)?.index ?? text.length);
  const references = rest.match(backReference)?.length ?? 0;
  const words = new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);
  const named = tools.filter(({ name }) => wordsOfName(name).some((word) => words.has(word))).length;
  if (branch.test(text) || isAbstract(text, words) || clauses > 3 || references > 1 || named > 2) return "complex";
  return clauses > 1 || references > 0 || named > 1 ? "moderate" : "simple";
}

const maxLength = 200_000;
const quoted = /"[^"]*"|“[^“”]*”|„[^„“”]*[“”]/g;
/** As of "1. milk" or "- milk". */
const listMark = /^[ \t]*(?:\d+[.)]|[-*•])[ \t]+/gm;
const abbreviated = [...abbreviations, "a.m", "p.m"].join("|").replaceAll(".", "\\.");
const abbreviation = String.raw`(?<!\b(?:${abbreviated}))`;
/** In "milk, eggs, bread to my list" no comma starts a clause. */
const someWords = String.raw`(?=\p{L}{3,} (?!(?:${itemWords})\b)\p{L})`;
const separators = [
  String.raw`[;\n。！？]`,
  String.raw`${abbreviation}[.!?](?=\s|$)`,
  String.raw`,? (?:and )?then\b`,
  ",? after that\\b",
  `, (?:and )?(?:also )?${someWords}`,
  String.raw` and (?:also )?(?=(?:${wishVerbs}) (?!(?:${itemWords})\b))`,
];
const clauseEnd = new RegExp(separators.join("|"), "u");
const firstPart = new RegExp(`${separators.join("|")}|,| and `, "u");
const backReference = /\b(?:it|that|this|them|those|the (?:result|answer|total|sum|first|last|same))\b/g;
const branch = new RegExp(
  String.raw`\b(?:if|unless|otherwise|or else|each(?! other\b)|every(?! (?:other |\d+ )?(?:${recurringTimes})s?\b)|(?<!\bdue )until|while|whenever)\b`,
);

/** Whether a request says how large its subject is, or to think about it, and not what is to be done. */
function isAbstract(text: string, words: ReadonlySet<string>): boolean {
  if (concrete.test(text)) return false;
  if (manySteps.test(text)) return true;
  const [first = ""] = words;
  let scope = 0;
  for (const word of words) if (scopeWords.has(word)) scope++;
  return thinkingVerbs.has(first) ? scope > 0 : scope > 1;
}

const concrete = new RegExp(String.raw`^(?:please |(?:can|could|would|will) you )*(?:${wishVerbs})\b`);
const manySteps =
  /\b(?:multi|several|many|multiple)[- ](?:step|stage|phase|part)s?\b|\b(?:step by step|end[- ]to[- ]end|in depth)\b/;

/** The significant words of a tool's name: `CityWeather` is city and weather. */
function wordsOfName(name: string): readonly string[] {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return words.filter((word) => word.length > 2);
}
