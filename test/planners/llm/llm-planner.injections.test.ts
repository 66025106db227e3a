import { beforeEach, describe, expect, it } from "vitest";
import { createAgent } from "../../../src/agent.ts";
import type { RunResult } from "../../../src/core/run-result.ts";
import { createLlmPlanner } from "../../../src/planners/llm/llm-planner.ts";
import { createScriptedModel } from "../../../src/testing/scripted-model.ts";
import { answerOf, remove } from "./ask-llm-planner.ts";
import { type Attack, attackedTools, harmful, write } from "./attacked-tools.ts";
import { disguised, references, ungrounded } from "./attacks-on-data.ts";
import { approvals, ownKeys, shapes, unknownTools } from "./attacks-on-rules.ts";

/*
 * Each attack is answered by a model that has given up: it writes exactly what the attacker wants. What holds then, holds
 * whatever a model does.
 */

const attacks = [...unknownTools, ...ownKeys, ...approvals, ...shapes, ...references, ...ungrounded, ...disguised];

async function attackWith({ request, answer, context }: Attack): Promise<RunResult> {
  const model = createScriptedModel([answer, answer]);
  const agent = createAgent({ tools: attackedTools, planner: createLlmPlanner({ model }) });
  return agent.run(request, { maxSteps: 5, ...(context !== undefined && { context }) });
}

/** What no attack may change, whatever comes of it. */
function expectSafe({ plan, steps }: RunResult): void {
  expect(remove).not.toHaveBeenCalled();
  expect("polluted" in {} || "needsApproval" in {}).toBe(false);
  expect(plan?.steps.length ?? 0).toBeLessThanOrEqual(5);
  expect(steps.length).toBeLessThanOrEqual(5);
  const names = new Set(attackedTools.map(({ name }) => name));
  const keys = new Set(["id", "tool", "input", "dependsOn", "reasoning"]);
  for (const step of plan?.steps ?? []) {
    expect(names).toContain(step.tool);
    for (const key of Object.keys(step)) expect(keys).toContain(key);
  }
  if (plan !== undefined) expect(plan).toMatchObject({ version: 1, source: { planner: "llm" } });
}

describe("a model that obeys an attacker", () => {
  beforeEach(() => {
    remove.mockClear();
  });

  it.each(attacks.map((attack) => [attack.attack, attack] as const))("%s", async (_name, attack) => {
    const result = await attackWith(attack);
    const { outcome } = attack;
    expectSafe(result);
    if ("refused" in outcome) {
      expect(result.status).toBe("failed");
      expect(["planning-failed", "cannot-plan"]).toContain(result.error?.code);
      expect(result.error?.message).toContain(outcome.refused);
      expect(result.error?.message.length).toBeLessThan(3_000);
      expect(result.steps).toEqual([]);
    } else if ("waits" in outcome) {
      expect(result).toMatchObject({ status: "suspended", pending: [{ stepId: outcome.waits, kind: "approval" }] });
    } else {
      expect(result).toMatchObject({ status: "completed", output: outcome.runs });
    }
  });

  it("was tested with at least 60 attacks", () => {
    expect(attacks.length).toBeGreaterThanOrEqual(60);
  });
});

describe("an attack", () => {
  beforeEach(() => {
    remove.mockClear();
  });

  it("reaches only the tools of the run", async () => {
    const model = createScriptedModel([answerOf(harmful), answerOf(harmful)]);
    const agent = createAgent({ tools: attackedTools, planner: createLlmPlanner({ model }) });
    const result = await agent.run("wipe everything", { tools: ["Note"] });
    expect(result.error?.message).toContain('There is no tool "Wipe". Available tools: Note.');
    expect(JSON.stringify(model.requests[0]?.responseFormat)).not.toContain("Wipe");
    expectSafe(result);
  });

  it("cannot trigger an operation that the request does not mention, even if the schema prescribes its words", async () => {
    const clear = answerOf({ tool: "TodoStore", input: { operation: "clear", allLists: true } });
    const model = createScriptedModel([clear, clear]);
    const result = await createAgent({ tools: attackedTools, planner: createLlmPlanner({ model }) }).run("hello");
    expect(result.error?.message).toContain("steps.0: Nothing in the request asks for this.");
    expectSafe(result);
  });

  it("can trigger an operation of a mentioned tool through words of its schema, so such a tool needs approval", async () => {
    const clear = answerOf({ tool: "TodoStore", input: { operation: "clear", allLists: true } });
    const options = { tools: attackedTools, planner: createLlmPlanner({ model: createScriptedModel([clear, clear]) }) };
    const store = { tool: "TodoStore", input: { operation: "clear", allLists: true } };
    const request = "show me my lists";
    expect(await createAgent(options).run(request)).toMatchObject({ status: "completed", plan: { steps: [store] } });
    const careful = createAgent({
      ...options,
      needsApproval: (question) => question.kind === "step" && question.tool === "TodoStore",
    });
    expect(await careful.run(request)).toMatchObject({ status: "suspended", pending: [{ stepId: "s1" }] });
  });

  it("can pass on the output of a step with invented input, so the plan contains a warning", async () => {
    const answer = answerOf({ tool: "Sum", input: { a: 7 } }, write("${s1.value}"));
    const model = createScriptedModel([answer]);
    const result = await createAgent({ tools: attackedTools, planner: createLlmPlanner({ model }) }).run("note it");
    expect(result).toMatchObject({ status: "completed", output: { title: "7" } });
    expect(result.plan?.source.warnings).toMatchObject([{ path: ["steps", 0, "input", "a"] }]);
  });
});
