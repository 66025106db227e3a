import type { PlanRequest } from "../core/planner.ts";

/** How much there is to a request. */
export type RequestComplexity = "simple" | "moderate" | "complex";

/**
 * Estimates how complex a request is, by its words alone: `simple` is one clause, `complex` has a condition, a loop, more
 * than three clauses, more than two tools, or refers back more than once. It knows English; in other languages what has
 * several sentences counts as several clauses. Linear in the length of the request.
 */
export function estimateComplexity({ request, tools }: Pick<PlanRequest, "request" | "tools">): RequestComplexity {
  const text = request.toLowerCase();
  const clauses = text.split(clauseEnd).filter((clause) => /[\p{L}\p{N}]/u.test(clause)).length;
  const references = text.match(backReference)?.length ?? 0;
  const words = new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);
  const named = tools.filter(({ name }) => wordsOfName(name).some((word) => words.has(word))).length;
  if (branch.test(text) || clauses > 3 || references > 1 || named > 2) return "complex";
  return clauses > 1 || references > 0 || named > 1 ? "moderate" : "simple";
}

const clauseEnd =
  /[;\n]|[.!?](?=\s|$)|,? (?:and )?then\b|,? after that\b|, (?:and )?(?=[a-z]{3})| and (?=(?:show|list|add|tell|give|mark|delete|remove|send|create|calculate|put|then|also|find)\b)/;
const backReference = /\b(?:it|that|this|them|those|the (?:result|answer|total|sum|first|last|same))\b/g;
const branch = /\b(?:if|unless|otherwise|else|for each|for every|each of|every one of|until|while|whenever)\b/;

/** The words of a tool's name that say something: `CityWeather` is city and weather. */
function wordsOfName(name: string): readonly string[] {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return words.filter((word) => word.length > 2);
}
