import { createAgent, createTodoStore, defineTool } from "planwright";
import * as z from "zod/v4";

const celsiusOf: Record<string, number> = { paris: 21, oslo: 9 };

const weather = defineTool({
  name: "Weather",
  description: "Current weather in a city",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ celsius: z.number() }),
  effect: "pure",
  result: "celsius",
  phrases: [
    // Templates have slots; in an example, the values of its input are the slots.
    "weather in {city}",
    "how (warm|cold) is it in {city}",
    { phrase: "is it raining in Paris", input: { city: "Paris" } },
    { phrase: "will I need an umbrella in London", input: { city: "London" } },
  ],
  execute: ({ city }) => ({ celsius: celsiusOf[city.toLowerCase()] ?? 15 }),
});

const agent = createAgent({ tools: [weather, createTodoStore()] });
for (const request of [
  "What is the weather in Paris?",
  "How cold is it in Oslo?",
  "Will I need an umbrella in Rome?",
]) {
  const { output } = await agent.run(request);
  console.log(request, output);
}

const result = await agent.run("Weather in Paris, then add a todo to pack a hat");
for (const step of result.steps) console.log(step.tool, step.status);
