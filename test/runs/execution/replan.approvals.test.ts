import type { AgentEvent, PendingItem, RunOptions, ToolStep } from "planwright";
import { describe, expect, it } from "vitest";
import { approvalOf, askingTool, eventTexts, statuses } from "../../scenario/ask-for-approval.ts";
import { runScenario, type Scenario } from "../../scenario/run-scenario.ts";
import { added, failing, replanner, steps, works } from "../../scenario/scripted-replanner.ts";

const waits = added("b", "Archive", { input: { id: 7 } });
const fails = added("f", "F");

/** A step waits for approval, another one fails, and the planner returns these steps. */
function scenario(answer: readonly ToolStep[], rest: Partial<Scenario> = {}, first: ToolStep = waits): Scenario {
  const options: RunOptions = { maxReplans: 1, replanTools: ["A", "Delete"] };
  return {
    tools: [works(), failing(), askingTool("Archive"), askingTool("Delete")],
    planner: replanner(steps(first, fails), [steps(...answer)]),
    request: "Do it",
    options,
    isResumable: false,
    ...rest,
  };
}

const requestsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "approval-request" && event.kind === "step" ? [event] : []));
const endsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "approval-end" ? [event.outcome.status] : []));

describe("a replan", () => {
  it("that moves a step to another tool asks about it, as its approval does not cover that", async () => {
    const codes: string[] = [];
    const { result, events } = await runScenario(() =>
      scenario([{ ...waits, tool: "Delete" }], {
        act: async ({ agent, handle, clock, events }) => {
          await clock.runUntil(handle.result);
          const [archive] = requestsOf(events);
          if (archive === undefined) throw new Error("Nothing was asked.");
          await clock.runUntil(agent.approve(handle.runId, archive).result.catch(({ code }) => codes.push(code)));
        },
      }),
    );
    expect(new Set(codes)).toEqual(new Set(["run-conflict"]));
    const [archive, other, ...more] = requestsOf(events);
    expect([archive?.tool, other?.tool, more]).toEqual(["Archive", "Delete", []]);
    expect(other?.input).toEqual(archive?.input);
    expect(other?.hash).not.toBe(archive?.hash);
    expect(result).toMatchObject({
      status: "suspended",
      pending: [{ stepId: "b", tool: "Delete", hash: other?.hash }],
    });
    expect(eventTexts(events)).toEqual([
      "run-start",
      "plan-start",
      "plan-end",
      "approval-request b",
      "step-start f",
      "step-end f",
      "approval-end b",
      "plan-revise",
      "approval-request b",
      "run-suspend",
    ]);
    expect(endsOf(events)).toEqual(["withdrawn"]);
  });

  it.each([
    ["removes a step", [added("n1")]],
    ["gives it other work", [{ ...waits, input: { id: 8 } }]],
    ["gives it another reason", [{ ...waits, reasoning: "Tidy up" }]],
    ["gives it a condition", [{ ...waits, when: "true" }]],
  ])("that %s withdraws the question about it", async (_what, answer) => {
    const codes: unknown[] = [];
    const { events } = await runScenario(() =>
      scenario(answer, {
        act: ({ agent, handle, events }) => {
          agent.on("plan-revise", () => {
            const [request] = requestsOf(events);
            if (request === undefined) throw new Error("Nothing was asked.");
            for (const verdict of ["approve", "reject"] as const)
              agent[verdict](handle.runId, request).result.catch(({ code }) => codes.push(code));
          });
        },
      }),
    );
    expect(endsOf(events)).toEqual(["withdrawn"]);
    expect(new Set(codes)).toEqual(new Set(["run-conflict"]));
  });

  it("that leaves a step unchanged leaves its question, too", async () => {
    const items: PendingItem[] = [];
    const { result, events } = await runScenario(() => {
      items.length = 0;
      return scenario([added("n1"), waits], {
        executions: [
          ({ another, runId, result, events }) => {
            items.push(approvalOf(result, "b"));
            const [request] = requestsOf(events);
            if (request === undefined) throw new Error("Nothing was asked.");
            return another().approve(runId, request);
          },
        ],
      });
    });
    expect(result.status).toBe("completed");
    expect(statuses(result)).toEqual(["f failed", "n1 completed", "b completed"]);
    expect(requestsOf(events)).toHaveLength(1);
    expect(endsOf(events)).toEqual(["approved"]);
    expect(items[0]).toMatchObject({ hash: requestsOf(events)[0]?.hash });
  });

  it("that leaves a step unchanged keeps its approval, which came during planning", async () => {
    const { result, events } = await runScenario(() => {
      const base = scenario([]);
      return {
        ...base,
        planner: replanner(steps(waits, fails), [() => new Promise((resolve) => setImmediate(resolve, steps(waits)))]),
        act: ({ agent }) => {
          let request: AgentEvent | undefined;
          agent.on("approval-request", (event) => {
            request = event;
          });
          agent.on("step-end", ({ runId, stepId }) => {
            if (stepId === "f" && request?.type === "approval-request") agent.approve(runId, request);
          });
        },
      };
    });
    expect(result.status).toBe("completed");
    expect(statuses(result)).toEqual(["f failed", "b completed"]);
    expect(requestsOf(events)).toHaveLength(1);
  });

  it("withdraws the questions of a loop, one by one", async () => {
    const loop = { ...waits, forEach: "[1, 2]" };
    const { events } = await runScenario(() => scenario([{ ...loop, forEach: "[1, 2, 3]" }], {}, loop));
    expect(endsOf(events)).toEqual(["withdrawn", "withdrawn"]);
    expect(requestsOf(events).map(({ iteration }) => iteration)).toEqual([0, 1, 0, 1, 2]);
  });

  it("leaves the questions of a loop that it does not change", async () => {
    const loop = { ...waits, forEach: "[1, 2]" };
    const { result, events } = await runScenario(() => scenario([loop], {}, loop));
    expect(endsOf(events)).toEqual([]);
    expect(requestsOf(events)).toHaveLength(2);
    expect(result.pending).toMatchObject([{ iteration: 0 }, { iteration: 1 }]);
  });
});
