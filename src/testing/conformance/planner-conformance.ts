import { maxTimerMs } from "../../async/clock.ts";
import { checkKeys, checkOption, failOption } from "../../core/options.ts";
import type { Planner } from "../../core/planner.ts";
import type { Tool } from "../../core/tool.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { plannerCases } from "./planner-cases.ts";

/** Options of {@link plannerConformance}. @inline */
export interface PlannerConformanceOptions {
  /** Creates a new planner for each case. If it asks a model, that must answer any request, as a scripted one may. */
  createPlanner(): Planner | Promise<Planner>;
  /** The tools that it plans for. None of them is executed. */
  readonly tools: readonly Tool[];
  /** At least one request that it must plan with these tools. */
  readonly requests: readonly string[];
  /** Requests that it must refuse with `cannot-plan`. @default none */
  readonly refusals?: readonly string[] | undefined;
  /** How long a case waits for a planner that was stopped, at least 1. @default 5000 */
  readonly settleMs?: number | undefined;
}

/**
 * The requirements for every {@link Planner}, as cases for a test runner: its plans are valid for the tools, state the
 * dependencies of each step, and never read typed text as a reference; it refuses with `cannot-plan`, ends soon
 * when it is stopped, leaves nothing behind, and executes no tool. If it has `replan`, its plans after a failure are
 * valid, too.
 *
 * The time of all requests is noon of 2026-01-15, UTC. Throws `invalid-options`.
 *
 * {@includeCode ../../../examples/16-your-own-planner.ts}
 * @group Planners
 */
export function plannerConformance(options: PlannerConformanceOptions): readonly ConformanceCase[] {
  checkKeys("options", options, ["createPlanner", "tools", "requests", "refusals", "settleMs"]);
  const { createPlanner, tools, requests, refusals = [], settleMs = 5_000 } = options;
  if (createPlanner === undefined) failOption("createPlanner", createPlanner, "a function that returns a planner");
  checkOption({ type: "function" }, createPlanner, "createPlanner");
  if (!Array.isArray(tools) || tools.length === 0) failOption("tools", tools, "a list of at least one tool");
  checkTexts("requests", requests, 1);
  checkTexts("refusals", refusals, 0);
  checkOption({ type: "number", min: 1, max: maxTimerMs }, settleMs, "settleMs");
  return plannerCases({ createPlanner, tools, requests, refusals, settleMs });
}

function checkTexts(option: string, texts: unknown, atLeast: number): void {
  const isList = Array.isArray(texts) && texts.every((text) => typeof text === "string" && text.trim() !== "");
  if (!isList || texts.length < atLeast) failOption(option, texts, `a list of at least ${atLeast} texts`);
}
