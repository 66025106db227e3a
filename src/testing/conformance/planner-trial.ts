import assert from "node:assert/strict";
import { toDefinedTool } from "../../core/define-tool.ts";
import type { Planner, PlanRequest, ReplanRequest } from "../../core/planner.ts";
import type { DefinedTool, Tool } from "../../core/tool.ts";

/** A request to a planner. */
export interface Trial {
  readonly planner: Planner;
  readonly tools: readonly Tool[];
  readonly request: string;
  /** When the signal is aborted. @default never */
  readonly abort?: "before" | "meanwhile";
  /** How long it may take after that. */
  readonly settleMs: number;
  /** The failed plan, to ask for another one. */
  readonly failed?: Pick<ReplanRequest, "plan" | "steps" | "error">;
}

/** The answer of a planner, and the request it received. */
export interface TrialAnswer {
  readonly draft: unknown;
  readonly asked: PlanRequest | ReplanRequest;
}

/** Asks a planner as a run does, until it has ended. Rejects as it does, or if it did something forbidden. */
export async function askPlanner({ planner, request, abort, settleMs, failed, ...given }: Trial): Promise<TrialAnswer> {
  const controller = new AbortController();
  const executed: string[] = [];
  let hasEnded = false;
  let reportedLate = 0;
  const asked = Object.freeze({
    request,
    tools: Object.freeze(
      given.tools.map((tool, index) => withoutEffect(toDefinedTool(`tools[${index}]`, tool), executed)),
    ),
    maxSteps: 1_000,
    nowMs: Date.UTC(2026, 0, 15, 12),
    timeZone: "UTC",
    signal: controller.signal,
    generate: (model, modelRequest) => model.generate(modelRequest),
    emit: () => {
      if (hasEnded) reportedLate++;
    },
  } satisfies PlanRequest);
  const replanned = failed && Object.freeze({ ...asked, ...failed, firstPlan: failed.plan, replan: 1 });
  if (abort === "before") controller.abort(new Error("stopped before it started"));
  try {
    const asking = (async () => (replanned === undefined ? planner.plan(asked) : planner.replan?.(replanned)))();
    if (abort === "meanwhile") controller.abort(new Error("stopped meanwhile"));
    const draft: unknown = await (abort === undefined ? asking : within(settleMs, asking));
    return { draft, asked: replanned ?? asked };
  } finally {
    hasEnded = true;
    // Work that it started and did not wait for runs now.
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(reportedLate, 0, "the planner reported something after it had ended");
    assert.deepEqual(executed, [], "the planner executed a tool");
  }
}

function withoutEffect(tool: DefinedTool, executed: string[]): DefinedTool {
  const execute = () => {
    executed.push(tool.name);
    throw new Error("A planner never executes a tool.");
  };
  const guards = { execute, ...(tool.undo && { undo: execute }) };
  return { ...tool, ...guards };
}

async function within<T>(settleMs: number, asking: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `the planner had not ended ${settleMs} ms after its signal was aborted`;
    timer = setTimeout(() => reject(new assert.AssertionError({ message })), settleMs);
  });
  try {
    return await Promise.race([asking, late]);
  } finally {
    clearTimeout(timer);
  }
}
