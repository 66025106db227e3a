import {
  createAgent,
  createCalculator,
  createFallbackPlanner,
  createLlmPlanner,
  createRulePlanner,
  createTodoStore,
} from "planwright";
import { createScriptedModel } from "planwright/testing";

// In an app: createOllamaModel({ model: "qwen3" }), or createAiSdkModel(openai("gpt-5")) from planwright/ai-sdk.
const model = createScriptedModel([
  'Sure! {"steps": [{"tool": "TodoStore", "input": {"operation": "add", "title": "oat milk"}}]}',
  // Nobody said "two": the plan is refused, and the model is asked again.
  '{"steps": [{"tool": "TodoStore", "input": {"operation": "add", "title": "two cakes"}}]}',
  '{"steps": [{"tool": "TodoStore", "input": {"operation": "add", "title": "cake"}}]}',
]);

const agent = createAgent({
  tools: [createCalculator(), createTodoStore()],
  // What rules understand is planned at once; the model is asked for the rest.
  planner: createFallbackPlanner([createRulePlanner(), createLlmPlanner({ model })], { continueOnCannotPlan: true }),
});
agent.on("plan-fallback", ({ planner, next, error }) => console.log(`  ${planner} -> ${next}: ${error.message}`));

for (const request of ["we are out of oat milk", "we need cake", "Add a todo to buy tea"]) {
  const plan = await agent.plan(request);
  const { planner, attempts = 0, repaired = [], failures = [] } = plan.source;
  console.log(`${request}: ${plan.steps.map(({ input }) => input?.title)}`);
  console.log(`  by ${planner}, ${attempts} tries, ${repaired.join(" ") || "as it was"}`);
  for (const { code, message } of failures) console.log(`  ${code}: ${message}`);
}
