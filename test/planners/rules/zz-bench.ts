import { createRulePlanner } from "../../../src/planners/rules/rule-planner.ts";
import { createCalculator } from "../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../src/tools/todo-store/todo-store.ts";
import { calculatorPhrases } from "../../../src/tools/calculator/phrases.ts";
import { todoPhrases } from "../../../src/tools/todo-store/phrases.ts";
import { compileTool } from "../../../src/planners/rules/tool-rules.ts";
import { readFileSync } from "node:fs";
const calculator = { ...createCalculator(), phrases: calculatorPhrases };
const todo = { ...createTodoStore(), phrases: todoPhrases };
let t = performance.now(); const c = compileTool(calculator as never) as any; console.log("compile calc", performance.now() - t);
t = performance.now(); const d = compileTool(todo as never) as any; console.log("compile todo", performance.now() - t, d.index.open.length, d.index.words.size);
const planner = createRulePlanner();
const requests = ["/tmp/r1.txt", "/tmp/r2.txt"].flatMap((f) => readFileSync(f, "utf8").split("\n").filter(Boolean));
const plan = (request: string) => planner.plan({ request, tools: [calculator, todo] as never, maxSteps: 100, nowMs: Date.UTC(2026, 10, 22), timeZone: "Europe/Berlin", signal: new AbortController().signal });
const times: [number, string][] = [];
for (let round = 0; round < 30; round++) for (const r of requests) {
  const t0 = performance.now(); try { await plan(r); } catch {} 
  if (round > 10) times.push([performance.now() - t0, r]);
}
times.sort((a, b) => a[0] - b[0]);
console.log("median", times[times.length >> 1]![0], "p99", times[Math.floor(times.length * 0.99)]![0], times.at(-1));
const by = new Map<string, number>(); for (const [ms, r] of times) by.set(r, Math.min(by.get(r) ?? 99, ms));
console.log([...by].sort((a, b) => b[1] - a[1]).slice(0, 12));
for (const big of ["add milk and ".repeat(8000), "a ".repeat(50000), "add a todo to " + "word ".repeat(20000), "and ".repeat(25000), "add a, ".repeat(14000), "what is 1" + " + 1".repeat(25000), "(".repeat(100000), "'".repeat(100000), "show my list. ".repeat(7000), "remind me to x tomorrow and then ".repeat(3000), "x ".repeat(500000)]) {
  const t0 = performance.now(); let r = "planned"; try { await plan(big); } catch (e: any) { r = e.message.slice(0, 90); } console.log(big.slice(0, 20), big.length, performance.now() - t0, r);
}
