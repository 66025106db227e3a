import type { RunState } from "../../core/run-state.ts";
import type { StepState } from "../../core/step-state.ts";
import { type Path, visitSealed } from "./map-sensitive.ts";

/** A sealed value in a state, and what it was sealed for. */
export interface SealedPart {
  readonly tool: string;
  readonly path: Path;
  readonly text: string;
}

/** All sealed values of a run, each once per place. */
export function sealedParts(state: RunState): readonly SealedPart[] {
  const parts = new Map<string, SealedPart>();
  const look = (tool: string, part: "input" | "output", value: unknown) =>
    visitSealed(value, [part], (text, path) => {
      parts.set(JSON.stringify([text, tool, ...path]), { tool, path, text });
    });
  for (const plan of new Set([state.givenPlan, state.firstPlan, state.plan])) {
    for (const { tool, input } of plan?.steps ?? []) look(tool, "input", input);
  }
  const lookAtStep = ({ tool, input, output, iterations }: StepState) => {
    look(tool, "input", input);
    // The output of a loop is the list of those of its iterations.
    if (iterations === undefined) look(tool, "output", output);
    else for (const iteration of iterations.states) lookAtStep(iteration);
  };
  for (const step of state.steps.values()) lookAtStep(step);
  return [...parts.values()];
}
