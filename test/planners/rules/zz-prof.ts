import { createRulePlanner } from "../../../src/planners/rules/rule-planner.ts";
import { createCalculator } from "../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../src/tools/todo-store/todo-store.ts";
const planner = createRulePlanner();
const plan = (request: string) => planner.plan({ request, tools: [createCalculator(), createTodoStore()] as never, maxSteps: 1000, nowMs: Date.UTC(2026, 10, 22), timeZone: "UTC", signal: new AbortController().signal });
const tools = [createCalculator(), createTodoStore()] as never;
const p2 = (request: string) => planner.plan({ request, tools, maxSteps: 1000, nowMs: Date.UTC(2026, 10, 22), timeZone: "UTC", signal: new AbortController().signal });
for (const [piece, n] of [["add milk and ", 400], ["add milk, ", 400], ["add milk and ", 990], ["milk and ", 990], ["what is 1 + 1 and ", 900], ["add milk to my list and ", 900], ["show my list, ", 990]] as const) { await p2(piece.repeat(n)).catch(() => 0);
 const t = performance.now(); await p2(piece.repeat(n)).then((r) => console.log("steps", r.steps.length), (e) => console.log(e.message.slice(0, 100))); console.log(piece, n, performance.now() - t); }
