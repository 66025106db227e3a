import fc from "fast-check";
import { modelCase, seldom } from "./model-arbitrary.ts";
import type { Behaviour, ModelCase, StepDraft, ToolDraft } from "./model-case.ts";
import { resumableCase } from "./resume-case.ts";

/** How a process resumes the run of earlier processes. */
export type ResumeMethod = "resume" | "resumeAll" | "start";

/** A disturbance of a process. */
export interface Disturbance {
  /**
   * It is killed; its agent is closed; the run is cancelled; its store can no longer record, or do nothing at all;
   * it sleeps for longer than its lease lasts and resumes when another process has the run; or only its store is slow.
   */
  readonly what: "kill" | "close" | "cancel" | "fill" | "break" | "sleep" | "slow";
  /** When it has seen the nth of these: before an append or a lease, after the others; or n ms after it started. */
  readonly at: "append" | "appended" | "event" | "call" | "claim" | "ms";
  readonly nth: number;
  /** The time limit for closing. */
  readonly timeoutMs: number;
  /** How much longer than its lease a sleeping process sleeps. */
  readonly oversleepsMs: number;
  /** When its store answers from then on; never only when closing, as nothing else ends the wait for an append. */
  readonly store: "prompt" | "late" | "never";
  /** The slow part of a late or lost answer: asking, so the operation happens late or never, or answering. */
  readonly slowIn: "asking" | "answering";
  readonly lateMs: number;
  /** How the next process resumes the run, and another one at once, if there is one. */
  readonly next: ResumeMethod;
  readonly rival: ResumeMethod | undefined;
}

/** A run, and its disturbances: one for each process except the last. */
export interface DisturbedCase {
  readonly model: ModelCase;
  /** The deadline of each execution, while it is disturbed. */
  readonly timeoutMs: number | undefined;
  /** Whether somebody retries it, once, when it has failed. */
  readonly resumesFailed: boolean;
  readonly disturbances: readonly Disturbance[];
}

const resumeMethod = fc.constantFrom<ResumeMethod[]>("resume", "resumeAll", "start");

const anyDisturbance: fc.Arbitrary<Disturbance> = fc.record({
  what: fc.constantFrom("kill", "kill", "close", "close", "close", "cancel", "fill", "break", "sleep", "sleep", "slow"),
  at: fc.constantFrom("append", "appended", "event", "call", "call", "claim", "ms", "ms"),
  nth: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 40 })),
  timeoutMs: fc.constantFrom(0, 1, 3, 10, 60, 1_000),
  oversleepsMs: fc.nat(60),
  store: fc.constantFrom("prompt", "prompt", "late", "never"),
  slowIn: fc.constantFrom("asking", "answering"),
  // Beyond a third of a lease, after which no answer counts as a no.
  lateMs: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 450 })),
  next: resumeMethod,
  rival: seldom(3, resumeMethod),
});

const disturbance = anyDisturbance.map((one): Disturbance => ({ ...one, store: storeOf(one) }));

function storeOf({ what, store }: Disturbance): Disturbance["store"] {
  if (what === "kill") return "prompt";
  return what === "slow" || (store === "never" && what !== "close") ? "late" : store;
}

/**
 * A case whose steps have the same outcome in every attempt: each call fails with a retryable error until the last one
 * of its script, which always does the same and either takes less time than any limit, or for ever.
 */
function steady(model: ModelCase): ModelCase {
  const attemptsOf = ({ tool }: StepDraft) => (model.tools[tool % model.tools.length] as ToolDraft).maxAttempts;
  const steadyStep = (step: StepDraft): StepDraft => ({
    ...step,
    script: steadyScript(step.script, attemptsOf(step)),
    undoScript: steadyScript(step.undoScript, attemptsOf(step)),
  });
  return {
    ...model,
    steps: model.steps.map(steadyStep),
    replans: model.replans.map((replan) => ({ ...replan, steps: replan.steps.map(steadyStep) })),
  };
}

function steadyScript(script: readonly Behaviour[], maxAttempts: number): readonly Behaviour[] {
  const last = script.at(-1) as Behaviour;
  const final: Behaviour = { ...quick(last), does: last.does === "finish" ? "return" : last.does };
  const failing = script.slice(0, -1).map((one): Behaviour => ({ ...quick(one), does: "throw", retryable: true }));
  return [...failing.slice(0, maxAttempts - 1), final];
}

const shortestTimeoutMs = 20;

function quick(behaviour: Behaviour): Behaviour {
  return { ...behaviour, afterMs: Math.min(behaviour.afterMs, shortestTimeoutMs - 8) };
}

/**
 * Runs whose end does not depend on disturbances, and disturbances. Where there are answers, approval is inline:
 * a question that a process leaves open is for others to answer, and the steps after it no longer wait.
 */
export const disturbedCase: fc.Arbitrary<DisturbedCase> = fc.record({
  model: fc.tuple(resumableCase, modelCase).map(([model, { answers }]) => ({
    ...steady(model),
    answers: model.onStepFailure === "continue" ? answers : [],
  })),
  timeoutMs: seldom(4, fc.integer({ min: 10, max: 200 })),
  resumesFailed: fc.boolean(),
  disturbances: fc.array(disturbance, { minLength: 1, maxLength: 3 }),
});
