/** Which step, or which iteration of one. */
export interface StepRef {
  readonly stepId: string;
  readonly iteration?: number;
}

/** The fields of an event that name its step or iteration. */
export function stepRefOf({ stepId, iteration }: { stepId: string; iteration?: number | undefined }): StepRef {
  return iteration === undefined ? { stepId } : { stepId, iteration };
}

/** How a message names a step or an iteration: `s3`, `s3[0]`. */
export function describeStepRef({ stepId, iteration }: StepRef): string {
  return iteration === undefined ? stepId : `${stepId}[${iteration}]`;
}

/** How a message names the subject of an approval: a step, or else the plan. */
export function describeSubject(ref: StepRef | undefined): string {
  return ref === undefined ? "the plan" : `step "${describeStepRef(ref)}"`;
}

/** Whether a name is one that a step has for its current iteration. */
export function isIterationName(name: string): name is "item" | "index" {
  return name === "item" || name === "index";
}
