import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { exactNumber } from "../../core/json.ts";
import { cutText } from "../../core/text.ts";
import {
  type CelFreeName,
  type CelFunctionName,
  type CelIssue,
  type CelMacroName,
  type CelMethodName,
  type CelNode,
  type CelParseResult,
  celFunctions,
  celMacros,
  celMethods,
} from "./node.ts";

export const maxCelLength = 2_000;

/** A conditional, a call and a bracket are one level each. */
const limits = { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 };

// We check names ourselves, and lists may contain anything: only the syntax is left to the library.
const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits });

/** Never throws for a text. */
export function parseCel(text: string): CelParseResult {
  if (text.length > maxCelLength) {
    const message = `it has ${text.length} characters; at most ${maxCelLength} are allowed`;
    return { ok: false, issue: { message, position: 0 } };
  }
  if (text.trim() === "") return { ok: false, issue: { message: "it is empty", position: 0 } };
  try {
    const translation = new Translation();
    const root = translation.translate(environment.parse(text).ast);
    return { ok: true, expression: { text, root, names: translation.names } };
  } catch (thrown) {
    return { ok: false, issue: describeFailure(thrown, text) };
  }
}

function describeFailure(thrown: unknown, text: string): CelIssue {
  if (thrown instanceof UnsupportedCel) return { message: thrown.message, position: thrown.position };
  // The fields of the library's errors, read without its classes.
  const { code, summary, range } = (thrown ?? {}) as { code?: unknown; summary?: unknown; range?: { start: number } };
  // Anything else would be a bug in the parser; the only conceivable cause is a stack that was already deep.
  if (typeof summary !== "string") return { message: "it is nested too deeply", position: 0 };
  const position = Math.min(range?.start ?? 0, text.length);
  if (code === "limit_exceeded") {
    return { message: `it has ${tooLarge[/max\w+/.exec(summary)?.[0] ?? ""] ?? "too much"}`, position };
  }
  if (code === "reserved_identifier") {
    const word = summary.replace("Reserved identifier: ", "");
    return {
      message: `${word} is a reserved word of CEL: a step of this id cannot be named in an expression`,
      position,
    };
  }
  return { message: describeSyntax(text, { code: String(code), summary, position }), position };
}

const tooLarge: Readonly<Record<string, string>> = {
  maxAstNodes: `more than ${limits.maxAstNodes} operators, names and values`,
  maxDepth: `more than ${limits.maxDepth} levels`,
  maxListElements: `a list of more than ${limits.maxListElements} items`,
  maxMapEntries: `a map of more than ${limits.maxMapEntries} entries`,
  maxCallArguments: `a call with more than ${limits.maxCallArguments} arguments`,
};

/** Names the CEL form of what is common in other languages, and never the tokens of the parser. */
function describeSyntax(
  text: string,
  { code, summary, position }: { readonly code: string; readonly summary: string; readonly position: number },
): string {
  if (summary.endsWith("EOF")) return "it ends too early";
  const hint = hintAt(text.slice(0, position), text.slice(position));
  if (hint !== undefined) return hint;
  const [line = ""] = summary.split("\n");
  if (code === "unexpected_character" || code === "unexpected_token") return `unexpected ${wordOf(text, position)}`;
  const wanted = /^Expected (\w+)/.exec(line)?.[1] ?? "";
  if (code === "expected_token") return `unexpected ${wordOf(text, position)}${expectations[wanted] ?? ""}`;
  return line.charAt(0).toLowerCase() + line.slice(1);
}

const expectations: Readonly<Record<string, string>> = {
  IDENTIFIER: ', where a name is needed; a key that is not a name goes in brackets: a[0], a["any key"]',
  COLON: ", where : is needed",
  RPAREN: ", where , or ) is needed",
  RBRACKET: ", where , or ] is needed",
  RBRACE: ", where , or } is needed",
};

