import { beforeEach, describe, expect, it } from "vitest";
import { createAgent } from "../../../src/agent.ts";
import type { RunResult } from "../../../src/core/run-result.ts";
import { createLlmPlanner } from "../../../src/planners/llm/llm-planner.ts";
import { createScriptedModel } from "../../../src/testing/scripted-model.ts";
import { answerOf, remove } from "./ask.ts";
import { type Attack, attackedTools, harmful, write } from "./attack.ts";
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

describe("a model that does what an attacker wants", () => {
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

  it("has met with as many attacks as were thought of", () => {
    expect(attacks.length).toBeGreaterThanOrEqual(60);
  });
});

describe("what an attack can reach", () => {
  beforeEach(() => {
    remove.mockClear();
  });

  it("are only the tools that the run has", async () => {
    const model = createScriptedModel([answerOf(harmful), answerOf(harmful)]);
    const agent = createAgent({ tools: attackedTools, planner: createLlmPlanner({ model }) });
    const result = await agent.run("wipe everything", { tools: ["Note"] });
    expect(result.error?.message).toContain('There is no tool "Wipe". Available tools: Note.');
    expect(JSON.stringify(model.requests[0]?.responseFormat)).not.toContain("Wipe");
    expectSafe(result);
  });

  it("is not what nobody spoke of, though the schema prescribes each word of it", async () => {
    const clear = answerOf({ tool: "TodoStore", input: { operation: "clear", allLists: true } });
    const model = createScriptedModel([clear, clear]);
    const result = await createAgent({ tools: attackedTools, planner: createLlmPlanner({ model }) }).run("hello");
    expect(result.error?.message).toContain("steps.0: Nothing in the request asks for this.");
    expectSafe(result);
  });

  it("is what a tool does by a word of its schema, once the request speaks of it: so such a tool needs approval", async () => {
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

  it("is what another step gives, also where the words for that were made up: so a warning stands in the plan", async () => {
    const answer = answerOf({ tool: "Sum", input: { a: 7 } }, write("${s1.value}"));
    const model = createScriptedModel([answer]);
    const result = await createAgent({ tools: attackedTools, planner: createLlmPlanner({ model }) }).run("note it");
    expect(result).toMatchObject({ status: "completed", output: { title: "7" } });
    expect(result.plan?.source.warnings).toMatchObject([{ path: ["steps", 0, "input", "a"] }]);
  });
});
