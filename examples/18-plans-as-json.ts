import {
  createMemoryRunStore,
  createMemoryTodos,
  createOrchestrator,
  createTodoStore,
  describeTool,
  planSchema,
} from "planwright";

const storage = createMemoryTodos();
const tools = [createTodoStore({ storage })] as const;

// What another program, or a form, needs to know to write a plan.
const { name, effect, inputSchema } = await describeTool(tools[0]);
console.log(name, effect, Object.keys(inputSchema));

const received = `{
  "steps": [
    { "id": "add", "tool": "TodoStore", "input": { "operation": "add", "title": "Water the plants" } },
    { "id": "get", "tool": "TodoStore", "input": { "operation": "get", "id": { "$ref": "add.id" } } }
  ]
}`;
const plan = planSchema.parse(JSON.parse(received));

// An agent without a planner: it only runs plans.
const orchestrator = createOrchestrator({ tools, store: createMemoryRunStore() });
const { status, output } = await orchestrator.execute(plan);
console.log(status, output && "title" in output && output.title);

// The app can read what the tool keeps.
const { count } = await storage.find("default", { limit: 0 });
console.log(count, "todo");
