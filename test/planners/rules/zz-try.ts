import { createRulePlanner, explainRequest } from "/work/main/src/planners/rules/rule-planner.ts";
import { defineTool } from "/work/main/src/core/tool.ts";
import { z } from "zod/v4";
const weather = defineTool({
  name: "Weather", description: "Current weather in a city",
  inputSchema: z.object({ city: z.string() }), outputSchema: z.object({ celsius: z.number() }),
  effect: "pure",
  async execute() { return { celsius: 1 }; },
  phrases: ["weather in {city}", { phrase: "is it (warm|cold) in {city}" }],
});
const note = defineTool({ name: "Notes", description: "", inputSchema: z.object({ text: z.string(), n: z.number().optional() }), phrases: ["note {text}", "write down {text}", "note {text} {n} times"], async execute() { return {}; } });
const planner = createRulePlanner({explain:true});
for (const request of process.argv.slice(2)) {
  try { console.log(JSON.stringify((await planner.plan({ request, tools: [weather, note], maxSteps: 100, nowMs: Date.UTC(2026,10,22), timeZone: "Europe/Berlin", signal: new AbortController().signal })).steps, null, 1)); }
  catch (e) { console.log(e.message, e.details ?? e); }
}
