import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, defineTool } from "planwright";
import { recordTools, replayTools } from "planwright/testing";
import * as z from "zod/v4";

let requests = 0;
const weather = defineTool({
  name: "Weather",
  description: "Current weather in a city",
  inputSchema: z.object({ city: z.string() }),
  effect: "pure",
  execute: ({ city }) => {
    requests += 1; // Imagine a request to a server.
    return { city, celsius: city.length * 3 };
  },
});
const steps = ["Paris", "Berlin"].map((city) => ({ id: city, tool: "Weather", input: { city } }));

// Once, with the real tool.
const path = join(mkdtempSync(join(tmpdir(), "planwright-")), "weather.json");
const recorded = await createAgent({ tools: recordTools([weather], path) }).execute({ steps });
console.log(recorded.output, requests, "requests");
console.log(JSON.parse(readFileSync(path, "utf8")).calls[1]);

// In later tests the file answers.
const tools = replayTools(path, { tools: [weather] });
const agent = createAgent({ tools });
const replayed = await agent.execute({ steps });
console.log(replayed.output, requests, "requests");
tools.assertComplete();

const other = [{ id: "s1", tool: "Weather", input: { city: "Rome" } }];
const { error } = await agent.execute({ steps: other });
console.log(error?.message.replaceAll(path, "weather.json"));
