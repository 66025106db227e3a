// Prints what as many runs at once as are asked for take in this process.
import { createAgent, defineTool } from "planwright";
import { observeProcess } from "./observe-process.mjs";
import { planOf, waitingStep } from "./trivial-step.mjs";

const runs = Number(process.argv[2]);
const tool = defineTool(waitingStep);
const plan = planOf(tool, 5);
const agent = createAgent({ tools: [tool] });
let told = 0;
agent.subscribe(() => {
  told++;
});
const warmUp = await agent.execute(plan);
if (warmUp.status !== "completed") throw new Error(JSON.stringify(warmUp.error));
told = 0;

const figures = await observeProcess(async () => {
  const results = await Promise.all(Array.from({ length: runs }, () => agent.execute(plan)));
  if (results.some(({ status }) => status !== "completed")) throw new Error("Some runs have failed.");
});
if (told !== runs * 12) throw new Error(`${told} events, not ${runs * 12}`);
console.log(JSON.stringify(figures));
