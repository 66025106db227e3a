import type { JsonPath } from "../../core/json.ts";

/** A checked expression with its names resolved, as the evaluator walks it. `position` counts characters from 0. */
export type CelNode =
  | CelLiteral
  | CelName
  | CelVariable
  | CelMember
  | CelIndex
  | CelList
  | CelMap
  | CelChoice
  | CelLogical
  | CelUnary
  | CelBinary
  | CelHas
  | CelCall
  | CelMacro;

interface Placed {
  readonly position: number;
}

interface CelLiteral extends Placed {
  readonly type: "literal";
  readonly value: null | boolean | number | string;
}

/** A name that comes from outside. `slot` is its place among the names of the expression. */
export interface CelName extends Placed {
  readonly type: "name";
  readonly name: string;
  readonly slot: number;
}

/** A name that a macro binds. `slot` is the depth of that macro. */
interface CelVariable extends Placed {
  readonly type: "variable";
  readonly slot: number;
}

interface CelMember extends Placed {
  readonly type: "member";
  readonly of: CelNode;
  readonly key: string;
}

export interface CelIndex extends Placed {
  readonly type: "index";
  readonly of: CelNode;
  readonly key: CelNode;
}

interface CelList extends Placed {
  readonly type: "list";
  readonly items: readonly CelNode[];
}

export interface CelMap extends Placed {
  readonly type: "map";
  readonly entries: readonly { readonly key: CelNode; readonly value: CelNode }[];
}

/** `condition ? yes : no` */
interface CelChoice extends Placed {
  readonly type: "choice";
  readonly condition: CelNode;
  readonly yes: CelNode;
  readonly no: CelNode;
}

/** `&&`, which false decides, or `||`, which true decides. */
export interface CelLogical extends Placed {
  readonly type: "logical";
  readonly deciding: boolean;
  readonly left: CelNode;
  readonly right: CelNode;
}

interface CelUnary extends Placed {
  readonly type: "not" | "negate";
  readonly of: CelNode;
}

type CelOperator = "==" | "!=" | "in" | "+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=";

export interface CelBinary extends Placed {
  readonly type: "binary";
  readonly operator: CelOperator;
  readonly left: CelNode;
  readonly right: CelNode;
}

/** `has(of.key)` */
export interface CelHas extends Placed {
  readonly type: "has";
  readonly of: CelNode;
  readonly key: string;
}

/** Functions and methods alike: a function's argument is its target. */
export interface CelCall extends Placed {
  readonly type: "call";
  readonly name: CelFunctionName;
  readonly target: CelNode;
  readonly argument: CelNode | undefined;
}

export interface CelMacro extends Placed {
  readonly type: "macro";
  readonly name: CelMacroName;
  readonly target: CelNode;
  /** The depth of the macro, and so the slot of its variable. */
  readonly slot: number;
  readonly body: CelNode;
  /** The third argument of `map`, evaluated for the items that the second one lets through. */
  readonly transform: CelNode | undefined;
}

/** By name, how many arguments each macro takes. */
export const celMacros = { all: [2], exists: [2], exists_one: [2], filter: [2], map: [2, 3] } as const;
export type CelMacroName = keyof typeof celMacros;

/** The functions besides `has`. Each takes one argument. */
export const celFunctions = ["size", "int", "double", "string", "dyn"] as const;

/** By name, how many arguments each method takes. */
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
  /** The names that no macro binds, each once, in the order of their slots. */
  readonly names: readonly CelFreeName[];
}

export interface CelFreeName {
  readonly name: string;
  /** Where it first appears. */
  readonly position: number;
}

/** Why a text is not an expression that can be evaluated. */
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
