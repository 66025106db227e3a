import { type Clock, systemClock } from "../async/clock.ts";
import { countPending } from "../async/promises.ts";
import { checkOption, failOption, type OptionTable, readOptions, type SettingsOf } from "../core/options.ts";
import type { Planner } from "../core/planner.ts";

/** Options of {@link createFallbackPlanner}. @inline */
export interface FallbackPlannerOptions {
  /** @default "fallback" */
  name?: string | undefined;
  /**
   * The longest time for each planner, at least 1. @default an equal share of what is left of `plannerTimeoutMs`: of
   * two planners with a model, the first has half of it, and the second whatever remains
   */
  timeoutMs?: number | undefined;
  /**
   * Whether the next planner is asked, too, when one says that the request cannot be planned. @default planners that
   * never ask a model are, such as the rule planner; one with a model is after one without, unless the reason says
   * that nothing is to be done as it stands, or what is missing
   */
  continueOnCannotPlan?: boolean | undefined;
  /** Time, for tests. @default the machine's */
  clock?: Clock | undefined;
}

/** The options of a chain of planners, which others may add to. */
export const chainOptions = {
  name: { type: "short-text", default: "fallback" },
  timeoutMs: { type: "duration", min: 1 },
  continueOnCannotPlan: { type: "boolean" },
  clock: { type: "clock", default: systemClock },
} satisfies OptionTable<FallbackPlannerOptions>;

/**
 * Combines several planners: each is asked once, in turn, until one returns a valid plan. `source` of the plan states
 * which one did, and why the ones before it failed; each failure emits a `plan-fallback` event.
 *
 * Put the rules first, then a model: it is asked for what they refuse, and what they plan of a request stays
 * (`PlanRequest.wishes`). It is not asked after `denied`, `others`, `repeated`, `later`, `condition`, `small-talk` and
 * `too-long`; nor, for a request of one wish, after `unbound`, or `missing` with all else understood and no free text in it;
 * nor after `ambiguous` with a `destructive` reading. When all have failed, planning fails with the last one's
 * `cannot-plan`, with the first one's if the last knows only that it did not understand, or else with `planning-failed`,
 * with every failure. Throws `invalid-options`.
 *
 * {@includeCode ../../examples/12-plan-with-a-model.ts}
 * @group Planners
 */
export function createFallbackPlanner(planners: readonly Planner[], options: FallbackPlannerOptions = {}): Planner {
  const settings = readOptions(chainOptions, options, "fallbackPlanner");
  if (!Array.isArray(planners)) failOption("fallbackPlanner", planners, "a list of planners");
  return chainPlanners("fallbackPlanner", planners, settings);
}

/** Like {@link createFallbackPlanner}, with checked options; `option` names the option that has the planners. */
export function chainPlanners(
  option: string,
  given: readonly Planner[],
  chain: SettingsOf<FallbackPlannerOptions, typeof chainOptions>,
): Planner {
  const planners = [...given];
  if (planners.length === 0) failOption(option, planners, "a list of at least one planner");
  for (const [index, planner] of planners.entries()) checkPlanner(`${option}[${index}]`, planner);
  const replanners = planners.filter((planner) => planner.replan !== undefined);
  return {
    name: chain.name,
    usesModel: planners.some(({ usesModel }) => usesModel !== false),
    plan: async (request) => (await loadChain()).planInTurn(planners, { ...chain, request }),
    ...(replanners.length > 0 && {
      replan: async (request) => (await loadChain()).replanInTurn(replanners, { ...chain, request }),
    }),
  };
}

let loading: Promise<typeof import("./fallback-planner-runtime.ts")> | undefined;

/** The code that asks and checks is loaded by the first request, not when planners are listed. */
function loadChain(): Promise<typeof import("./fallback-planner-runtime.ts")> {
  loading ??= countPending(import("./fallback-planner-runtime.ts"));
  return loading;
}

/** Throws `invalid-options` for anything that is not a planner. */
export function checkPlanner(option: string, planner: Partial<Planner> | null | undefined): void {
  if (typeof planner?.plan !== "function" || typeof planner.name !== "string")
    failOption(option, planner, "a planner (with name and plan)");
  checkOption({ type: "function" }, planner.replan, `${option}.replan`);
}
