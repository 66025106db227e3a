import { countPending } from "../../async/promises.ts";
import { indexTools } from "../../core/define-tool.ts";
import { checkObject, type OptionTable, readOptions } from "../../core/options.ts";
import type { Planner, PlanRequest } from "../../core/planner.ts";
import type { Tool } from "../../core/tool.ts";
import type { RequestExplanation } from "./plan-by-rules.ts";

/** Options of {@link createRulePlanner}. @inline */
export interface RulePlannerOptions {
  /** Adds to each step's `reasoning` which phrase matched which words. @default false */
  readonly explain?: boolean;
}

const ruleOptions = {
  explain: { type: "boolean", default: false },
} satisfies OptionTable<RulePlannerOptions>;

/** The rules are loaded by the first request: apps that only run plans never pay for them. */
const load = () => import("./plan-by-rules.ts");

/**
 * Makes the planner "rules": deterministic, offline, with the phrases of the tools.
 *
 * Every word of the request must fit: a part that no phrase fits as a whole, that lacks an argument, or that two tools
 * fit equally well is refused with `cannot-plan`, whose details state why, and requests that are planned. Time is linear
 * in the length of the request. Throws `invalid-options` for an invalid option; planning rejects with it for a phrase
 * that a function loads and that cannot be read.
 *
 * {@includeCode ../../../examples/07-explain-a-plan.ts}
 * @group Planners
 */
export function createRulePlanner(options: RulePlannerOptions = {}): Planner {
  const { explain } = readOptions(ruleOptions, options, "rulePlanner");
  return {
    name: "rules",
    usesModel: false,
    plan: (request) => countPending(load().then(({ planByRules }) => planByRules(request, { explain }))),
  };
}

/**
 * Plans a request and reports, for each part of it, which phrase of which tool matched which words. A request that is refused
 * has a `refusal` and no steps.
 *
 * {@includeCode ../../../examples/07-explain-a-plan.ts}
 * @group Planners
 */
export async function explainRequest(
  request: Omit<PlanRequest, "tools"> & { readonly tools: readonly Tool[] },
): Promise<RequestExplanation> {
  checkObject("request", request, "{ request: …, tools: … }");
  return (await load()).explainByRules({ ...request, tools: [...indexTools(request.tools).values()] });
}
