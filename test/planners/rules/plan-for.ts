import {
  createCalculator,
  createRulePlanner,
  createTodoStore,
  type DefinedTool,
  defineTool,
  isAgentError,
  type PlanRequest,
  type StandardSchema,
} from "planwright";
import { z } from "zod/v4";
import type { ToolPhrase } from "../../../src/core/tool.ts";
import type { RulePlannerOptions } from "../../../src/planners/rules/rule-planner.ts";

/** A user's own tool, as product.md has it. */
export const weather = defineTool({
  name: "Weather",
  description: "Current weather in a city",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ celsius: z.number() }),
  effect: "pure",
  execute: () => ({ celsius: 20 }),
  phrases: ["weather in {city}", { phrase: "is it (warm|cold) in {city}" }, "how (warm|hot|cold) is it in {city}"],
});

export const calculator = createCalculator();
export const todos = createTodoStore();

/** Sunday, 22 November 2026, noon UTC. */
export const nowMs = Date.UTC(2026, 10, 22, 12);

export function requestOf(request: string, options: Partial<PlanRequest> = {}): PlanRequest {
  const signal = new AbortController().signal;
  return { request, tools: [calculator, todos], maxSteps: 100, nowMs, timeZone: "UTC", signal, ...options };
}

/** The steps of a request's plan. */
export async function stepsFor(request: string, options: Partial<PlanRequest> & RulePlannerOptions = {}) {
  const { explain, ...others } = options;
  const plan = await createRulePlanner(explain === undefined ? {} : { explain }).plan(requestOf(request, others));
  return plan.steps as readonly {
    id: string;
    tool: string;
    input: unknown;
    dependsOn: readonly string[];
    reasoning: string;
  }[];
}

/** The inputs of a request's plan, each with its tool's name where several tools take part. */
export async function inputsFor(request: string, tools: readonly DefinedTool[] = [calculator, todos]) {
  return (await stepsFor(request, { tools })).map(({ input }) => input);
}

/** What a refusal says. */
export async function refusalOf(request: string, options: Partial<PlanRequest> = {}) {
  const thrown = await stepsFor(request, options).then(
    (steps) => new Error(`planned: ${JSON.stringify(steps)}`),
    (error: unknown) => error,
  );
  if (!isAgentError(thrown, "cannot-plan")) throw thrown;
  return { message: thrown.message, ...thrown.details };
}

interface ProbeOptions {
  readonly name?: string;
  readonly inputSchema?: StandardSchema;
  readonly outputSchema?: StandardSchema;
  readonly result?: string;
  readonly effect?: "pure" | "idempotent" | "once";
  readonly phrases: readonly (string | ToolPhrase)[];
}

/** A tool that only has phrases. */
export function toolWith(options: ProbeOptions): DefinedTool {
  const probe = {
    name: "Probe",
    description: "For tests",
    inputSchema: z.object({ text: z.string() }),
    effect: "idempotent",
    execute: () => null,
  };
  return defineTool({ ...probe, ...options } as Parameters<typeof defineTool>[0]);
}
