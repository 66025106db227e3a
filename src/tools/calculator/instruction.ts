import type { FunctionName } from "./functions.ts";

/** An operation on the one or two values on top of the stack. */
export type Operator =
  | "add"
  | "subtract"
  | "multiply"
  | "divide"
  | "remainder"
  | "power"
  | "negate"
  | "percent"
  | "factorial";

/**
 * One step of an evaluation by a stack: a value is pushed, or the values on top are replaced by a result. `position` is
 * the index in the expression, from 0, that an error points to.
 */
export type Instruction =
  | { readonly type: "number"; readonly text: string; readonly position: number }
  | { readonly type: "name"; readonly name: string; readonly position: number }
  | { readonly type: "operator"; readonly operator: Operator; readonly position: number }
  | { readonly type: "call"; readonly name: FunctionName; readonly argumentCount: number; readonly position: number };
