import type { ASTNode } from "@marcbachmann/cel-js";
import {
  type CelFreeName,
  type CelFunctionName,
  type CelMacroName,
  type CelMethodName,
  type CelNode,
  celFunctions,
  celMacros,
  celMethods,
} from "./node.ts";

const maxMacroDepth = 4;

/** Syntax that the parser accepts and we do not. */
export class UnsupportedCel {
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
export class Translation {
  private readonly slots = new Map<string, number>();
  private readonly found: CelFreeName[] = [];

  /** The free names so far, in the order of their slots. */
  get names(): readonly CelFreeName[] {
    return this.found;
  }

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
    if (variable !== undefined) return { type: "variable", slot: variable, position };
    let slot = this.slots.get(name);
    if (slot === undefined) {
      slot = this.found.length;
      this.slots.set(name, slot);
      this.found.push({ name, position });
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

  private macro(node: NodeOf<"rcall">, name: CelMacroName, place: MacroPlace): CelNode {
    const [, , args] = node.args;
    const position = methodPosition(node);
    const [variable, first, second] = args;
    expectCount(`.${name}()`, { counts: celMacros[name], args, position });
    if (variable?.op !== "id" || first === undefined) {
      throw new UnsupportedCel(`.${name}() takes the name of a variable first, as in .${name}(x, …)`, position);
    }
    const { target, bound, depth } = place;
    if (depth >= maxMacroDepth) throw new UnsupportedCel(`macros are nested deeper than ${maxMacroDepth}`, position);
    const inner = new Map(bound).set(variable.args, depth);
    const body = this.translate(first, inner, depth + 1);
    const transform = second && this.translate(second, inner, depth + 1);
    return { type: "macro", name, target, slot: depth, body, transform, position };
  }
}

interface MacroPlace {
  readonly target: CelNode;
  readonly bound: Bound;
  readonly depth: number;
}

/** The parser returns integers as BigInt; ours are numbers, as in JSON. */
function literalOf({ args: value, start }: NodeOf<"value">): null | boolean | number | string {
  if (typeof value === "bigint") {
    if (BigInt(Number(value)) === value) return Number(value);
    throw new UnsupportedCel(`${value} is not exact as a JSON number; at most 2^53 is`, start);
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

/** Where the name of a method starts, if only a dot is between it and its receiver. */
function methodPosition({ end, args: [, receiver] }: NodeOf<"rcall">): number {
  return Math.min(receiver.end + 1, end);
}

/** Where the key of `a.key` starts. */
function keyPosition({ start, end, args: [, key] }: NodeOf<".">): number {
  return Math.max(start, end - key.length);
}

function isKeyOf<T extends object>(table: T, name: string): name is keyof T & string {
  return Object.hasOwn(table, name);
}

function isFunction(name: string): name is Exclude<CelFunctionName, Exclude<CelMethodName, "size">> {
  return (celFunctions as readonly string[]).includes(name);
}
