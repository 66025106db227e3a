import { createRulePlanner } from "../../../src/planners/rules/rule-planner.ts";
import { defineTool } from "../../../src/core/tool.ts";
import { createCalculator } from "../../../src/tools/calculator/calculator.ts";
import { createTodoStore } from "../../../src/tools/todo-store/todo-store.ts";
import { calculatorPhrases } from "../../../src/tools/calculator/phrases.ts";
import { todoPhrases } from "../../../src/tools/todo-store/phrases.ts";
import { readFileSync } from "node:fs";
import { z } from "zod/v4";
const weather = defineTool({
  name: "Weather", description: "Current weather in a city",
  inputSchema: z.object({ city: z.string() }), outputSchema: z.object({ celsius: z.number() }),
  effect: "pure",
  async execute() { return { celsius: 1 }; },
  phrases: ["weather in {city}", { phrase: "is it (warm|cold) in {city}" }],
});
const calculator = { ...createCalculator(), phrases: calculatorPhrases };
const todo = { ...createTodoStore(), phrases: todoPhrases };
const planner = createRulePlanner({ explain: process.env.EXPLAIN === "1" });
const requests = process.argv.length > 2 ? process.argv.slice(2) : readFileSync(0, "utf8").split("\n").filter((l) => l.trim() && !l.startsWith("#"));
const t0 = performance.now();
for (const request of requests) {
  try {
    const { steps } = await planner.plan({ request, tools: [calculator, todo, weather] as never, maxSteps: 100, nowMs: Date.UTC(2026, 10, 22), timeZone: "Europe/Berlin", signal: new AbortController().signal });
    console.log(`${request}`);
    for (const s of steps) console.log(`    ${s.id} ${s.tool} ${JSON.stringify(s.input)} <- ${(s.dependsOn ?? []).join(",")} ${process.env.EXPLAIN ? s.reasoning : ""}`);
  } catch (e: any) { console.log(`${request}\n    REFUSED ${e.details?.reason ?? e.stack}`); }
}
if (process.env.TIME) console.log(performance.now() - t0);
