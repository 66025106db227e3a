import { countPending } from "../async/promises.ts";
import { indexTools } from "../core/define-tool.ts";
import { toJson } from "../core/json.ts";
import { type OptionTable, readOptions } from "../core/options.ts";
import { defaultMaxSteps, maxPlanBytes, type PlanIssue } from "../core/plan.ts";
import type { Tool } from "../core/tool.ts";

/** Loaded when first used, as an app that only imports this package needs none of it at first. */
let checks: typeof import("./check-plan.ts") | undefined;

/** Options of {@link validatePlan}. @inline */
interface ValidatePlanOptions {
  /** The tools the plan may use. */
  readonly tools: readonly Tool[];
  /** @default 1000 */
  readonly maxSteps?: number | undefined;
}

const planOptions = {
  tools: (value) => indexTools(value as readonly Tool[]),
  maxSteps: { type: "number", min: 1, default: defaultMaxSteps },
} satisfies OptionTable<ValidatePlanOptions>;

/**
 * Every issue of a plan at once; an empty list means that it can run. Nothing is called and nothing is stored.
 *
 * Any value may be passed: it never rejects for a bad plan. Rejects with `invalid-options` for invalid options, such as
 * two tools of one name. Issues of an input at or below a reference are left out, as its value is not known yet; if the
 * tools' schemas state its type, that is checked.
 *
 * {@includeCode ../../examples/04-approve-a-plan.ts}
 * @group Plans
 */
export async function validatePlan(plan: unknown, options: ValidatePlanOptions): Promise<readonly PlanIssue[]> {
  const settings = readOptions(planOptions, options);
  const json = toJson(plan, { maxBytes: maxPlanBytes });
  checks ??= await countPending(import("./check-plan.ts"));
  return (await checks.checkPlan(json, settings)).issues;
}
