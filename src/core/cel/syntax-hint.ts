import { cutText } from "../cut-text.ts";

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
