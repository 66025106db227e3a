import type { Carried } from "./model-error.ts";

/** The behaviour of a call of a tool. Times are on the manual clock. */
export interface Behaviour {
  /**
   * `return` and `throw` do so after `afterMs`, whatever their signal says; `hang` rejects with its signal's reason;
   * `finish` waits for the signal and then takes `afterMs` to return; `stuck` never settles.
   */
  readonly does: "return" | "throw" | "hang" | "finish" | "stuck";
  readonly afterMs: number;
  /** Of the error that it throws. */
  readonly retryable: boolean | undefined;
  readonly retryAfterMs: number | undefined;
  readonly carries: Carried;
}

/** A step before its numbers are resolved to earlier steps. */
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
  /** In turn for each call; the last one is repeated. Iterations start further on. */
  readonly script: readonly Behaviour[];
  readonly undoScript: readonly Behaviour[];
}

/** The properties of a tool, except the behaviour of its calls. */
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
  /** Whether its input now requires another key, which no step of a case has. */
  readonly isChanged?: boolean;
}

/** A planner's answer to a failure. */
export interface ReplanDraft {
  readonly steps: readonly StepDraft[];
  /** `throws`: the planner fails. `old-id`: a step reuses the id of one that has started. */
  readonly mistake: "none" | "throws" | "old-id";
}

/** An external decision about a suspended run. */
export interface DecisionDraft {
  readonly verdict: "approve" | "reject";
  readonly pick: number;
  /** Whether somebody tries a wrong hash first. */
  readonly isWrongFirst: boolean;
  /** Whether a step is approved with another input. */
  readonly isChanged: boolean;
  /** Whether another agent takes it, as in another process. */
  readonly isElsewhere: boolean;
}

/** One run, and everything that happens around it. */
export interface ModelCase {
  readonly steps: readonly StepDraft[];
  /** Determines which step has which id: `s1` to `s12`. */
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
  /** Answers of `requestApproval`, in a cycle; none if there is no such function. */
  readonly answers: readonly {
    readonly answer: "approve" | "reject" | "suspend" | "throw";
    readonly afterMs: number;
  }[];
  readonly decisions: readonly DecisionDraft[];
  /** External decisions while the run is executing, in a cycle, one per request; none if empty. */
  readonly live: readonly ("approve" | "reject" | "leave")[];
  readonly maxReplans: number;
  readonly replans: readonly ReplanDraft[];
}
