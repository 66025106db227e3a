// What a user of the package does with it: a plan from a sentence with the tools that come along, and a plan by hand over
// tools of zod 3 and of zod 4, with a retry.
import assert from "node:assert/strict";

export async function exercise({ planwright, testing, zod3, zod4 }) {
  const { createAgent, createCalculator, createTodoStore, defineTool, validatePlan } = planwright;

  const agent = createAgent({ tools: [createCalculator(), createTodoStore()] });
  const request = "Calculate 100 / 4 and add the result as a todo";
  const planned = await agent.run(request);
  assert.equal(planned.status, "completed", JSON.stringify(planned.error));
  assert.deepEqual(
    planned.steps.map(({ tool, status }) => `${tool} ${status}`),
    ["Calculator completed", "TodoStore completed"],
  );
  assert.equal(planned.output.title, "25");

  const inputs = [];
  const double = defineTool({
    name: "Double",
    description: "Doubles a number",
    inputSchema: zod3.object({ value: zod3.number(), note: zod3.string().default("none") }),
    effect: "idempotent",
    execute: ({ value, note }) => {
      inputs.push(note);
      return { value: value * 2 };
    },
  });
  const half = defineTool({
    name: "Half",
    description: "Halves a number",
    inputSchema: zod4.object({ value: zod4.number() }),
    effect: "idempotent",
    outputSchema: zod4.object({ value: zod4.number() }),
    execute: ({ value }, { attempt }) => {
      if (attempt === 1) throw new Error("not yet");
      return { value: value / 2 };
    },
  });
  const clock = testing.createManualClock();
  const byHand = createAgent({ tools: [double, half], clock });
  const retries = [];
  byHand.on("step-retry", ({ stepId, attempt }) => retries.push(`${stepId} ${attempt}`));
  const plan = {
    steps: [
      { id: "a", tool: "Double", input: { value: 21 } },
      { id: "b", tool: "Half", input: { value: { $ref: "a.value" } } },
    ],
  };
  assert.deepEqual(await validatePlan(plan, { tools: [double, half] }), []);
  const result = await clock.runUntil(byHand.execute(plan));
  assert.deepEqual([result.status, result.output], ["completed", { value: 21 }]);
  assert.deepEqual([inputs, retries], [["none"], ["b 1"]]);

  for (const tools of [[double], [half]]) {
    const wrong = { steps: [{ id: "a", tool: tools[0].name, input: { value: "many" } }] };
    const issues = await validatePlan(wrong, { tools });
    assert.deepEqual(
      issues.map(({ code }) => code),
      ["invalid-input"],
    );
  }
  return `"${request}" gave ${planned.output.title}; a plan over zod 3 and zod 4 gave ${result.output.value} after ${retries.length} retry`;
}
