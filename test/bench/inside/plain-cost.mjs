// Prints the cost of a step of a plain run of 10 steps in microseconds, round by round. Works with older packages, too.
import { defineTool } from "planwright";
import { interleave } from "../statistics.mjs";
import { checkRun, createListenedAgent, timeRuns } from "./timed-runs.mjs";
import { planOf, trivialStep } from "./trivial-step.mjs";

const [rounds, warmUps, steps] = process.argv.slice(2).map(Number);
const tool = defineTool(trivialStep);
const plan = planOf(tool, 10);
const listened = createListenedAgent({ tools: [tool] });
await checkRun(listened, plan);
const { plain } = await interleave({ plain: () => timeRuns(listened, plan, { steps }) }, { rounds, warmUps });
console.log(JSON.stringify(plain));
