// Prints the milliseconds of runs of one step, as many independent ones as are asked for, and one last step: of each run of this
// process, and of that from where the first step starts to where the last one ends.
import { defineTool } from "planwright";
import { checkRun, createListenedAgent } from "./timed-runs.mjs";
import { planOf, trivialStep, waitingStep } from "./trivial-step.mjs";
import { runWideLoop } from "./wide-plan-loop.mjs";

const [contender, kind] = process.argv.slice(2);
const [width, concurrency, runs] = process.argv.slice(4).map(Number);
const step = { waiting: waitingStep, trivial: trivialStep }[kind];
let open = 0;
let mostOpen = 0;
let started = 0;
let firstBegan;
let lastEnded;

/** The step, which also counts how many of it are going on, and sees when. */
const counted = {
  ...step,
  async execute(input) {
    mostOpen = Math.max(mostOpen, ++open);
    if (started++ % (width + 2) === 0) firstBegan = performance.now();
    const output = await step.execute(input);
    open--;
    lastEnded = performance.now();
    return output;
  },
};

function widePlan(tool) {
  const { steps } = planOf(tool, width + 2);
  const between = steps.slice(1, -1).map(({ id }) => id);
  const dependenciesOf = (index) => {
    if (index === 0) return [];
    return index <= width ? [steps[0].id] : between;
  };
  return { steps: steps.map((each, index) => ({ ...each, dependsOn: dependenciesOf(index) })) };
}

async function prepare() {
  const plan = widePlan(counted);
  if (contender === "loop") {
    const inputs = plan.steps.map(({ input }) => input);
    return { execute: () => runWideLoop(counted, { inputs, concurrency }) };
  }
  const listened = createListenedAgent({ tools: [defineTool(counted)], maxSteps: width + 2 });
  const execute = async () => {
    const { status, error } = await listened.agent.execute(plan, { concurrency });
    if (status !== "completed") throw new Error(JSON.stringify(error));
  };
  return { execute, check: () => checkRun(listened, plan, { concurrency }) };
}

const { execute, check } = await prepare();
const figures = [];
for (let run = 0; run < runs; run++) {
  const started = performance.now();
  await execute();
  figures.push({ wholeMs: performance.now() - started, stepsMs: lastEnded - firstBegan });
}
if (kind === "waiting" && mostOpen !== Math.min(width, concurrency)) throw new Error(`${mostOpen} steps at a time`);
await check?.();
console.log(JSON.stringify(figures));
