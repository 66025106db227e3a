import fc from "fast-check";
import type { Behaviour, DecisionDraft, ModelCase, ReplanDraft, StepDraft, ToolDraft } from "./model-case.ts";

/** The most steps of a plan. */
export const maxPlanSteps = 12;

/** `undefined` in all but one of `weight + 1` cases. */
export function seldom<T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

function mostly<T>(usual: T, weight: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
}

const index = fc.nat(maxPlanSteps - 1);

const afterMs = fc.constantFrom(0, 0, 1, 5, 10, 30, 120);

const works: fc.Arbitrary<Behaviour> = afterMs.map((ms) => ({
  does: "return",
  afterMs: ms,
  retryable: undefined,
  retryAfterMs: undefined,
  carries: "nothing",
}));

const misbehaves: fc.Arbitrary<Behaviour> = fc.record({
  does: fc.constantFrom("throw", "throw", "throw", "hang", "finish", "stuck"),
  afterMs,
  retryable: fc.constantFrom(undefined, undefined, true, false),
  retryAfterMs: seldom(5, fc.constant(40)),
  carries: mostly<Behaviour["carries"]>(
    "nothing",
    1,
    fc.constantFrom("large", "deep", "bottomless", "cyclic", "causes"),
  ),
});

const behaviour = fc.oneof({ weight: 9, arbitrary: works }, { weight: 2, arbitrary: misbehaves });

const stepDraft: fc.Arbitrary<StepDraft> = fc.record({
  tool: fc.nat(2),
  dependsOn: fc.option(fc.array(index, { maxLength: 2 }), { nil: undefined, freq: 3 }),
  references: fc.array(fc.record({ to: index, kind: fc.constantFrom("whole", "number", "text") }), { maxLength: 2 }),
  when: seldom(
    3,
    fc.record({
      kind: fc.constantFrom("constant", "above", "index", "item"),
      to: index,
      limit: fc.nat(6),
    }),
  ),
  forEach: seldom(3, fc.record({ kind: fc.constantFrom("literal", "output"), to: index, count: fc.nat(4) })),
  concurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  flag: fc.nat(9),
  listLength: fc.nat(3),
  script: fc.array(behaviour, { minLength: 1, maxLength: 4 }),
  undoScript: fc.array(behaviour, { minLength: 1, maxLength: 2 }),
});

const toolDraft: fc.Arbitrary<ToolDraft> = fc.record({
  effect: fc.constantFrom("pure", "idempotent", "once", "by-input"),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  timeoutMs: fc.constantFrom(undefined, 20, 50),
  concurrency: seldom(3, fc.integer({ min: 1, max: 2 })),
  rateLimit: seldom(5, fc.record({ limit: fc.integer({ min: 1, max: 3 }), intervalMs: fc.constantFrom(10, 100) })),
  circuitBreaker: seldom(
    5,
    fc.record({
      maxFailures: fc.integer({ min: 1, max: 3 }),
      windowMs: fc.constantFrom(50, 1_000),
      resetAfterMs: fc.constantFrom(20, 100),
    }),
  ),
  approval: mostly<ToolDraft["approval"]>("never", 4, fc.constantFrom("always", "odd")),
  hasUndo: fc.boolean(),
  hasOutputSchema: fc.boolean(),
});

const replanDraft: fc.Arbitrary<ReplanDraft> = fc.record({
  steps: fc.array(stepDraft, { minLength: 1, maxLength: 3 }),
  mistake: mostly<ReplanDraft["mistake"]>("none", 6, fc.constantFrom("throws", "old-id")),
});

const decisionDraft: fc.Arbitrary<DecisionDraft> = fc.record({
  verdict: mostly<DecisionDraft["verdict"]>("approve", 3, fc.constant("reject")),
  pick: fc.nat(5),
  isWrongFirst: mostly(false, 4, fc.constant(true)),
  isChanged: fc.boolean(),
  isElsewhere: fc.boolean(),
});

const answer = fc.record({
  answer: fc.constantFrom(
    "approve" as const,
    "approve" as const,
    "reject" as const,
    "suspend" as const,
    "throw" as const,
  ),
  afterMs: fc.constantFrom(0, 0, 10),
});

/** Runs of all kinds. */
export const modelCase: fc.Arbitrary<ModelCase> = fc.record({
  steps: fc.array(stepDraft, { minLength: 1, maxLength: maxPlanSteps, size: "medium" }),
  idShift: fc.nat(maxPlanSteps - 1),
  tools: fc.array(toolDraft, { minLength: 1, maxLength: 3 }),
  isStoreSlow: fc.boolean(),
  concurrency: fc.integer({ min: 1, max: 4 }),
  onStepFailure: fc.constantFrom("stop", "continue"),
  undoOnFailure: fc.boolean(),
  budget: seldom(4, fc.integer({ min: 1, max: 12 })),
  timeoutMs: seldom(5, fc.integer({ min: 1, max: 300 })),
  stop: seldom(
    4,
    fc.record({
      by: fc.constantFrom("handle", "signal"),
      at: fc.constantFrom("event", "time"),
      count: fc.integer({ min: 1, max: 60 }),
    }),
  ),
  asksForPlan: mostly(false, 9, fc.constant(true)),
  answers: fc.array(answer, { maxLength: 3 }),
  decisions: fc.array(decisionDraft, { maxLength: 4 }),
  live: mostly<ModelCase["live"]>(
    [],
    3,
    fc.array(fc.constantFrom("approve", "approve", "reject", "leave"), { minLength: 1, maxLength: 4 }),
  ),
  maxReplans: mostly(0, 2, fc.integer({ min: 1, max: 2 })),
  replans: fc.array(replanDraft, { minLength: 1, maxLength: 2 }),
});
