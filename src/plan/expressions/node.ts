import type { JsonPath } from "../../core/json.ts";

/** A checked expression with its names resolved, as the evaluator walks it. `position` counts characters from 0. */
export type CelNode = { readonly position: number } & (
  | { readonly type: "literal"; readonly value: null | boolean | number | string }
  /** A name from outside; `slot` is its place among the names of the expression. */
  | { readonly type: "name"; readonly name: string; readonly slot: number }
  /** A name that a macro binds; `slot` is the depth of that macro. */
  | { readonly type: "variable"; readonly slot: number }
  | { readonly type: "member"; readonly of: CelNode; readonly key: string }
  | { readonly type: "index"; readonly of: CelNode; readonly key: CelNode }
  | { readonly type: "list"; readonly items: readonly CelNode[] }
  | { readonly type: "map"; readonly entries: readonly { readonly key: CelNode; readonly value: CelNode }[] }
  /** `condition ? yes : no` */
  | { readonly type: "choice"; readonly condition: CelNode; readonly yes: CelNode; readonly no: CelNode }
  /** `&&`, which false decides, or `||`, which true decides. */
  | { readonly type: "logical"; readonly deciding: boolean; readonly left: CelNode; readonly right: CelNode }
  | { readonly type: "not" | "negate"; readonly of: CelNode }
  | { readonly type: "binary"; readonly operator: CelOperator; readonly left: CelNode; readonly right: CelNode }
  /** `has(of.key)` */
  | { readonly type: "has"; readonly of: CelNode; readonly key: string }
  /** A function or a method: the argument of a function is its target. */
  | {
      readonly type: "call";
      readonly name: CelFunctionName;
      readonly target: CelNode;
      readonly argument: CelNode | undefined;
    }
  | {
      readonly type: "macro";
      readonly name: CelMacroName;
      readonly target: CelNode;
      /** The depth of the macro, and so the slot of its variable. */
      readonly slot: number;
      readonly body: CelNode;
      /** The third argument of `map`, evaluated for the items that the second one lets through. */
      readonly transform: CelNode | undefined;
    }
);

/** The nodes of one type. */
export type CelNodeOf<TType extends CelNode["type"]> = Extract<CelNode, { readonly type: TType }>;

type CelOperator = "==" | "!=" | "in" | "+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=";

/** The numbers of arguments that each macro takes. */
export const celMacros = { all: [2], exists: [2], exists_one: [2], filter: [2], map: [2, 3] } as const;
export type CelMacroName = keyof typeof celMacros;

/** The functions besides `has`. Each takes one argument. */
export const celFunctions = ["size", "int", "double", "string", "dyn"] as const;

/** The number of arguments that each method takes. */
export const celMethods = {
  size: 0,
  startsWith: 1,
  endsWith: 1,
  contains: 1,
  lowerAscii: 0,
  upperAscii: 0,
  trim: 0,
} as const;
export type CelMethodName = keyof typeof celMethods;
export type CelFunctionName = (typeof celFunctions)[number] | CelMethodName;

/** An expression that can be evaluated. */
export interface CelExpression {
  readonly text: string;
  readonly root: CelNode;
  /** The names that no macro binds, each once and where it first appears, in the order of their slots. */
  readonly names: readonly CelFreeName[];
}

export interface CelFreeName {
  readonly name: string;
  readonly position: number;
}

/** A reason why a text is not an expression that can be evaluated. */
export interface CelIssue {
  readonly message: string;
  readonly position: number;
}

export type CelParseResult =
  | { readonly ok: true; readonly expression: CelExpression }
  | { readonly ok: false; readonly issue: CelIssue };

/** A value from outside, or a part of it: `s1.rows[0]`. */
export interface CelPath {
  readonly name: string;
  readonly path: JsonPath;
  readonly position: number;
}

/** The path that a node is, if it is one. */
export function pathOf(node: CelNode): CelPath | undefined {
  if (node.type === "name") return { name: node.name, path: [], position: node.position };
  if (node.type !== "member" && node.type !== "index") return undefined;
  const below = pathOf(node.of);
  const key = node.type === "member" ? node.key : keyOf(node.key);
  return below && key !== undefined ? { ...below, path: [...below.path, key], position: node.position } : undefined;
}

function keyOf(node: CelNode): string | number | undefined {
  if (node.type !== "literal") return undefined;
  const { value } = node;
  return typeof value === "string" || (Number.isInteger(value) && Number(value) >= 0)
    ? (value as string | number)
    : undefined;
}

/** The longest paths that an evaluation may follow, without the field that `has` tests, which may be missing. */
export function collectPaths(node: CelNode, found: CelPath[] = []): readonly CelPath[] {
  const path = pathOf(node);
  if (path !== undefined) found.push(path);
  else for (const child of childrenOf(node)) collectPaths(child, found);
  return found;
}

/** The nodes that a node holds, by itself, in a list, or in the entries of a map. */
function childrenOf(holder: object): readonly CelNode[] {
  return Object.values(holder).flatMap((part: unknown) => {
    if (typeof part !== "object" || part === null) return [];
    return "type" in part ? [part as CelNode] : childrenOf(part);
  });
}

/** True if a result is taken from the data unchanged, each part of it at most once. */
export function isPartOfData(node: CelNode): boolean {
  switch (node.type) {
    case "name":
      return true;
    case "member":
    case "index":
      return isPartOfData(node.of);
    case "choice":
      return isPartOfData(node.yes) && isPartOfData(node.no);
    case "macro":
      return node.name === "filter" && isPartOfData(node.target);
    default:
      return false;
  }
}

/** The list from which a list takes its items unchanged, so that they have the same schema. */
export function sourceOf(node: CelNode): CelPath | undefined {
  return node.type === "macro" && node.name === "filter" ? sourceOf(node.target) : pathOf(node);
}

/** The JSON Schema type of a result, if it is the same for all data. */
export function resultTypeOf(node: CelNode): string | undefined {
  switch (node.type) {
    case "literal":
      return node.value === null ? "null" : typeof node.value;
    case "list":
      return "array";
    case "map":
      return "object";
    case "logical":
    case "not":
    case "has":
      return "boolean";
    case "negate":
      return "number";
    case "choice": {
      const type = resultTypeOf(node.yes);
      return type === resultTypeOf(node.no) ? type : undefined;
    }
    case "binary":
      if (node.operator === "+") return resultTypeOf(node.left) ?? resultTypeOf(node.right);
      return ["-", "*", "/", "%"].includes(node.operator) ? "number" : "boolean";
    case "call":
      // Only `dyn` returns its argument.
      return node.name === "dyn" ? resultTypeOf(node.target) : typesOfCalls[node.name];
    case "macro":
      return node.name === "filter" || node.name === "map" ? "array" : "boolean";
    default:
      return undefined;
  }
}

const typesOfCalls: Readonly<Record<Exclude<CelFunctionName, "dyn">, string>> = {
  size: "number",
  int: "number",
  double: "number",
  string: "string",
  startsWith: "boolean",
  endsWith: "boolean",
  contains: "boolean",
  lowerAscii: "string",
  upperAscii: "string",
  trim: "string",
};
