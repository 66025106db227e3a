import { createAgent, createMemoryRunStore } from "planwright";
import { createFakeTool } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool } from "../../scenario/ask-for-approval.ts";
import { step } from "../../scenario/plans.ts";

const other = "0".repeat(64);

describe("a refused decision states the reason:", () => {
  const steps = [
    step("plain", "Plain", { dependsOn: [] }),
    step("asks", "Asks", { dependsOn: [] }),
    step("loop", "Asks", { dependsOn: [], forEach: "[1, 2]" }),
  ];

  async function suspended() {
    const tools = [createFakeTool({ name: "Plain" }), askingTool("Asks")];
    const agent = createAgent({ tools, store: createMemoryRunStore() });
    const result = await agent.execute({ steps } as never);
    return { agent, result, runId: result.runId, hash: approvalOf(result, "asks").hash };
  }

  it.each([
    ["a step that does not exist", "none", undefined, 'it has no step "none"'],
    ["a step that needed no approval", "plain", undefined, 'no approval of step "plain" was requested'],
    [
      "a loop without its iteration",
      "loop",
      undefined,
      'step "loop" has iterations: give the number of one, from 0 to 1',
    ],
    ["an iteration that does not exist", "loop", 9, 'no approval of step "loop[9]" was requested'],
  ])("%s", async (_what, stepId, iteration, why) => {
    const { agent, runId, hash } = await suspended();
    await expect(agent.approve(runId, { kind: "step", stepId, hash, iteration }).result).rejects.toMatchObject({
      code: "run-conflict",
      message: expect.stringContaining(why),
    });
  });

  it("a hash other than the one that was asked about, with that one", async () => {
    const { agent, runId, hash } = await suspended();
    await expect(agent.approve(runId, { kind: "step", stepId: "asks", hash: other }).result).rejects.toThrow(
      `step "asks" has the hash ${hash}, not ${other}.`,
    );
  });

  it("the plan, if nobody asked about it", async () => {
    const { agent, runId } = await suspended();
    await expect(agent.approve(runId, { kind: "plan", hash: other }).result).rejects.toThrow(
      "no approval of the plan was requested",
    );
  });

  it("not for the same decision while another process executes the run: it ends like that run", async () => {
    const store = createMemoryRunStore();
    const tools = [askingTool("Asks", { outcomes: [{ hangs: "until-aborted" }] })];
    const first = createAgent({ tools, store });
    const second = createAgent({ tools, store });
    const waiting = await first.execute({ steps: [step("asks", "Asks")] } as never);
    const item = approvalOf(waiting, "asks");
    const going = first.approve(waiting.runId, item);
    for await (const { type } of going.events) if (type === "step-start") break;
    const again = second.approve(waiting.runId, item).result;
    going.cancel();
    expect((await going.result).status).toBe("cancelled");
    expect((await again).status).toBe("cancelled");
  });

  it("a run that has ended meanwhile", async () => {
    const { agent, result, runId, hash } = await suspended();
    const item = approvalOf(result, "loop", 0);
    await agent.reject(runId, { kind: "step", stepId: "asks", hash }).result;
    await expect(agent.approve(runId, item).result).rejects.toThrow("its status is failed.");
  });
});
