import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { countPending } from "../../async/promises.ts";
import { cutText } from "../../core/text.ts";
import type { CelIssue, CelParseResult } from "./node.ts";
import { Translation, UnsupportedCel } from "./translate.ts";

/** The longest expression, in characters. */
export const maxCelLength = 2_000;

/** The parser's limits. A conditional, a call and a bracket are one level each. */
const limits = { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 };

let environment: Environment | undefined;

/** Loads the library, which only plans with expressions need. Until then {@link parseCel} cannot be called. */
export async function loadCelParser(): Promise<void> {
  if (environment !== undefined) return;
  const library = await countPending(import("@marcbachmann/cel-js"));
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

/** The parser's error for a text that is not an expression. */
export interface SyntaxFailure {
  readonly code: string;
  readonly summary: string;
  readonly position: number;
}

/**
 * Describes what is wrong with the syntax of a text: names the CEL form of what is common in other languages, and never
 * the parser's tokens.
 */
export function describeSyntax(text: string, { code, summary, position }: SyntaxFailure): string {
  if (summary.endsWith("EOF")) return "it ends too early";
  const hint = hintAt(text.slice(0, position), text.slice(position));
  if (hint !== undefined) return hint;
  const [line = ""] = summary.split("\n");
  if (code === "unexpected_character" || code === "unexpected_token") return `unexpected ${wordOf(text, position)}`;
  const wanted = /^Expected (\w+)/.exec(line)?.[1] ?? "";
  if (code === "expected_token") return `unexpected ${wordOf(text, position)}${expectations[wanted] ?? ""}`;
  return line.charAt(0).toLowerCase() + line.slice(1);
}

/** What is needed where something else was found, by token. */
const expectations: Readonly<Record<string, string>> = {
  IDENTIFIER: ', where a name is needed; a key that is not a name goes in brackets: a[0], a["any key"]',
  COLON: ", where : is needed",
  RPAREN: ", where , or ) is needed",
  RBRACKET: ", where , or ] is needed",
  RBRACE: ", where , or } is needed",
};

interface Hint {
  /** Matches the text before the place where the parser stopped. */
  readonly before?: RegExp;
  /** Matches the text at that place. */
  readonly at?: RegExp;
  readonly write: string;
}

/** The first match counts. */
const hints: readonly Hint[] = [
  { at: /^=>/, write: 'there are no arrow functions; write .filter(t, t == "x")' },
  { before: /-$/, at: /^>/, write: 'there are no arrow functions; write .filter(t, t == "x")' },
  { before: /==$/, at: /^=/, write: "write == for ===" },
  { before: /!=$/, at: /^=/, write: "write != for !==" },
  { at: /^=/, write: "= compares nothing; write ==" },
  { before: /<$/, at: /^>/, write: "write != for <>" },
  { at: /^and\b/i, write: "write && for and" },
  { at: /^or\b/i, write: "write || for or" },
  { at: /^not\s+in\b/i, write: "write !(a in b) for a not in b" },
  { before: /\bnot\s+$/i, write: "write ! for not" },
  { at: /^is\s+not\b/i, write: "write != for is not" },
  { at: /^is\b/i, write: "write == for is" },
  { at: /^&(?!&)/, write: "write && for &" },
  { at: /^\|(?!\|)/, write: "write || for |" },
  { before: /\?$/, at: /^\?/, write: "write has(l.n) ? l.n : 0 for l.n ?? 0" },
  { before: /\?$/, at: /^\./, write: "write has(l.n) && … for l?.n" },
  { before: /\.$/, at: /^\?/, write: "write has(l.n) && … for l.?n" },
  { before: /(?:^|[^\w.])\d+\.$/, at: /^\./, write: "there are no ranges; write the list, as in [1, 2, 3]" },
  { at: /^`/, write: 'text stands in quotes; write "…"' },
  { at: /^;/, write: "an expression is one value, without ;" },
];

function hintAt(before: string, at: string): string | undefined {
  if (at.startsWith("${")) return describeReference(at);
  return hints.find((hint) => (hint.before?.test(before) ?? true) && (hint.at?.test(at) ?? true))?.write;
}

function describeReference(at: string): string {
  const written = /^\$\{([\w.[\]]{1,60})\}/.exec(at)?.[1] ?? "a.name";
  return `\${…} belongs in inputs; here write ${written}`;
}

/** The text at a place: a word, a number, a quoted text or a sign. */
function wordOf(text: string, position: number): string {
  const [word = ""] = /^(?:\w(?:[\w.]*\w)?|"[^"\n]*"|'[^'\n]*'|\P{Surrogate})/u.exec(text.slice(position)) ?? [];
  return cutText(word, 41);
}
