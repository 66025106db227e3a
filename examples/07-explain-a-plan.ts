import {
  createAgent,
  createCalculator,
  createRulePlanner,
  createTodoStore,
  explainRequest,
  isAgentError,
} from "planwright";

const tools = [createCalculator(), createTodoStore()] as const;
const agent = createAgent({ tools, planner: createRulePlanner({ explain: true }) });

const plan = await agent.plan("Please add milk and eggs to my shopping list, then show me the list");
for (const step of plan.steps) console.log(step.id, step.reasoning);

// The same as data.
const { parts } = await explainRequest({ request: "Show my groceries list", tools });
for (const { text, by, slot } of parts[0]?.words ?? []) console.log(`"${text}" is the ${slot ?? by}`);

const due = await explainRequest({ request: "Add dentist on 24 December 2026 at 5pm", tools, timeZone: "UTC" });
console.log(due.steps[0]?.input);

for (const request of ["add milk to my list, then book a flight", "remind me to", "delete it"]) {
  try {
    await agent.plan(request);
  } catch (error) {
    if (!isAgentError(error, "cannot-plan")) throw error;
    const { reason, examples } = error.details;
    console.log(`${request}: ${reason}; for example: ${examples.join(", ")}`);
  }
}
