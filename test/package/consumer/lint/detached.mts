import { createAgent, createCalculator, createMemoryRunStore, createOrchestrator } from "planwright";
import { collectEvents, createManualClock } from "planwright/testing";

// Each of these would be `unbound-method` if it were a method that needs its object.
const agent = createAgent({ tools: [createCalculator()], clock: createManualClock() });
const { run, plan, start, execute, dryRun, on, once, off, subscribe, listenerCount, removeAllListeners } = agent;
const { getRun, listRuns, approve, reject, resume, resumeAll, settle, close } = agent;
const orchestrator = createOrchestrator({ tools: [createCalculator()], store: createMemoryRunStore() });
const { execute: executePlan, start: startPlan } = orchestrator;
const { types, stop } = collectEvents(agent);
const { advance, runUntil, setNow } = createManualClock();
const { cancel, result } = start("6 * 7");

const tried = [
  run,
  plan,
  execute,
  dryRun,
  on,
  once,
  off,
  subscribe,
  listenerCount,
  removeAllListeners,
  getRun,
  listRuns,
];
const others = [
  approve,
  reject,
  resume,
  resumeAll,
  settle,
  close,
  executePlan,
  startPlan,
  types,
  stop,
  advance,
  runUntil,
];
console.log(tried.length + others.length, setNow, cancel, (await result).status);
