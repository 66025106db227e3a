/** A step, or an iteration of one; the plan of the run without a step. */
export interface CallPlace {
  readonly stepId?: string | undefined;
  readonly iteration?: number | undefined;
}

export const planTool = "plan";
export const askingTool = "ask_question";

/** No step can have this id. */
const planId = "@plan";

export function toCallId(runId: string, { stepId = planId, iteration }: CallPlace): string {
  return `${runId}/${stepId}${iteration === undefined ? "" : `[${iteration}]`}`;
}

export function readCallId(toolCallId: string): (CallPlace & { readonly runId: string }) | undefined {
  const [, runId, stepId, iteration] = /^([\w.-]+)\/(@plan|[A-Za-z_][\w-]*)(?:\[(\d{1,9})\])?$/.exec(toolCallId) ?? [];
  if (runId === undefined) return undefined;
  if (stepId === planId) return { runId };
  return { runId, stepId, ...(iteration !== undefined && { iteration: Number(iteration) }) };
}
