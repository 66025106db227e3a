import type { PlanInput, ToolStep } from "planwright";

/** A plan by hand: `s1`, `s2` … one for each tool name. */
export function planOf(...tools: readonly string[]): PlanInput {
  return { steps: tools.map((tool, index) => ({ id: `s${index + 1}`, tool, input: {} })) };
}

/** A step by hand. */
export function step(id: string, tool: string, rest: Partial<ToolStep> = {}): ToolStep {
  return { id, tool, input: {}, ...rest };
}
