import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { type AgentEvent, createAgent, defineTool } from "planwright";
import { forEachKillPoint, type KillPoint, type MortalProcess } from "planwright/testing";
import { expect, it } from "vitest";
import { z } from "zod/v4";
import { recordSpans, type SpanRecorder, treeOf } from "../../scenario/span-recorder.ts";

const runId = "r";
const plan = {
  steps: [
    { id: "a", tool: "Act", input: { fails: true } },
    { id: "b", tool: "Act", input: { fails: false }, dependsOn: ["a"] },
  ],
} as const;

/** What a process has made, and what of it had ended when it died. */
interface Process {
  readonly recorder: SpanRecorder;
  ended: readonly ReadableSpan[];
}

/** Runs and resumes, each in a process with a recorder of its own. */
function createScenario(traces: "linked" | "one") {
  const processes: Process[] = [];
  const createActing = ({ store, generation }: MortalProcess) => {
    const process: Process = { recorder: recordSpans({ traces }), ended: [] };
    if (generation === 1) processes.length = 0;
    processes.push(process);
    void store.crashed.then(() => {
      process.ended = process.recorder.spans.filter(({ ended }) => ended);
    });
    const act = defineTool({
      name: "Act",
      description: "Acts",
      inputSchema: z.object({ fails: z.boolean() }),
      effect: "idempotent",
      retry: { maxAttempts: 2, minDelayMs: 0 },
      execute: ({ fails }, { attempt }) => {
        if (fails && attempt === 1) throw new Error("not yet");
        return attempt;
      },
    });
    return createAgent({ tools: [act], store, observers: [process.recorder.observer] });
  };
  return {
    processes,
    run: (process: MortalProcess) => createActing(process).execute(plan, { runId }),
    resume: (process: MortalProcess) => createActing(process).resume(runId),
  };
}

/** What differs between the trees: names, steps, and what was an error. */
const briefly = (line: string) =>
  line.replace(/ (step\.(effect|iteration)|attempt|error\.type)=\S+| step-retry\(\)| -> .*/g, "");

/** The run has ended, and is not resumed. */
const isOver = ({ side, types }: KillPoint) => side === "after" && types.includes("run-end");

it("after a kill, what the dead process had not ended is never exported, and the next process makes a whole tree", async () => {
  const { processes, run, resume } = createScenario("linked");
  const trees: string[] = [];
  const points = await forEachKillPoint({
    run,
    resume,
    check: ({ point, result }) => {
      expect(result.status).toBe("completed");
      const [dead, next] = processes as [Process, Process];
      expect(dead.recorder.spans.filter(({ ended }) => ended)).toEqual(dead.ended);
      expect(dead.recorder.openCount).toBe(dead.recorder.spans.length - dead.ended.length);
      expect(next.recorder.openCount).toBe(0);
      const executions = next.recorder.spans.filter(({ name }) => name.startsWith("invoke_agent "));
      expect(executions).toHaveLength(isOver(point) ? 0 : 1);
      trees.push(
        `${point.side} ${point.append} (${point.types.join()}), exported: ${dead.ended.map(({ name }) => name).join()}`,
        ...treeOf(next.recorder.spans).map((line) => `  ${briefly(line)}`),
      );
    },
  });
  expect(points.length).toBeGreaterThan(10);
  expect(trees).toMatchInlineSnapshot(`
    [
      "before 1 (run-start), exported: ",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=a step.attempts=2 step.status=completed",
      "      attempt 2",
      "    execute_tool Act step.id=b step.attempts=1 step.status=completed",
      "after 1 (run-start), exported: ",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=a step.attempts=2 step.status=completed",
      "      attempt 2",
      "    execute_tool Act step.id=b step.attempts=1 step.status=completed",
      "before 2 (step-start), exported: ",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=a step.attempts=2 step.status=completed",
      "      attempt 2",
      "    execute_tool Act step.id=b step.attempts=1 step.status=completed",
      "after 2 (step-start), exported: ",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=a step.attempts=2 step.status=completed",
      "    execute_tool Act step.id=b step.attempts=1 step.status=completed",
      "before 3 (step-retry), exported: ",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=a step.attempts=2 step.status=completed",
      "    execute_tool Act step.id=b step.attempts=1 step.status=completed",
      "after 3 (step-retry), exported: ",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=a step.attempts=3 step.status=completed",
      "    execute_tool Act step.id=b step.attempts=1 step.status=completed",
      "before 4 (step-end,step-start), exported: ",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=a step.attempts=3 step.status=completed",
      "    execute_tool Act step.id=b step.attempts=1 step.status=completed",
      "after 4 (step-end,step-start), exported: ",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=b step.attempts=2 step.status=completed",
      "before 5 (step-end), exported: execute_tool Act,attempt 2",
      "  invoke_agent planwright run.status=completed",
      "    execute_tool Act step.id=b step.attempts=2 step.status=completed",
      "after 5 (step-end), exported: execute_tool Act,attempt 2",
      "  invoke_agent planwright run.status=completed",
      "before 6 (run-end), exported: execute_tool Act,attempt 2,execute_tool Act",
      "  invoke_agent planwright run.status=completed",
      "after 6 (run-end), exported: execute_tool Act,attempt 2,execute_tool Act",
    ]
  `);
});

it.each(["linked", "one"] as const)("after a kill, the traces of both processes are %s", async (traces) => {
  const { processes, run, resume } = createScenario(traces);
  await forEachKillPoint({
    run,
    resume,
    check: async ({ point, store }) => {
      if (isOver(point)) return;
      const [first, second] = processes.map(({ recorder }) => recorder.spans[0]?.spanContext());
      const link = processes[1]?.recorder.spans[0]?.links.map(({ context }) => context.spanId);
      const parent = processes[1]?.recorder.spans[0]?.parentSpanContext?.spanId;
      const events = (await store.read(runId)) as readonly AgentEvent[];
      const recorded = events.flatMap((event) => ("traceparent" in event ? [event.traceparent] : []));
      const [before, after] = [first, second].map((one) => `00-${one?.traceId}-${one?.spanId}-01`);
      if (point.side === "before" && point.append === 1) {
        // Nothing was recorded: it is another run.
        expect([recorded, link, parent]).toEqual([[after], [], undefined]);
        return;
      }
      expect(recorded).toEqual([before, after]);
      expect(link).toEqual(traces === "linked" ? [first?.spanId] : []);
      expect(parent).toBe(traces === "one" ? first?.spanId : undefined);
      expect(second?.traceId === first?.traceId).toBe(traces === "one");
    },
  });
});
