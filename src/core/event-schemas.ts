import { z } from "zod/v4";
import { dependenciesOf } from "./dependencies.ts";
import type { AgentEventType } from "./events.ts";
import type { Plan } from "./plan.ts";

/** The events that are recorded. */
type RecordedType = Exclude<AgentEventType, "step-progress" | "step-late" | "plan-delta">;

const text = z.string();
const count = z.int().min(0);
const positive = z.int().min(1);
const json = z.record(z.string(), z.unknown());
const effect = z.enum(["pure", "idempotent", "once"]);
const place = { stepId: text, iteration: count.optional() };
const step = { ...place, tool: text };

const errorData = z.looseObject({ name: text, message: text });
const agentError = z
  .looseObject({ name: z.literal("AgentError"), code: text, message: text, retryable: z.boolean(), details: json })
  // What a failed tool threw decides whether its step may have taken effect.
  .refine(({ code, details }) => code !== "tool-failed" || z.array(json).safeParse(details.errors).success);

const planStep = z.looseObject({
  id: text.min(1),
  tool: text.min(1),
  input: json,
  dependsOn: z.array(text).optional(),
  reasoning: text.optional(),
  when: text.optional(),
  forEach: text.optional(),
  concurrency: positive.optional(),
});
const plan = z
  .looseObject({
    version: z.int(),
    id: text,
    request: text,
    source: z.looseObject({ planner: text }),
    createdAt: text,
    steps: z.array(planStep).min(1),
  })
  .refine((found) => isInOrder(found as unknown as Plan), "steps that refer to none, or to later ones");

const usage = z.looseObject({ modelCalls: count, inputTokens: z.number(), outputTokens: z.number() });
const approvalSubject = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("step"),
    ...step,
    iterations: positive.optional(),
    input: json,
    effect,
    reasoning: text.optional(),

  }),
  z.looseObject({ kind: z.literal("plan") }),
]);
const pending = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("outcome"), ...place }),
  z.looseObject({ kind: z.literal("approval"), ...step, input: json, effect }),
  z.looseObject({ kind: z.literal("plan-approval") }),
]);

const options = z.looseObject({
  maxSteps: positive,
  concurrency: z.number().min(1),
  timeZone: text,
  timeoutMs: z.number().optional(),
  onStepFailure: z.literal("continue").optional(),
  undoOnFailure: z.literal(true).optional(),
  maxReplans: count.optional(),
  budget: json.optional(),
  approvedHash: text.optional(),
});
const tools = z.array(z.looseObject({ name: text, schemaHash: text, effect: z.enum(["by-input", ...effect.options]) }));

/** An outcome: a completed one with what it has, and one of some other statuses with an error. */
const outcome = <TStatus extends string>(completed: z.ZodRawShape, failures: readonly TStatus[]) =>
  z.discriminatedUnion("status", [
    z.looseObject({ status: z.literal("completed"), ...completed }),
    z.looseObject({ status: z.literal(failures), error: agentError }),
  ]);
// A key that is missing is not one whose value is null.
const output = z.unknown().refine((value) => value !== undefined);

/** The shape of each event that is recorded, in the newest version, beside what all have. Keys that it does not know may be there. */
export const createEventSchemas = () =>
  ({
    "run-start": z
      .looseObject({
        version: z.int().optional(),
        tools,
        request: text.optional(),
        plan: plan.optional(),
        context: text.optional(),
        metadata: json,
        options,
      })
      .refine((event) => (event.request === undefined) !== (event.plan === undefined), "a request or a plan"),
    "plan-start": z.looseObject({ planner: text }),
    "plan-fallback": z.looseObject({ planner: text, next: text, error: agentError }),
    "plan-end": z.looseObject({ usage: usage.optional(), outcome: outcome({ plan }, ["failed", "cancelled"]) }),
    "plan-revise": z.looseObject({
      planner: text,
      replan: positive,
      cause: agentError,
      usage: usage.optional(),
      outcome: outcome({ plan }, ["failed", "cancelled"]),
    }),
    "step-start": z.looseObject({
      ...step,
      iterations: positive.optional(),
      input: json,
      effect: effect.optional(),
      reasoning: text.optional(),
    }),
    "step-retry": z.looseObject({
      ...step,
      attempt: positive,
      delayMs: z.number(),
      error: errorData,
      overlaps: z.literal(true).optional(),
      undo: z.literal(true).optional(),
    }),
    "step-skip": z.looseObject({
      ...step,
      iterations: positive.optional(),
      reason: z.enum(["dependency-failed", "run-ended", "condition", "no-items", "approval-rejected"]),
    }),
    "step-end": z.looseObject({
      ...step,
      attempts: count,
      outcome: outcome({ output }, ["failed", "cancelled", "interrupted", "unknown"]),
    }),
    "approval-request": approvalSubject,
    "approval-end": z.intersection(
      z.discriminatedUnion("kind", [
        z.looseObject({ kind: z.literal("step"), ...place }),
        z.looseObject({ kind: z.literal("plan") }),
      ]),
      z.looseObject({
        outcome: z.discriminatedUnion("status", [
          z.looseObject({ status: z.literal("approved") }),
          z.looseObject({ status: z.literal("withdrawn") }),
          z.looseObject({ status: z.literal("rejected"), error: agentError }),
        ]),
      }),
    ),
    "undo-start": z.looseObject(step),
    "undo-end": z.looseObject({ ...step, attempts: count, outcome: outcome({}, ["failed"]) }),
    "circuit-change": z.looseObject({ tool: text, state: z.enum(["closed", "open", "half-open"]) }),
    "run-settle": z.looseObject({
      ...place,
      outcome: z.discriminatedUnion("status", [
        ...outcome({ output }, ["failed"]).options,
        z.looseObject({ status: z.literal("retry") }),
      ]),
    }),
    "run-suspend": z.looseObject({ pending: z.array(pending).min(1) }),
    "run-resume": z.looseObject({
      version: z.int().optional(),
      tools,
      retriesFailed: z.literal(true).optional(),
      changedTools: z.array(text).optional(),
    }),
    "run-end": z.looseObject({
      outcome: outcome({ output }, ["failed", "cancelled", "interrupted"]),
      notUndone: z.array(z.looseObject({ ...step, reason: z.enum(["no-undo", "failed", "unknown"]) })).optional(),
    }),
  }) satisfies Record<RecordedType, z.ZodType>;

/** Whether each step of a plan has an id of its own and waits for steps before it. */
function isInOrder({ steps }: Plan): boolean {
  const before = new Set<string>();
  return steps.every((one, index) => {
    const isKnown = dependenciesOf(one, steps[index - 1]).every((id) => before.has(id));
    const isNew = !before.has(one.id);
    before.add(one.id);
    return isKnown && isNew;
  });
}
