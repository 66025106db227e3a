import { createAgent, createCalculator, createTodoStore } from "planwright";

const agent = createAgent({ tools: [createCalculator(), createTodoStore()] });
const plan = await agent.plan("Calculate 100 / 4 and add the result as a todo");
for (const step of plan.steps) console.log(step.id, step.tool, step.reasoning, step.input);

const result = await agent.execute(plan);
for (const step of result.steps) console.log(step.stepId, step.status, "after", step.attempts, "attempt");
const todos = await agent.run("Show me all my tasks");
if (todos.status === "completed" && "todos" in todos.output) console.log(todos.output.todos.map(({ title }) => title));
