import type { JsonPath } from "../../core/json.ts";

/** A node of a checked expression whose names are resolved. `position` counts characters from 0. */
export type CelNode = { readonly position: number } & (
  | { readonly type: "literal"; readonly value: null | boolean | number | string }
  /** A free name; `slot` is its index among the names of the expression. */
  | { readonly type: "name"; readonly name: string; readonly slot: number }
  /** A name bound by a macro; `slot` is the depth of that macro. */
  | { readonly type: "variable"; readonly name: string; readonly slot: number }
  | { readonly type: "member"; readonly of: CelNode; readonly key: string }
  | { readonly type: "index"; readonly of: CelNode; readonly key: CelNode }
  | { readonly type: "list"; readonly items: readonly CelNode[] }
  | { readonly type: "map"; readonly entries: readonly { readonly key: CelNode; readonly value: CelNode }[] }
  | { readonly type: "choice"; readonly condition: CelNode; readonly yes: CelNode; readonly no: CelNode }
  /** `&&`, decided by a false operand, or `||`, decided by a true operand. */
  | { readonly type: "logical"; readonly deciding: boolean; readonly left: CelNode; readonly right: CelNode }
  | { readonly type: "not"; readonly of: CelNode }
  | { readonly type: "negate"; readonly of: CelNode }
  | { readonly type: "binary"; readonly operator: CelOperator; readonly left: CelNode; readonly right: CelNode }
  | { readonly type: "has"; readonly of: CelNode; readonly key: string }
  /** A call of a function or method; the argument of a function is its `target`. */
  | {
      readonly type: "call";
      readonly name: CelFunctionName;
      readonly target: CelNode;
      readonly argument: CelNode | undefined;
    }
  | {
      readonly type: "macro";
      readonly name: keyof typeof celMacros;
      readonly target: CelNode;
      readonly slot: number;
      readonly body: CelNode;
      readonly transform: CelNode | undefined;
    }
);

export type CelNodeOf<TType extends CelNode["type"]> = Extract<CelNode, { readonly type: TType }>;

export type CelOperator = "==" | "!=" | "in" | "+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=";

export const celMacros = { all: [2], exists: [2], exists_one: [2], filter: [2], map: [2, 3] } as const;

export const celFunctions = ["size", "int", "double", "string", "dyn"] as const;

export const celMethods = {
  size: 0,
  startsWith: 1,
  endsWith: 1,
  contains: 1,
  lowerAscii: 0,
  upperAscii: 0,
  trim: 0,
} as const;
export type CelFunctionName = (typeof celFunctions)[number] | keyof typeof celMethods;

export interface CelExpression {
  readonly root: CelNode;
  readonly names: readonly CelNodeOf<"name">[];
}

export interface CelIssue {
  readonly message: string;
  readonly position: number;
}

export type CelParseResult =
  | { readonly ok: true; readonly expression: CelExpression }
  | { readonly ok: false; readonly issue: CelIssue };

export interface CelPath {
  readonly name: string;
  readonly path: JsonPath;
  readonly text: string;
  readonly isVariable: boolean;
}

export function pathOf(node: CelNode): CelPath | undefined {
  if (node.type === "name" || node.type === "variable")
    return { name: node.name, path: [], text: node.name, isVariable: node.type === "variable" };
  if (node.type !== "member" && node.type !== "index") return undefined;
  const below = pathOf(node.of);
  const key = node.type === "member" ? node.key : keyOf(node.key);
  if (below === undefined || key === undefined) return undefined;
  const isPlain = typeof key === "string" && /^[A-Za-z_]\w*$/.test(key);
  const text = below.text + (isPlain ? `.${key}` : `[${JSON.stringify(key)}]`);
  return { ...below, path: [...below.path, key], text };
}

export function keyOf(node: CelNode): string | number | undefined {
  if (node.type !== "literal") return undefined;
  const { value } = node;
  if (typeof value === "string") return value;
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/** True if the result consists of parts of the data, each at most once. */
export function isPartOfData(node: CelNode): boolean {
  if (node.type === "member" || node.type === "index") return isPartOfData(node.of);
  if (node.type === "choice") return isPartOfData(node.yes) && isPartOfData(node.no);
  return node.type === "macro" ? node.name === "filter" && isPartOfData(node.target) : node.type === "name";
}
