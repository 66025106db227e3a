import { createAgent } from "planwright";
import { createFakeTool } from "planwright/testing";
import { expect, it } from "vitest";

const plan = { steps: [{ id: "s1", tool: "Fake", input: {} }] };
const item = { kind: "step", stepId: "s1", hash: "0".repeat(64) } as const;

/** Each method of an agent that takes options, given what are none. */
const calls = {
  approve: (agent, wrong) => agent.approve("r", item, wrong).result,
  cancel: (agent, wrong) => agent.cancel("r", "enough", wrong),
  close: (agent, wrong) => agent.close(wrong),
  dryRun: (agent, wrong) => agent.dryRun(plan, wrong),
  events: async (agent, wrong) => agent.events("r", wrong),
  execute: (agent, wrong) => agent.execute(plan, wrong),
  listRuns: (agent, wrong) => agent.listRuns(wrong),
  plan: (agent, wrong) => agent.plan("do it", wrong),
  prune: (agent, wrong) => agent.prune(wrong),
  reject: (agent, wrong) => agent.reject("r", item, wrong).result,
  resume: (agent, wrong) => agent.resume("r", wrong),
  resumeAll: (agent, wrong) => agent.resumeAll(wrong),
  run: (agent, wrong) => agent.run("do it", wrong),
  settle: (agent, wrong) => agent.settle("r", "s1", wrong).result,
  start: (agent, wrong) => agent.start(plan, wrong).result,
} satisfies Record<string, (agent: ReturnType<typeof createAgent>, wrong: never) => Promise<unknown>>;

it.each(Object.entries(calls).flatMap(([name, call]) => [null, 5, []].map((wrong) => ({ name, call, wrong }))))(
  "$name refuses $wrong as options",
  async ({ call, wrong }) => {
    const agent = createAgent({ tools: [createFakeTool({ name: "Fake" })] });
    await expect((async () => call(agent, wrong as never))()).rejects.toMatchObject({ code: "invalid-options" });
  },
);