/** Hints by the text before and at the place where the parser stopped. The first match counts. */
const hints: readonly { readonly before?: RegExp; readonly at?: RegExp; readonly write: string }[] = [
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
  if (at.startsWith("${")) {
    const written = /^\$\{([\w.[\]]{1,60})\}/.exec(at)?.[1] ?? "a.name";
    return `\${…} belongs in inputs; here write ${written}`;
  }
  return hints.find((hint) => (hint.before?.test(before) ?? true) && (hint.at?.test(at) ?? true))?.write;
}

function wordOf(text: string, position: number): string {
  const [word = ""] = /^(?:\w(?:[\w.]*\w)?|"[^"\n]*"|'[^'\n]*'|\P{Surrogate})/u.exec(text.slice(position)) ?? [];
  return cutText(word, 41);
}

const maxMacroDepth = 4;

class UnsupportedCel {
  constructor(
    readonly message: string,
    readonly position: number,
  ) {}
}

/** The variables in scope at a node: the slot of each variable of a macro. */
type Bound = ReadonlyMap<string, number>;
type NodeOf<TOperator extends ASTNode["op"]> = Extract<ASTNode, { op: TOperator }>;

/**
 * Turns the parser's tree into ours: refuses syntax that we do not evaluate, and separates names from outside from
 * those that a macro binds. One walk; the parser bounds the depth and the number of nodes.
 */
class Translation {
  private readonly slots = new Map<string, number>();
  readonly names: CelFreeName[] = [];

  translate(node: ASTNode, bound: Bound = new Map(), depth = 0): CelNode {
    const into = (child: ASTNode) => this.translate(child, bound, depth);
    const position = node.start;
    switch (node.op) {
      case "value":
        return { type: "literal", value: literalOf(node), position };
      case "id":
        return this.name(node, bound);
      case ".":
        return { type: "member", of: into(node.args[0]), key: node.args[1], position: keyPosition(node) };
      case "[]":
        return { type: "index", of: into(node.args[0]), key: into(node.args[1]), position: node.args[1].start };
      case "list":
        return { type: "list", items: node.args.map(into), position };
      case "map":
        return { type: "map", entries: node.args.map(([key, value]) => entryOf(into(key), into(value))), position };
      case "?:": {
        const [condition, yes, no] = node.args;
        return { type: "choice", condition: into(condition), yes: into(yes), no: into(no), position };
      }
      case "&&":
      case "||": {
        const [left, right] = node.args;
        return { type: "logical", deciding: node.op === "||", left: into(left), right: into(right), position };
      }
      case "!_":
        return { type: "not", of: into(node.args), position };
      case "-_":
        return { type: "negate", of: into(node.args), position };
      case "call":
        return functionOf(node, into);
      case "rcall":
        return this.method(node, bound, depth);
      case ".?":
      case "[?]":
        throw new UnsupportedCel("optional values are not supported; use has()", position);
      default: {
        const [left, right] = node.args;
        return { type: "binary", operator: node.op, left: into(left), right: into(right), position };
      }
    }
  }

  private name({ args: name, start: position }: NodeOf<"id">, bound: Bound): CelNode {
    const variable = bound.get(name);
    if (variable !== undefined) return { type: "variable", name, slot: variable, position };
    let slot = this.slots.get(name);
    if (slot === undefined) {
      slot = this.names.length;
      this.slots.set(name, slot);
      this.names.push({ name, position });
    }
    return { type: "name", name, slot, position };
  }

  private method(node: NodeOf<"rcall">, bound: Bound, depth: number): CelNode {
    const [name, receiver, args] = node.args;
    const position = methodPosition(node);
    const target = this.translate(receiver, bound, depth);
    if (isKeyOf(celMacros, name)) return this.macro(node, name, { target, bound, depth });
    if (name === "matches") {
      const message = ".matches() is not supported; use .startsWith(), .endsWith() or .contains()";
      throw new UnsupportedCel(message, position);
    }
    if (!isKeyOf(celMethods, name)) {
      const known = [...Object.keys(celMacros), ...Object.keys(celMethods)].join(", ");
      throw new UnsupportedCel(`there is no method .${name}(); there are: ${known}`, position);
    }
    expectCount(`.${name}()`, { counts: [celMethods[name]], args, position });
    const argument = args[0] && this.translate(args[0], bound, depth);
    return { type: "call", name, target, argument, position };
  }

