import { AsyncLocalStorage } from "node:async_hooks";
import { createAgent, createTodoStore, defineTool, type Observer } from "planwright";
import * as z from "zod/v4";

// What a tool does by itself, such as an HTTP call, is found below its step.
const path = new AsyncLocalStorage<string>();

const observer: Observer = {
  event: ({ type, sequence }) => console.log(sequence, type),
  within: (call, proceed) => {
    const name = call.type === "attempt" ? `${call.stepId}, attempt ${call.attempt}` : call.type;
    path.run([path.getStore(), name].filter(Boolean).join(" > "), proceed);
  },
};

let calls = 0;
const weather = defineTool({
  name: "Weather",
  description: "Current weather in a city",
  inputSchema: z.object({ city: z.string() }),
  effect: "pure",
  retry: { minDelayMs: 1 },
  phrases: ["weather in {city}"],
  execute: () => {
    console.log("  within", path.getStore());
    if (++calls === 1) throw new Error("busy");
    return "sunny";
  },
});

const agent = createAgent({ tools: [weather, createTodoStore()], observers: [observer] });
const { output } = await agent.run("Weather in Paris");
console.log(output);
