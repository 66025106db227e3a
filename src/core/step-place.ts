/** Which step, or which iteration of one. */
export interface StepPlace {
  readonly stepId: string;
  readonly iteration?: number;
}

/** The fields by which an event says what it is about. */
export function placeOf({ stepId, iteration }: { stepId: string; iteration?: number | undefined }): StepPlace {
  return iteration === undefined ? { stepId } : { stepId, iteration };
}
