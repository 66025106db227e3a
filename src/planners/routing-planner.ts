import { monotonicNow } from "../async/clock.ts";
import { countPending } from "../async/promises.ts";
import { failOption, type OptionTable, readOptions } from "../core/option-tables.ts";
import type { PlanDraft, Planner, PlanRequest, ReplanRequest } from "../core/planner.ts";
import { chainOptions, chainPlanners, checkPlanner, type FallbackPlannerOptions } from "./fallback-planner.ts";
import type { RequestComplexity } from "./request-complexity.ts";

/** One planner, or several, which are asked in order as by `createFallbackPlanner`. @inline */
export type PlannerRoute = Planner | readonly Planner[];

/** Options of {@link createRoutingPlanner}: a planner for each complexity, and a classifier of requests. @inline */
export interface RoutingPlannerOptions extends FallbackPlannerOptions {
  /** For requests with one wish: rules, or a small model. */
  simple: PlannerRoute;
  /** For requests with a few wishes, one of which may refer to another. */
  moderate: PlannerRoute;
  /** For conditions, loops and long requests: a strong model. */
  complex: PlannerRoute;
  /** Returns the complexity of a request. Planning fails if it throws. @default an estimate from the words */
  classify?: ((request: PlanRequest) => RequestComplexity | Promise<RequestComplexity>) | undefined;
  /** @default "routing" */
  name?: string | undefined;
}

const routes = ["simple", "moderate", "complex"] as const;

/** A function, because bundlers cannot drop a constant that spreads another object. */
const routingOptions = () =>
  ({
    simple: plannersOf,
    moderate: plannersOf,
    complex: plannersOf,
    classify: { type: "function", default: classifyByWords },
    ...chainOptions,
    name: { type: "short-text", default: "routing" },
  }) satisfies OptionTable<RoutingPlannerOptions>;

/**
 * Creates a planner that chooses among others by the complexity of a request, so that simple requests do not wait for a
 * large model. If a route has several planners, the next is asked when one fails. `source.route` of a plan names the
 * route. Throws `invalid-options`. If `classify` returns an unknown route, planning fails with `planning-failed`.
 *
 * {@includeCode ../../examples/13-route-and-budget.ts}
 * @group Planners
 */
export function createRoutingPlanner(options: RoutingPlannerOptions): Planner {
  const settings = readOptions(routingOptions(), options, "routingPlanner");
  const { classify, name, clock } = settings;
  const toPlanner = (route: RequestComplexity): Planner =>
    chainPlanners(`routingPlanner.${route}`, settings[route], settings);
  const planners = { simple: toPlanner("simple"), moderate: toPlanner("moderate"), complex: toPlanner("complex") };
  const askRoute = async <TRequest extends PlanRequest>(
    request: TRequest,
    ask: (planner: Planner, routed: TRequest) => PlanDraft | Promise<PlanDraft> | undefined,
  ): Promise<PlanDraft> => {
    const startMs = monotonicNow(clock);
    const answer: unknown = await classify(request);
    const route = routes.find((known) => known === answer);
    if (route === undefined)
      return failOption("routingPlanner.classify", answer, `a function that returns one of ${routes.join(", ")}`, true);
    // The time limit includes the classifier.
    const { timeoutMs } = request;
    const leftMs = timeoutMs && Math.max(0, timeoutMs - (monotonicNow(clock) - startMs));
    const draft = await ask(planners[route], { ...request, timeoutMs: leftMs });
    if (draft === undefined) throw new TypeError(`No planner of the route "${route}" has a replan method.`);
    return { ...draft, source: { planner: name, ...draft.source, route } };
  };
  const plan = (request: PlanRequest) => askRoute(request, (planner, routed) => planner.plan(routed));
  const replan = (request: ReplanRequest) => askRoute(request, (planner, routed) => planner.replan?.(routed));
  const canReplan = routes.some((route) => planners[route].replan !== undefined);
  const usesModel = routes.some((route) => planners[route].usesModel !== false);
  return { name, usesModel, plan, ...(canReplan && { replan }) };
}

async function classifyByWords(request: PlanRequest): Promise<RequestComplexity> {
  const { estimateComplexity } = await countPending(import("./request-complexity.ts"));
  return estimateComplexity(request);
}

function plannersOf(route: unknown, option: string): readonly Planner[] {
  if (Array.isArray(route)) return route;
  checkPlanner(option, route as Planner);
  return [route as Planner];
}
