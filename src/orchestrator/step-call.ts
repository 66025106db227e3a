import type { JsonObject } from "../core/json.ts";
import type { PlanStep } from "../core/plan.ts";
import type { Tool, ToolEffect } from "../core/tool.ts";

/** A step that is ready to be tried: its tool, its input as JSON, and its effect. */
export interface StepCall {
  readonly step: PlanStep;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly effect: ToolEffect;
}
