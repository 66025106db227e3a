import type * as planwright from "planwright";
import { readArguments } from "./arguments.ts";
import { plannersWith } from "./planners-with.ts";

/** The planner of `run-apps.mjs`, made by the built package: the arguments of the evaluation, and which of its planners. */
// biome-ignore lint/style/noDefaultExport: the scorer imports it so
export default async function createPlanner(built: typeof planwright): Promise<planwright.Planner | undefined> {
  const { EVAL_ARGUMENTS = "[]", EVAL_PLANNER = "rules" } = process.env;
  const { languageModel } = await readArguments(JSON.parse(EVAL_ARGUMENTS));
  return plannersWith(built, languageModel)[EVAL_PLANNER];
}
