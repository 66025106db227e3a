import { createAgent, createCalculator, createTodoStore, describePlan, hashPlan, validatePlan } from "planwright";

const tools = [createCalculator(), createTodoStore()] as const;
const agent = createAgent({ tools });

// Written by hand, or read from a file: all issues are returned at once, and nothing runs.
const draft = {
  steps: [
    { id: "total", tool: "Calculator", input: { expression: 42 } },
    { id: "note", tool: "Todos", input: { title: "${sum.value}" } },
  ],
};
for (const issue of await validatePlan(draft, { tools })) console.log(issue.code, issue.path.join("."));

const plan = {
  steps: [
    { id: "total", tool: "Calculator", input: { expression: "19.99 * 3" } },
    { id: "note", tool: "TodoStore", input: { operation: "add", title: "Pay ${total.value} euros" } },
  ],
} as const;
// What a person reads before saying yes.
console.log(describePlan(plan, { tools }));
const approvedHash = await hashPlan(plan);
console.log("approved", approvedHash.slice(0, 8));

const result = await agent.execute(plan, { approvedHash });
console.log(result.status, result.steps[1]?.input);

const changed = { steps: [plan.steps[0]] };
await agent.execute(changed, { approvedHash }).catch((error) => console.log(error.code));
