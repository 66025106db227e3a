// Prints microseconds a step, round by round, of plain runs of 10 steps and of those with a feature on, in one process.
import { defineTool } from "planwright";
import { interleave } from "../statistics.mjs";
import { features } from "./features.mjs";
import { checkRun, createListenedAgent, timeRuns } from "./timed-runs.mjs";
import { planOf, trivialStep } from "./trivial-step.mjs";

const feature = features[process.argv[2]];
const [rounds, warmUps, steps] = process.argv.slice(3).map(Number);

async function prepare({ tool: toolOptions, agent: agentOptions, run: runOptions, change = (same) => same }) {
  const tool = defineTool({ ...trivialStep, ...toolOptions });
  const plan = { steps: change(planOf(tool, 10).steps) };
  const listened = createListenedAgent({ tools: [tool], ...agentOptions });
  await checkRun(listened, plan, runOptions);
  return () => timeRuns(listened, plan, { steps, runOptions });
}

/** Or why a run with the feature does not complete. */
async function measure() {
  const plain = await prepare({});
  try {
    return await interleave({ plain, on: await prepare(feature) }, { rounds, warmUps });
  } catch (error) {
    return { failure: error.message };
  }
}

console.log(JSON.stringify(await measure()));
