// Prints the cost of a step in microseconds, round by round: ours and the hand-written loop, in one process for each group.
import { createAgent, createMemoryRunStore, defineTool, validatePlan } from "planwright";
import { interleave } from "../statistics.mjs";
import { runChainedLoop, runLoop } from "./hand-written-loop.mjs";
import { chainOf, planOf, trivialStep } from "./trivial-step.mjs";

const group = process.argv[2];
const [rounds, warmUps, stepsInRound] = process.argv.slice(3).map(Number);
const tool = defineTool(trivialStep);
let told = 0;

/** An agent with its default options, as far as the plan's size allows, and one listener. */
function createListenedAgent(size, planner) {
  // The default store, made here so that what is recorded can be counted.
  const store = createMemoryRunStore();
  const agent = createAgent({ tools: [tool], store, planner, ...(size > 1_000 && { maxSteps: size }) });
  agent.subscribe(() => {
    told++;
  });
  return { agent, store };
}

/** A run must record what it promises, or its speed means nothing. */
async function checkEvents(size, plan) {
  const { agent, store } = createListenedAgent(size);
  told = 0;
  const result = await agent.execute(plan);
  const recorded = await store.read(result.runId);
  const expected = 2 * size + 2;
  if (result.status !== "completed" || recorded.length !== expected || told !== expected) {
    throw new Error(`${size} steps: ${result.status}, ${recorded.length} recorded, ${told} told; not ${expected}`);
  }
  if (result.steps.at(-1).output.value < 1) throw new Error("The last step has a wrong output.");
}

/** Microseconds a step of as many runs as make a round. */
async function time(size, run) {
  const runs = stepsInRound / size;
  const started = performance.now();
  for (let index = 0; index < runs; index++) await run();
  return ((performance.now() - started) * 1_000) / stepsInRound;
}

/** A new agent each round, or the store would hold more of long runs than of short ones when time is taken. */
function timeNewAgent(size, plan) {
  const { agent } = createListenedAgent(size);
  return time(size, () => agent.execute(plan));
}

/** What is measured together. Each group has a process of its own, or the garbage of one would be the cost of another. */
const groups = {
  async pair() {
    const plan = planOf(tool, 10);
    const inputs = plan.steps.map(({ input }) => input);
    await checkEvents(10, plan);
    const { agent } = createListenedAgent(10);
    return {
      ours: () => time(10, () => agent.execute(plan)),
      loop: () => time(10, () => runLoop(trivialStep, inputs)),
    };
  },

  async planned() {
    const { steps } = planOf(tool, 10);
    const inputs = steps.map(({ input }) => input);
    const planned = steps.map((step, index) => ({ ...step, dependsOn: index === 0 ? [] : [`s${index}`] }));
    const { agent } = createListenedAgent(10, { name: "ready", usesModel: false, plan: () => ({ steps: planned }) });
    const { status, steps: run } = await agent.run("Add them");
    if (status !== "completed" || run.length !== 10) throw new Error(`The planned run has ${status}.`);
    return {
      ours: () => time(10, () => agent.run("Add them")),
      loop: () => time(10, () => runLoop(trivialStep, inputs)),
    };
  },

  async sizes() {
    const contenders = {};
    for (const size of [10, 100, 1_000, 10_000].filter((each) => each <= stepsInRound)) {
      const plan = planOf(tool, size);
      const inputs = plan.steps.map(({ input }) => input);
      await checkEvents(size, plan);
      contenders[`ours ${size}`] = () => timeNewAgent(size, plan);
      contenders[`loop ${size}`] = () => time(size, () => runLoop(trivialStep, inputs));
    }
    return contenders;
  },

  async references() {
    const chain = chainOf(tool, 10);
    const inputs = planOf(tool, 10).steps.map(({ input }) => input);
    await checkEvents(10, chain);
    const { agent } = createListenedAgent(10);
    return {
      ours: () => time(10, () => agent.execute(chain)),
      loop: () => time(10, () => runChainedLoop(trivialStep, inputs)),
    };
  },

  async validation() {
    const plan = planOf(tool, 10);
    const inputs = plan.steps.map(({ input }) => input);
    return {
      ours: () => time(10, () => validatePlan(plan, { tools: [tool] })),
      loop: () => time(10, () => runLoop(trivialStep, inputs)),
    };
  },
};

console.log(JSON.stringify(await interleave(await groups[group](), { rounds, warmUps })));
