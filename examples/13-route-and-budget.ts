import { createAgent, createLlmPlanner, createRoutingPlanner, createRulePlanner, createTodoStore } from "planwright";
import { createScriptedModel } from "planwright/testing";

const price = { inputPerMillion: 1.25, outputPerMillion: 10 };
const usage = { inputTokens: 1_200, outputTokens: 20 };
const answers = ["cheese", "crackers", "grapes", "wine"].map((title) => {
  return { text: JSON.stringify({ steps: [{ do: "TodoStore.add", title }] }), usage };
});
const model = createScriptedModel(answers, { provider: "cloud", modelId: "large", price });
const rules = createRulePlanner();
const large = createLlmPlanner({ model });

const agent = createAgent({
  tools: [createTodoStore()],
  // A request of one clause never waits for a model; the rules are the model's fallback.
  planner: createRoutingPlanner({ simple: rules, moderate: [rules, large], complex: [large, rules] }),
});

agent.on("plan-fallback", ({ planner, next, error }) => console.log(`  ${planner} -> ${next}: ${error.code}`));

const party = "Add cheese, then add crackers, then add grapes, then add wine";
for (const [request, tokens] of [
  ["Show me my tasks", 20_000],
  [party, 20_000],
  [party, 500],
] as const) {
  const { status, plan, usage, error } = await agent.run(request, { budget: { tokens, cost: 0.05 } });
  const { route = "-", planner = "-" } = plan?.source ?? {};
  console.log(`${request}: ${status} by ${planner}, ${route}, cost ${usage?.cost ?? 0}, ${error?.code ?? "no error"}`);
}
