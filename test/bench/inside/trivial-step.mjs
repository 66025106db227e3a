import { z } from "zod";

/** A step that does next to nothing, so that all that is measured is what stands around it. */
export const trivialStep = {
  name: "Add",
  description: "Adds one",
  inputSchema: z.object({ value: z.number(), label: z.string() }),
  effect: "idempotent",
  outputSchema: z.object({ value: z.number() }),
  async execute({ value }) {
    return { value: value + 1 };
  },
};

/** A step that waits, as steps that call a service do. */
export const waitingStep = {
  ...trivialStep,
  name: "Wait",
  description: "Waits 10 ms",
  async execute({ value }) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return { value: value + 1 };
  },
};

/** A plan of as many steps, one after the other. */
export function planOf(tool, count) {
  return { steps: steps(tool, count, (index) => ({ value: index, label: "a step" })) };
}

/** The same, but each step takes the output of the one before it. */
export function chainOf(tool, count) {
  const previous = (index) => (index === 0 ? 0 : { $ref: `s${index}.value` });
  return { steps: steps(tool, count, (index) => ({ value: previous(index), label: "a step" })) };
}

function steps(tool, count, inputOf) {
  return Array.from({ length: count }, (_none, index) => ({
    id: `s${index + 1}`,
    tool: tool.name,
    input: inputOf(index),
  }));
}
