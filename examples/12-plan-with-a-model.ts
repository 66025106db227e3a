import {
  createAgent,
  createCalculator,
  createFallbackPlanner,
  createLlmPlanner,
  createRulePlanner,
  createTodoStore,
  isAgentError,
} from "planwright";
import { createScriptedModel } from "planwright/testing";

// In an app: createOllamaModel({ model: "qwen2.5-coder:1.5b" }), or createAiSdkModel(…) from planwright/ai-sdk.
const model = createScriptedModel([
  // A model names the operation and copies the user's words. Code reads the day.
  '{"steps": [{"do": "TodoStore.add", "title": "oat milk"}]}',
  // It is asked again, once, with what is wrong.
  '{"steps": [{"do": "TodoStore.add"}]}',
  '{"steps": [{"do": "TodoStore.add", "title": "cake"}]}',
  // Nobody said "two": there is no plan.
  '{"steps": [{"do": "TodoStore.add", "title": "two pies"}]}',
]);

const agent = createAgent({
  tools: [createCalculator(), createTodoStore()],
  // What rules understand is planned at once; the model is asked for the rest.
  planner: createFallbackPlanner([createRulePlanner(), createLlmPlanner({ model })]),
});

for (const request of ["we ran out of oat milk, high priority", "cake would be nice", "pies sound good", "add tea"]) {
  try {
    const { steps, source } = await agent.plan(request);
    console.log(`${request}: ${JSON.stringify(steps.map(({ input }) => input))}`);
    console.log(`  by ${source.planner}, tries: ${source.attempts ?? 0}, certainty: ${source.certainty ?? 1}`);
  } catch (error) {
    if (isAgentError(error)) console.log(`${request}: ${error.message}`);
  }
}
