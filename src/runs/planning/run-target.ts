import { toTimestamp } from "../../async/clock.ts";
import { AgentError } from "../../core/errors.ts";
import { formatVersion, type RunResumeEvent } from "../../core/events.ts";
import { deepFreeze, toJson } from "../../core/json.ts";
import { maxPlanBytes, type Plan, type PlanInput } from "../../core/plan.ts";
import type { RunState } from "../../core/run-state.ts";
import { planVersionOf } from "../../core/step.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { type ToolFingerprint, toolFingerprint } from "../../core/tool-schemas.ts";
import { canonicalPlan, hashPlan } from "../../plan/hash-plan.ts";
import { checkOnce, invalidPlan, rememberPlan } from "../../plan/validate-plan.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import type { Run } from "../run/run.ts";
import type { RunSettings } from "../run/run-options.ts";
import { opened, type RunSecrets, secretsOf } from "../run/run-secrets.ts";

export type RunTarget = { readonly request: string } | { readonly plan: PlanInput };

export type ThreadedTarget = RunTarget & { readonly thread: string | undefined };

export function targetOf({ request, givenPlan, thread }: RunState): ThreadedTarget {
  return request === undefined ? { plan: givenPlan as PlanInput, thread } : { request, thread };
}

export function identityOf(
  { thread, ...target }: ThreadedTarget,
  limits: Pick<EngineSettings, "maxRequestLength">,
): string {
  const identity = identityOfTarget(target, limits);
  return thread === undefined ? identity : `${JSON.stringify(thread)} ${identity}`;
}

function identityOfTarget(target: RunTarget, { maxRequestLength }: Pick<EngineSettings, "maxRequestLength">): string {
  // An overlong request is cut, as only its beginning is stored.
  if ("request" in target)
    return typeof target.request === "string" ? `request ${target.request.slice(0, maxRequestLength)}` : "no text";
  const json = toJson(target.plan, { maxBytes: maxPlanBytes });
  if (!json.ok || typeof json.value !== "object" || json.value === null) return "not a plan";
  return `plan ${canonicalPlan(json.value as unknown as PlanInput)}`;
}

export type RunBeginning = { readonly request: string } | { readonly plan: Plan };

export async function completePlan(engine: EngineSettings, settings: RunSettings, given: PlanInput): Promise<Plan> {
  const plan = await requireValid(engine, settings, { plan: given, complaint: "The plan is invalid" });
  (await secretsOf(engine, settings))?.requireSealable(plan);
  await requireApproved(plan, { settings });
  return plan === given ? (plan as Plan) : rememberPlan(withDefaults(engine, plan));
}

export async function requireValid(
  engine: EngineSettings,
  settings: RunSettings,
  { plan: given, complaint }: { readonly plan: unknown; readonly complaint: string },
): Promise<PlanInput> {
  const { events, expressions } = engine;
  const scope = { tools: settings.tools, maxSteps: settings.stored.maxSteps, events, expressions };
  const { plan, issues, json = null } = await checkOnce(given, scope);
  if (plan !== undefined) return plan;
  const secrets = await secretsOf(engine, settings);
  throw invalidPlan(complaint, secrets?.hideInIssues(issues, json) ?? issues);
}

export function withDefaults(engine: Pick<EngineSettings, "clock" | "createId">, plan: PlanInput): Plan {
  const { id = `plan_${engine.createId()}`, request = "", source = { planner: "given" } } = plan;
  const createdAt = plan.createdAt ?? toTimestamp(engine.clock.now());
  const steps = plan.steps as Plan["steps"];
  return deepFreeze({ version: plan.version ?? planVersionOf(plan.steps), id, request, source, createdAt, steps });
}

export async function requireApproved(
  plan: PlanInput,
  { settings, secrets }: { readonly settings: RunSettings; readonly secrets?: RunSecrets | undefined },
): Promise<void> {
  const { approvedHash } = settings.stored;
  if (approvedHash === undefined) return;
  const planHash = await hashPlan(opened({ secrets }, plan));
  if (planHash === approvedHash || (await secrets?.isHashOf(approvedHash, planHash))) return;
  const message = `The plan's hash is ${planHash}, but ${approvedHash} was approved. Approve this plan first.`;
  throw new AgentError("plan-not-approved", message, { details: { approvedHash, planHash } });
}

export function executionHeader({ engine, runId, secrets }: Run, tools: readonly ToolFingerprint[]): ExecutionHeader {
  const traceparent = engine.traceparent?.(runId);
  return {
    version: formatVersion,
    ...(secrets && { mayBeSealed: true }),
    ...(traceparent !== undefined && { traceparent }),
    tools,
  };
}

type ExecutionHeader = Pick<RunResumeEvent, "version" | "mayBeSealed" | "traceparent" | "tools">;

const fingerprints = new WeakMap<ReadonlyMap<string, DefinedTool>, readonly ToolFingerprint[]>();

export async function fingerprintsOf(tools: ReadonlyMap<string, DefinedTool>): Promise<readonly ToolFingerprint[]> {
  const found = fingerprints.get(tools) ?? Object.freeze(await Promise.all([...tools.values()].map(toolFingerprint)));
  fingerprints.set(tools, found);
  return found;
}
