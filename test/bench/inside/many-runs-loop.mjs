// Prints what as many hand-written loops at once as are asked for take in this process.
import { runLoop } from "./hand-written-loop.mjs";
import { observeProcess } from "./observe-process.mjs";
import { planOf, waitingStep } from "./trivial-step.mjs";

const runs = Number(process.argv[2]);
const inputs = planOf(waitingStep, 5).steps.map(({ input }) => input);
await runLoop(waitingStep, inputs);

const figures = await observeProcess(async () => {
  const results = await Promise.all(Array.from({ length: runs }, () => runLoop(waitingStep, inputs)));
  if (results.some(({ length }) => length !== 5)) throw new Error("Some runs have failed.");
});
console.log(JSON.stringify(figures));
