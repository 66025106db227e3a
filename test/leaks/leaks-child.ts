import { countLeftovers } from "./leftovers.ts";
import { MixedRuns } from "./mixed-runs.ts";

// Prints what some runs have left behind, then many more.
const runs = new MixedRuns();
await runs.make(120);
const early = await countLeftovers(runs.signal);
await runs.make(1_000);
const late = await countLeftovers(runs.signal);
console.log(JSON.stringify({ early, late }));
