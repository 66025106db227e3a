import type { Carried } from "./model-error.ts";

/** What a call of a tool does. Times are on the manual clock. */
export interface Behaviour {
  /**
   * `return` and `throw` do so after `afterMs`, whatever their signal says; `hang` rejects with its signal's reason;
   * `finish` waits for the signal and then takes `afterMs` to return; `stuck` never settles.
   */
  readonly does: "return" | "throw" | "hang" | "finish" | "stuck";
  readonly afterMs: number;
  /** Of what it throws. */
  readonly retryable: boolean | undefined;
  readonly retryAfterMs: number | undefined;
  readonly carries: Carried;
}

/** A step before its numbers are read as steps that stand before it. */
export interface StepDraft {
  readonly tool: number;
  readonly dependsOn: readonly number[] | undefined;
  readonly references: readonly { readonly to: number; readonly kind: "whole" | "number" | "text" }[];
  readonly when:
    | { readonly kind: "constant" | "above" | "index" | "item"; readonly to: number; readonly limit: number }
    | undefined;
  readonly forEach: { readonly kind: "literal" | "output"; readonly to: number; readonly count: number } | undefined;
  readonly concurrency: number | undefined;
  readonly flag: number;
  readonly listLength: number;
  /** In turn for each call; the last one is repeated. Iterations begin further on. */
  readonly script: readonly Behaviour[];
  readonly undoScript: readonly Behaviour[];
}

/** What a tool is like, apart from what its calls do. */
export interface ToolDraft {
  readonly effect: "pure" | "idempotent" | "once" | "by-input";
  readonly maxAttempts: number;
  readonly timeoutMs: number | undefined;
  readonly concurrency: number | undefined;
  readonly rateLimit: { readonly limit: number; readonly intervalMs: number } | undefined;
  readonly circuitBreaker:
    | { readonly maxFailures: number; readonly windowMs: number; readonly resetAfterMs: number }
    | undefined;
  readonly approval: "never" | "always" | "odd";
  readonly hasUndo: boolean;
  readonly hasOutputSchema: boolean;
  /** Whether its input must have another key by now, which no step of a case has. */
  readonly isChanged?: boolean;
}

/** What a planner answers a failure with. */
export interface ReplanDraft {
  readonly steps: readonly StepDraft[];
  /** `throws`: the planner fails. `old-id`: a step has the id of one that has started. */
  readonly mistake: "none" | "throws" | "old-id";
}

/** A decision from outside about a run that is suspended. */
export interface DecisionDraft {
  readonly verdict: "approve" | "reject";
  readonly pick: number;
  /** Whether somebody tries with a wrong hash before. */
  readonly isWrongFirst: boolean;
  /** Whether a step is approved with another input. */
  readonly isChanged: boolean;
  /** Whether another agent takes it, as in another process. */
  readonly isElsewhere: boolean;
}

/** One run, and all that happens around it. */
export interface ModelCase {
  readonly steps: readonly StepDraft[];
  /** Mixes up which step has which id: `s1` to `s12`. */
  readonly idShift: number;
  readonly tools: readonly ToolDraft[];
  readonly isStoreSlow: boolean;
  readonly concurrency: number;
  readonly onStepFailure: "stop" | "continue";
  readonly undoOnFailure: boolean;
  readonly budget: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly stop:
    | { readonly by: "handle" | "signal"; readonly at: "event" | "time"; readonly count: number }
    | undefined;
  readonly asksForPlan: boolean;
  /** Answers of `approve`, in turn and again; none if there is no such function. */
  readonly answers: readonly {
    readonly answer: "approve" | "reject" | "suspend" | "throw";
    readonly afterMs: number;
  }[];
  readonly decisions: readonly DecisionDraft[];
  /** Decisions from outside while the run goes on, in turn and again for each request; none at all if there are none. */
  readonly live: readonly ("approve" | "reject" | "leave")[];
  readonly maxReplans: number;
  readonly replans: readonly ReplanDraft[];
}
