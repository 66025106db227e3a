import { createAgent, createMemoryRunStore } from "planwright";

/** An agent with one listener. `told` counts its events; the store is the default one, made here so that it can be read. */
export function createListenedAgent(options) {
  const store = createMemoryRunStore();
  const agent = createAgent({ ...options, store });
  const counts = { told: 0 };
  agent.subscribe(() => {
    counts.told++;
  });
  return { agent, store, counts };
}

/** A run must complete and record what it promises, or its speed means nothing. */
export async function checkRun({ agent, store, counts }, plan, runOptions) {
  counts.told = 0;
  const result = await agent.execute(plan, runOptions);
  const recorded = await store.read(result.runId);
  const expected = 2 * plan.steps.length + 2;
  if (result.status !== "completed" || recorded.length !== expected || counts.told !== expected) {
    const events = `${recorded.length} recorded, ${counts.told} told; not ${expected}`;
    throw new Error(`${result.status}, ${events}. ${JSON.stringify(result.error)}`);
  }
}

/** Microseconds a step of as many runs as make up so many steps. */
export async function timeRuns({ agent }, plan, { steps, runOptions }) {
  const runs = steps / plan.steps.length;
  const started = performance.now();
  for (let index = 0; index < runs; index++) await agent.execute(plan, runOptions);
  return ((performance.now() - started) * 1_000) / (runs * plan.steps.length);
}
