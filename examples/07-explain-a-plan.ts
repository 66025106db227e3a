import { createAgent, createCalculator, createRulePlanner, createTodoStore, isAgentError } from "planwright";

const agent = createAgent({
  tools: [createCalculator(), createTodoStore()],
  planner: createRulePlanner({ explain: true }),
});

const plan = await agent.plan("Please add milk and eggs to my shopping list, then show me the list");
for (const step of plan.steps) console.log(step.id, step.reasoning);

for (const request of ["add milk to my list, then book a flight", "remind me to", "delete it"]) {
  try {
    await agent.plan(request);
  } catch (error) {
    if (!isAgentError(error, "cannot-plan")) throw error;
    const { reason, understood, capabilities } = error.details;
    console.log(`${request}: ${reason}; understood: ${understood ?? "nothing"}; nearest: ${capabilities[0]}`);
  }
}
