import type { JsonObject, JsonValue, PlanInput, Question, RunOptions, RunStatus } from "planwright";

/** The kinds of runs that are killed. */
export const planKinds = ["sequential", "parallel", "looped", "approved", "asked", "undone", "stumbling"] as const;

/** One of {@link planKinds}. */
export type PlanKind = (typeof planKinds)[number];

/** A plan, how it runs, and its required outcome however often it is killed. */
export interface KillPlan {
  readonly plan: PlanInput;
  readonly options: Pick<RunOptions, "concurrency" | "undoOnFailure">;
  readonly status: RunStatus;
  /** The final status of each step. */
  readonly steps: readonly string[];
  /** The required effects, by the end of their keys. */
  readonly effects: readonly string[];
}

const put = (id: string, value: number, dependsOn?: readonly string[]) => ({
  id,
  tool: "Put",
  input: { value },
  ...(dependsOn && { dependsOn }),
});
const send = (id: string, value: unknown, dependsOn?: readonly string[]) => ({
  ...put(id, 0, dependsOn),
  tool: "Send",
  input: { value },
});

const choice = { type: "string", enum: ["x", "y"] };

function ask(display: Question["display"], answer: JsonObject): Question {
  const options = choice.enum.map((id) => ({ id, label: id.toUpperCase() }));
  const responseSchema = { type: "object", properties: { answer }, required: ["answer"] };
  return { message: "Which?", display, responseSchema, ...(display !== "text" && { options }) };
}

/** The answers to the questions of these plans. */
export const answers: Readonly<Record<string, JsonValue>> = { value: 1, one: "x", all: ["x", "y"] };

/** A plan per kind. `Put` may be repeated, `Send` may not, `Refuse` always fails, `Stumble` and its undo at first. */
export const killPlans: Readonly<Record<PlanKind, KillPlan>> = {
  sequential: {
    plan: { steps: [put("a", 1), send("b", { $ref: "a.value" }), put("c", 3)] },
    options: {},
    status: "completed",
    steps: ["completed", "completed", "completed"],
    effects: ["a", "b", "c"],
  },
  parallel: {
    plan: {
      steps: [put("a", 1, []), send("b", 2, []), put("c", 3, []), send("d", 4, []), put("e", 5, ["a", "b", "c", "d"])],
    },
    options: { concurrency: 4 },
    status: "completed",
    steps: ["completed", "completed", "completed", "completed", "completed"],
    effects: ["a", "b", "c", "d", "e"],
  },
  looped: {
    plan: {
      steps: [
        { id: "a", tool: "Send", input: { value: { $ref: "item" } }, forEach: "[1, 2]" },
        { id: "b", tool: "Put", input: { value: { $ref: "item.value" } }, forEach: "a + [a[0]]", concurrency: 2 },
      ],
    },
    options: {},
    status: "completed",
    steps: ["completed", "completed", "completed", "completed", "completed"],
    effects: ["a[0]", "a[1]", "b[0]", "b[1]", "b[2]"],
  },
  approved: {
    plan: { steps: [put("a", 1), { id: "b", tool: "Ask", input: { value: 2 } }, put("c", 3)] },
    options: {},
    status: "completed",
    steps: ["completed", "completed", "completed"],
    effects: ["a", "b", "c"],
  },
  asked: {
    plan: {
      steps: [
        { id: "value", wait: { ask: ask("text", { type: "integer" }) } },
        send("a", { $ref: "value" }),
        { id: "one", wait: { ask: ask("select", choice) } },
        { ...send("b", 2), when: "one == 'x'" },
        { ...send("c", 3), when: "one == 'y'" },
        { id: "all", wait: { ask: ask("multi-select", { type: "array", items: choice }) } },
        { ...put("d", 4), forEach: "all" },
      ],
    },
    options: {},
    status: "completed",
    steps: [...Array<string>(4).fill("completed"), "skipped", ...Array<string>(3).fill("completed")],
    effects: ["a", "b", "d[0]", "d[1]"],
  },
  undone: {
    plan: { steps: [put("a", 1), send("b", 2), { id: "c", tool: "Refuse", input: { value: 3 } }] },
    options: { undoOnFailure: true },
    status: "failed",
    steps: ["undone", "undone", "failed"],
    effects: ["a", "b", "a/undo", "b/undo"],
  },
  stumbling: {
    plan: {
      steps: [
        { id: "a", tool: "Stumble", input: { value: 1 } },
        { id: "b", tool: "StumbleOnce", input: { value: 2 } },
        { id: "c", tool: "Refuse", input: { value: 3 } },
      ],
    },
    options: { undoOnFailure: true },
    status: "failed",
    steps: ["undone", "undone", "failed"],
    effects: ["a", "b", "a/undo", "b/undo"],
  },
};
