import { createAgent, createLlmPlanner, createRoutingPlanner, createRulePlanner, createTodoStore } from "planwright";
import { createScriptedModel } from "planwright/testing";

const price = { inputPerMillion: 1.25, outputPerMillion: 10 };
const model = createScriptedModel(
  [
    {
      text: '{"steps": [{"tool": "TodoStore", "input": {"operation": "list", "dueBefore": "2026-11-30"}}]}',
      usage: { inputTokens: 1_200, outputTokens: 40 },
    },
  ],
  { provider: "cloud", modelId: "large", price },
);
const rules = createRulePlanner();
const large = createLlmPlanner({ model });

const agent = createAgent({
  tools: [createTodoStore()],
  // A request of one clause never waits for a model; the rules are the model's fallback.
  planner: createRoutingPlanner({
    simple: rules,
    moderate: [rules, large],
    complex: [large, rules],
    continueOnCannotPlan: true,
  }),
});

agent.on("plan-fallback", ({ planner, next, error }) => console.log(`  ${planner} -> ${next}: ${error.code}`));

const ahead = "If anything is due before next Monday, list it";
for (const [request, tokens] of [
  ["Show me my tasks", 5_000],
  [ahead, 5_000],
  [ahead, 500],
] as const) {
  const { status, plan, usage, error } = await agent.run(request, { budget: { tokens, cost: 0.05 } });
  const { route = "-", planner = "-" } = plan?.source ?? {};
  console.log(`${request}: ${status} by ${planner}, ${route}, cost ${usage?.cost ?? 0}, ${error?.code ?? "no error"}`);
}
