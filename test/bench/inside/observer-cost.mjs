// Prints microseconds a step, round by round, of runs of 10 steps with an observer, and of those with another or none, in one process.
import { defineTool } from "planwright";
import { interleave } from "../statistics.mjs";
import { observers as contenders } from "./observers.mjs";
import { checkRun, createListenedAgent, timeRuns } from "./timed-runs.mjs";
import { planOf, trivialStep } from "./trivial-step.mjs";

const [label, against, ...numbers] = process.argv.slice(2);
const [rounds, warmUps, steps] = numbers.map(Number);
const tool = defineTool(trivialStep);
const plan = planOf(tool, 10);

/** What is exported at the end of a round belongs to its cost. */
async function prepare({ observers, counts, finish = async () => undefined }) {
  const listened = createListenedAgent({ tools: [tool], observers });
  await checkRun(listened, plan);
  await finish();
  // A span for the run and one for each of its steps, or what was measured is the loss of spans.
  if (counts !== undefined && counts.spans !== 11) throw new Error(`${counts.spans} spans were exported, not 11.`);
  return async () => {
    const cost = await timeRuns(listened, plan, { steps });
    const started = performance.now();
    await finish();
    return cost + ((performance.now() - started) * 1_000) / steps;
  };
}

const on = await prepare(contenders[label]());
const base = await prepare(contenders[against]());
console.log(JSON.stringify(await interleave({ base, on }, { rounds, warmUps })));
// The exporters' timers would keep it going.
process.exit();