  private macro(
    node: NodeOf<"rcall">,
    name: CelMacroName,
    { target, bound, depth }: { target: CelNode; bound: Bound; depth: number },
  ): CelNode {
    const [, , args] = node.args;
    const position = methodPosition(node);
    const [variable, first, second] = args;
    expectCount(`.${name}()`, { counts: celMacros[name], args, position });
    if (variable?.op !== "id" || first === undefined) {
      throw new UnsupportedCel(`.${name}() takes the name of a variable first, as in .${name}(x, …)`, position);
    }
    if (depth >= maxMacroDepth) throw new UnsupportedCel(`macros are nested deeper than ${maxMacroDepth}`, position);
    const inner = new Map(bound).set(variable.args, depth);
    const body = this.translate(first, inner, depth + 1);
    const transform = second && this.translate(second, inner, depth + 1);
    return { type: "macro", name, target, slot: depth, body, transform, position };
  }
}

/** The parser returns integers as BigInt; ours are numbers, as in JSON. */
function literalOf({ args: value, start, input }: NodeOf<"value">): null | boolean | number | string {
  if (typeof value === "bigint" || typeof value === "number") {
    const [digits = value] = typeof value === "number" ? (/^[\d.]+(?![\d.eE])/.exec(input.slice(start)) ?? []) : [];
    const exact = exactNumber(String(digits));
    if (exact !== undefined) return exact;
    throw new UnsupportedCel(`${digits} is not exact as a JSON number; at most 2^53 is`, start);
  }
  if (typeof value !== "object" || value === null) return value;
  throw new UnsupportedCel("bytes and unsigned integers are not supported", start);
}

function entryOf(key: CelNode, value: CelNode): { readonly key: CelNode; readonly value: CelNode } {
  if (key.type === "literal" && typeof key.value !== "string") {
    throw new UnsupportedCel('the key of a map is a text, as in {"key": 1}', key.position);
  }
  return { key, value };
}

function functionOf(node: NodeOf<"call">, into: (child: ASTNode) => CelNode): CelNode {
  const [name, args] = node.args;
  const { start: position } = node;
  const [argument] = args;
  if (name !== "has" && !isFunction(name)) {
    const known = name === "not" ? "write !(…)" : `there are: ${["has", ...celFunctions].join(", ")}`;
    throw new UnsupportedCel(`there is no function ${name}(); ${known}`, position);
  }
  expectCount(`${name}()`, { counts: [1], args, position });
  if (name !== "has") return { type: "call", name, target: into(argument as ASTNode), argument: undefined, position };
  if (argument?.op !== ".") {
    throw new UnsupportedCel('has() takes a field, as in has(s1.value); of any key ask "any key" in s1', position);
  }
  return { type: "has", of: into(argument.args[0]), key: argument.args[1], position };
}

function expectCount(
  name: string,
  call: { readonly counts: readonly number[]; readonly args: readonly ASTNode[]; readonly position: number },
): void {
  const { counts, args, position } = call;
  if (counts.includes(args.length)) return;
  const noun = counts.at(-1) === 1 ? "argument" : "arguments";
  throw new UnsupportedCel(`${name} takes ${counts.join(" or ")} ${noun}, not ${args.length}`, position);
}

function methodPosition({ end, args: [, receiver] }: NodeOf<"rcall">): number {
  return Math.min(receiver.end + 1, end);
}

function keyPosition({ start, end, args: [, key] }: NodeOf<".">): number {
  return Math.max(start, end - key.length);
}

function isKeyOf<T extends object>(table: T, name: string): name is keyof T & string {
  return Object.hasOwn(table, name);
}

function isFunction(name: string): name is Exclude<CelFunctionName, Exclude<CelMethodName, "size">> {
  return (celFunctions as readonly string[]).includes(name);
}
