import { join } from "node:path";
import { pathToFileURL } from "node:url";

// One first run of a process, by name, with the package that was built into a folder. Prints what came of it as JSON.
const [folder, name] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(folder, path)).href);
const { createAgent, createCalculator, createTodoStore } = await load("index.js");
const { createFakeTool, createManualClock } = await load("testing/index.js");

const clock = createManualClock();
const startMs = clock.now();
const step = (tool, input = {}) => ({ steps: [{ id: "s1", tool, input }] });
const createSubject = (options) => {
  const tool = createFakeTool({ name: "Subject", clock, ...options });
  return { tool, agent: createAgent({ tools: [tool], clock, random: () => 1 }) };
};

const cases = {
  async retries() {
    const outcomes = [{ hangs: "until-aborted" }, { throws: new Error("no") }, { returns: 7, afterMs: 50 }];
    const { tool, agent } = createSubject({ outcomes, timeoutMs: 1_000 });
    const { result } = agent.start(step("Subject"), { timeoutMs: 60_000 });
    const calls = [];
    for (const ms of [999, 1, 1_000, 2_000]) {
      await clock.advance(ms);
      calls.push(tool.calls.length);
    }
    await clock.advance(50);
    return { calls, status: (await result).status, pendingTimers: clock.pendingTimers };
  },

  async rules() {
    const agent = createAgent({ tools: [createCalculator(), createTodoStore()], clock });
    const { status } = await clock.runUntil(agent.run("Add a todo to buy milk, then calculate sqrt(2) * 3"));
    return { status, passedMs: clock.now() - startMs };
  },

  async cancelled() {
    const { tool, agent } = createSubject();
    const { result, events, cancel } = agent.start(step("Subject"));
    cancel();
    const types = [];
    for await (const { type } of events) types.push(type);
    return { status: (await result).status, calls: tool.calls.length, events: types };
  },

  async deadline() {
    const { tool, agent } = createSubject();
    // The deadline passes as soon as anybody waits.
    const setTimeout = (callback, ms) => (ms === 10 ? queueMicrotask(callback) : clock.setTimeout(callback, ms));
    const hurried = { ...clock, setTimeout };
    const { result } = createAgent({ tools: agent.tools, clock: hurried }).start(step("Subject"), { timeoutMs: 10 });
    const { status, error } = await result;
    return { status, code: error?.code, calls: tool.calls.length };
  },

  async changed() {
    const { tool, agent } = createSubject();
    const plan = step("Subject", { n: 1 });
    const { result } = agent.start(plan);
    plan.steps[0].input.n = 2;
    return { status: (await result).status, inputs: tool.calls.map(({ input }) => input) };
  },

  async options() {
    try {
      createSubject().agent.start(step("Subject"), { timeoutMs: 0 });
      return {};
    } catch (error) {
      return { thrown: error.code };
    }
  },
};

console.log(JSON.stringify(await cases[name]()));
