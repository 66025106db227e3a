import { checkFunction, checkKeys, failOption } from "../core/options.ts";
import type { PlanDraft, Planner, PlanRequest, ReplanRequest } from "../core/planner.ts";
import { createFallbackPlanner, type FallbackPlannerOptions } from "./fallback-planner.ts";
import { estimateComplexity, type RequestComplexity } from "./request-complexity.ts";

/** One planner, or several that are asked in turn as by `createFallbackPlanner`. */
export type PlannerRoute = Planner | readonly Planner[];

/** Options of {@link createRoutingPlanner}: a planner for each kind of request, and how they are told apart. */
export interface RoutingPlannerOptions extends FallbackPlannerOptions {
  /** For what is one clause: rules, or a small model. */
  simple: PlannerRoute;
  /** For a few clauses, one of which may refer to another. */
  moderate: PlannerRoute;
  /** For conditions, loops and long requests: a strong model. */
  complex: PlannerRoute;
  /** Says how complex a request is. What it throws, planning fails with. @default `estimateComplexity`, by the words */
  classify?: ((request: PlanRequest) => RequestComplexity | Promise<RequestComplexity>) | undefined;
}

const routes = ["simple", "moderate", "complex"] as const;

/**
 * Makes a planner that asks another one by how complex a request is, so that what rules or a small model can do never waits
 * for a large one. Behind each may be others, asked when it fails. `source.route` of a plan says which way it went.
 *
 * Throws `invalid-options`; its plans, `planning-failed` if `classify` answers anything else.
 */
export function createRoutingPlanner(options: RoutingPlannerOptions): Planner {
  checkKeys("routingPlanner", options, [...routes, "classify", "name", "timeoutMs", "continueOnCannotPlan", "clock"]);
  const { simple, moderate, complex, classify = estimateComplexity, name = "routing", ...rest } = options;
  checkFunction("routingPlanner.classify", classify);
  const toPlanner = (route: PlannerRoute): Planner =>
    createFallbackPlanner(Array.isArray(route) ? route : [route as Planner], { ...rest, name });
  const planners = { simple: toPlanner(simple), moderate: toPlanner(moderate), complex: toPlanner(complex) };
  const routeOf = async (request: PlanRequest): Promise<RequestComplexity> => {
    const route = await classify(request);
    if (Object.hasOwn(planners, route)) return route;
    return failOption("routingPlanner.classify", route, `a function that answers ${routes.join(", ")}`);
  };
  const plan = async (request: PlanRequest): Promise<PlanDraft> => {
    const route = await routeOf(request);
    return withRoute(await planners[route].plan(request), route);
  };
  const replan = async (request: ReplanRequest): Promise<PlanDraft> => {
    const route = await routeOf(request);
    const { replan: replanBy } = planners[route];
    if (replanBy === undefined) throw new TypeError(`No planner of the route "${route}" has a replan method.`);
    return withRoute(await replanBy(request), route);
  };
  const canReplan = routes.some((route) => planners[route].replan !== undefined);
  return { name, plan, ...(canReplan && { replan }) };
}

function withRoute(draft: PlanDraft, route: RequestComplexity): PlanDraft {
  return draft.source === undefined ? draft : { ...draft, source: { ...draft.source, route } };
}
