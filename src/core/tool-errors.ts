/**
 * Why an expression has no value.
 * - `syntax`: it does not follow the grammar.
 * - `too-long`: the expression, or one number in it, has more characters than allowed.
 * - `too-deep`: more parentheses are open at once than allowed.
 * - `too-complex`: it needs more work than allowed, as with hundreds of sines.
 * - `unknown-name`: a name that is neither a variable nor a constant.
 * - `unknown-function`: a name before `(` that is not a function.
 * - `wrong-arguments`: a function has too few or too many arguments, or one of the wrong kind.
 * - `division-by-zero`: also as a remainder, or as zero to a negative power.
 * - `not-a-number`: no real number is the answer, as for `sqrt(-1)`, or it cannot be determined exactly enough.
 * - `overflow`: beyond the largest number, about 1.8e308.
 * - `invalid-variable`: a variable's name or value is not allowed.
 * @inline
 */
export type CalculationProblem =
  | "syntax"
  | "too-long"
  | "too-deep"
  | "too-complex"
  | "unknown-name"
  | "unknown-function"
  | "wrong-arguments"
  | "division-by-zero"
  | "not-a-number"
  | "overflow"
  | "invalid-variable";

/** A todo in the details of an error; the title is cut at 200 UTF-16 code units. @inline */
export interface TodoMatch {
  readonly id: string;
  readonly title: string;
  readonly list: string;
  readonly completed: boolean;
}

/** What the errors of the tools that come with this package carry in `details`. The keys are codes. */
export interface ToolErrorDetails {
  /**
   * An expression has no value. `position` is where in it the problem is, from 0, in UTF-16 code units; the length of
   * the expression if something is missing at the end. The same expression always fails again.
   */
  "calculation-failed": { readonly problem: CalculationProblem; readonly position: number };
  /** No todo matches. `near` has up to 10 that may have been meant. */
  "todo-not-found": { readonly wanted: string; readonly near: readonly TodoMatch[] };
  /** Several todos match. `matches` has the first 10 of them, `count` is how many there are. */
  "todo-ambiguous": { readonly wanted: string; readonly count: number; readonly matches: readonly TodoMatch[] };
  /** `clear` was given no list, and there are several. Up to 10 of their names. */
  "todo-list-ambiguous": { readonly lists: readonly string[] };
  /** An idempotency key was reused for another operation. */
  "todo-key-reused": { readonly idempotencyKey: string; readonly operation: string; readonly earlier: string };
  /** The `scope` option of the store returned no text. */
  "todo-scope-missing": { readonly received: string };
  /** The `createId` option of the store returned an id that a todo of the scope already has. */
  "todo-id-taken": { readonly id: string };
  /**
   * A step cannot be undone: its todo was `changed` or is `gone` since, one with its id `exists` again, the storage has
   * `forgotten` the earlier state, or it was a clear, which is `irreversible`.
   */
  "todo-undo-refused": {
    readonly operation: string;
    readonly reason: "changed" | "gone" | "exists" | "forgotten" | "irreversible";
    readonly id?: string;
  };
  /** There is no note at the requested place. `count` is how many there are. */
  "note-not-found": { readonly wanted: string; readonly count: number };
  /** An idempotency key was reused for another operation on notes. */
  "note-key-reused": { readonly idempotencyKey: string; readonly operation: string; readonly earlier: string };
  /** A deleted note cannot be restored, as there is a note with its id again. */
  "note-undo-refused": { readonly operation: string; readonly id: string };
}
