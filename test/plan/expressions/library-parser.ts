import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { exactNumber } from "../../../src/core/json.ts";
import { celFunctions, celMacros, celMethods } from "../../../src/plan/expressions/node.ts";

const limits = { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 };
const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits });

/** The tree that the library's parser yields for a text, as ours has it; or where it stops; or that ours refuses. */
export type LibraryResult =
  | { readonly root: unknown; readonly names: readonly string[] }
  | { readonly stopsAt: number }
  | "left out";

export function parseWithLibrary(text: string): LibraryResult {
  let ast: ASTNode;
  try {
    ast = environment.parse(text).ast;
  } catch (thrown) {
    return { stopsAt: (thrown as { readonly range: { readonly start: number } }).range.start };
  }
  try {
    const names: string[] = [];
    return { root: toNode(ast, { text, names, variables: [] }), names };
  } catch (thrown) {
    if (thrown instanceof LeftOut) return "left out";
    throw thrown;
  }
}

/** Thrown for what is CEL and no expression of ours. */
class LeftOut {}

function leaveOutUnless(condition: boolean): asserts condition {
  if (!condition) throw new LeftOut();
}

interface Scope {
  readonly text: string;
  readonly names: string[];
  readonly variables: readonly string[];
}

function toNode(node: ASTNode, scope: Scope): unknown {
  const into = (child: ASTNode) => toNode(child, scope);
  const position = node.start;
  switch (node.op) {
    case "value":
      return { type: "literal", value: toValue(node.args, scope.text.slice(node.start, node.end)), position };
    case "id":
      return toName(node.args, position, scope);
    case ".":
      return { type: "member", of: into(node.args[0]), key: node.args[1], position: node.end - node.args[1].length };
    case "[]":
      return { type: "index", of: into(node.args[0]), key: into(node.args[1]), position: node.args[1].start };
    case "list":
      return { type: "list", items: node.args.map(into), position };
    case "map": {
      for (const [key] of node.args) leaveOutUnless(key.op !== "value" || typeof key.args === "string");
      return {
        type: "map",
        entries: node.args.map(([key, value]) => ({ key: into(key), value: into(value) })),
        position,
      };
    }
    case "?:": {
      const [condition, yes, no] = node.args.map(into);
      return { type: "choice", condition, yes, no, position };
    }
    case "&&":
    case "||": {
      const [left, right] = node.args.map(into);
      return { type: "logical", deciding: node.op === "||", left, right, position };
    }
    case "!_":
    case "-_":
      return { type: node.op === "!_" ? "not" : "negate", of: into(node.args), position };
    case "call":
      return toCall(node.args[0], node.args[1], position, into);
    case "rcall":
      return toMethod(node, scope);
    case ".?":
    case "[?]":
      throw new LeftOut();
    default: {
      const [left, right] = node.args.map(into);
      return { type: "binary", operator: node.op, left, right, position };
    }
  }
}

/** Bytes, unsigned integers and what no number of JSON is are left out. */
function toValue(value: unknown, written: string): unknown {
  if (typeof value !== "bigint" && typeof value !== "number") {
    leaveOutUnless(typeof value !== "object" || value === null);
    return value;
  }
  const exact = exactNumber(/^\d+\.\d+$/.test(written) ? written : String(value));
  leaveOutUnless(exact !== undefined);
  return exact;
}

function toName(name: string, position: number, { names, variables }: Scope): unknown {
  const variable = variables.lastIndexOf(name);
  if (variable >= 0) return { type: "variable", name, slot: variable, position };
  if (!names.includes(name)) names.push(name);
  return { type: "name", name, slot: names.indexOf(name), position };
}

function toCall(name: string, args: readonly ASTNode[], position: number, into: (node: ASTNode) => unknown): unknown {
  const [argument] = args;
  leaveOutUnless(argument !== undefined && args.length === 1);
  if (name !== "has") {
    leaveOutUnless((celFunctions as readonly string[]).includes(name));
    return { type: "call", name, target: into(argument), argument: undefined, position };
  }
  leaveOutUnless(argument.op === ".");
  return { type: "has", of: into(argument.args[0]), key: argument.args[1], position };
}

function toMethod(node: Extract<ASTNode, { op: "rcall" }>, scope: Scope): unknown {
  const [name, receiver, args] = node.args;
  const target = toNode(receiver, scope);
  const position = positionAfterDot(scope.text, receiver.end);
  const [first, ...others] = args;
  if (!Object.hasOwn(celMacros, name)) {
    leaveOutUnless(Object.hasOwn(celMethods, name) && celMethods[name as keyof typeof celMethods] === args.length);
    return { type: "call", name, target, argument: first && toNode(first, scope), position };
  }
  const counts: readonly number[] = celMacros[name as keyof typeof celMacros];
  const slot = scope.variables.length;
  leaveOutUnless(first?.op === "id" && counts.includes(args.length) && slot < 4);
  const inner = { ...scope, variables: [...scope.variables, first.args] };
  const [body, transform] = others.map((each) => toNode(each, inner));
  return { type: "macro", name, target, slot, body, transform, position };
}

/** The library does not say where the name of a method is. */
function positionAfterDot(text: string, end: number): number {
  const between = /(?:[\s)]|\/\/[^\n]*)*\.(?:\s|\/\/[^\n]*)*/y;
  between.lastIndex = end;
  return end + (between.exec(text)?.[0].length ?? 0);
}
