import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { countOutside } from "../outside-work.ts";
import type { CelIssue, CelParseResult } from "./node.ts";
import { describeSyntax } from "./syntax-hint.ts";
import { Translation, UnsupportedCel } from "./translate.ts";

/** The longest expression, in characters. */
export const maxCelLength = 2_000;

/** The parser's limits. A conditional, a call and a bracket are one level each. */
const limits = { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 };

let environment: Environment | undefined;

/** Loads the library, which only plans with expressions need. Until then {@link parseCel} cannot be called. */
export async function loadCelParser(): Promise<void> {
  if (environment !== undefined) return;
  const library = await countOutside(import("@marcbachmann/cel-js"));
  // We check names ourselves, and lists may contain anything: only the syntax is left to the library.
  environment ??= new library.Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    limits,
  });
}

/** Parses an expression, or returns why it is invalid. Never throws for a text. */
export function parseCel(text: string): CelParseResult {
  if (environment === undefined) throw new Error("The parser is not loaded.");
  if (text.length > maxCelLength) {
    return refuse({ message: `it has ${text.length} characters; at most ${maxCelLength} are allowed`, position: 0 });
  }
  if (text.trim() === "") return refuse({ message: "it is empty", position: 0 });
  try {
    return translate(text, environment.parse(text).ast);
  } catch (thrown) {
    return refuse(describeFailure(thrown, text));
  }
}

function translate(text: string, ast: ASTNode): CelParseResult {
  const translation = new Translation();
  const root = translation.translate(ast);
  return { ok: true, expression: { text, root, names: translation.names } };
}

function refuse(issue: CelIssue): CelParseResult {
  return { ok: false, issue };
}

/** The fields of the library's errors, read without its classes. */
interface Thrown {
  readonly code?: unknown;
  readonly summary?: unknown;
  readonly range?: { readonly start: number };
}

function describeFailure(thrown: unknown, text: string): CelIssue {
  if (thrown instanceof UnsupportedCel) return { message: thrown.message, position: thrown.position };
  const { code, summary, range } = (thrown ?? {}) as Thrown;
  // Anything else would be a bug in the parser; the only conceivable cause is a stack that was already deep.
  if (typeof summary !== "string") return { message: "it is nested too deeply", position: 0 };
  const position = Math.min(range?.start ?? 0, text.length);
  if (code === "limit_exceeded") return { message: describeLimit(summary), position };
  if (code === "reserved_identifier") return { message: describeReserved(summary), position };
  return { message: describeSyntax(text, { code: String(code), summary, position }), position };
}

const tooLarge: Readonly<Record<string, string>> = {
  maxAstNodes: `more than ${limits.maxAstNodes} operators, names and values`,
  maxDepth: `more than ${limits.maxDepth} levels`,
  maxListElements: `a list of more than ${limits.maxListElements} items`,
  maxMapEntries: `a map of more than ${limits.maxMapEntries} entries`,
  maxCallArguments: `a call with more than ${limits.maxCallArguments} arguments`,
};

function describeLimit(summary: string): string {
  const name = /max\w+/.exec(summary)?.[0] ?? "";
  return `it has ${tooLarge[name] ?? "too much"}`;
}

function describeReserved(summary: string): string {
  const word = summary.replace("Reserved identifier: ", "");
  return `${word} is a reserved word of CEL: a step of this id cannot be named in an expression`;
}
