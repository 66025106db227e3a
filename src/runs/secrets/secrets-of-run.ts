import { countPending } from "../../async/pending-work.ts";
import type { AgentEvent, EventInit } from "../../core/events.ts";
import { deepFreeze, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Plan, PlanInput, PlanIssue } from "../../core/plan.ts";
import type { RunState } from "../../core/run-state.ts";
import { instanceAt, type StepState } from "../../core/step-state.ts";
import type { EngineSettings } from "../options.ts";
import type { Run } from "../run.ts";
import type { RunSettings } from "../run-options.ts";
import type { RunSecrets } from "./run-secrets.ts";
import type { SealingSettings } from "./secret-options.ts";

/** A run whose secrets are needed. */
interface SecretRun {
  readonly runId: string;
  readonly tools: RunSettings["tools"];
  /** Its stored state; all that is sealed in it is opened. */
  readonly state?: RunState | undefined;
}

/**
 * The secrets of a run; undefined if neither its engine's tools nor its state can have any. The sealing code is loaded
 * only here, and only if needed. Rejects with `secret-unreadable`.
 */
export function secretsOf({ sealing }: Sealing, run: SecretRun): Promise<RunSecrets> | undefined {
  return sealing === undefined && run.state?.mayBeSealed !== true ? undefined : loadSecrets(sealing, run);
}

/** As {@link secretsOf}, for a stored run, with all tools. */
export function secretsOfStored(
  { sealing, toolsByName }: Sealing & Pick<EngineSettings, "toolsByName">,
  state: RunState,
): Promise<RunSecrets> | undefined {
  return secretsOf({ sealing }, { runId: state.runId, tools: toolsByName, state });
}

type Sealing = Pick<EngineSettings, "sealing">;

async function loadSecrets(sealing: SealingSettings | undefined, { runId, tools, state }: SecretRun) {
  const { RunSecrets } = await countPending(import("./run-secrets.ts"));
  const secrets = await RunSecrets.create({ runId, tools, sealing });
  if (state?.mayBeSealed) await secrets.load(state);
  return secrets;
}

/** The events of a run with its secrets sealed for a fork; see `resealEvents` of `secrets/fork-secrets.ts`. */
export async function sealForFork(
  { sealing, toolsByName: tools }: Sealing & Pick<EngineSettings, "toolsByName">,
  { events, secrets, runId }: { events: readonly AgentEvent[]; secrets: RunSecrets; runId: string },
): Promise<readonly AgentEvent[]> {
  const { resealEvents } = await countPending(import("./fork-secrets.ts"));
  return resealEvents({ events, secrets, own: await loadSecrets(sealing, { runId, tools }) });
}

/** A part of a run's state with its secrets opened. */
export function opened<T>({ secrets }: { readonly secrets: RunSecrets | undefined }, value: T): T {
  return secrets === undefined ? value : secrets.open(value);
}

/** The steps of a planner that was shown `[sensitive]`, with secrets where they contain it again. */
export async function restoreSecrets(
  secrets: RunSecrets,
  { steps, state }: { readonly steps: unknown; readonly state: RunState },
): Promise<unknown> {
  const { restoreSteps } = await countPending(import("./plan-secrets.ts"));
  return restoreSteps(steps, secrets, state);
}

/** The input that replaces a step's own, as it is recorded; see `sealChange` of `secrets/plan-secrets.ts`. */
export async function sealChange(
  secrets: RunSecrets | undefined,
  { step, input }: { readonly step: StepState; readonly input: JsonObject },
): Promise<JsonObject> {
  if (secrets === undefined) return input;
  const seal = await countPending(import("./plan-secrets.ts"));
  return seal.sealChange(input, step, secrets);
}

/** Rejects with `invalid-plan` if a valid plan has secrets that cannot be sealed. */
export async function requireSealable({ sealing }: Sealing, { tools }: RunSettings, plan: PlanInput): Promise<void> {
  const secrets = await loadSecrets(sealing, { runId: "", tools });
  const check = await countPending(import("./plan-secrets.ts"));
  check.requireSealable(plan, secrets);
}

/** A valid plan by a planner, without the secrets that its `reasoning` repeats. */
export async function hideInReasoning({ sealing }: Sealing, { tools }: RunSettings, plan: Plan): Promise<Plan> {
  if (sealing === undefined) return plan;
  const shown = (await loadSecrets(sealing, { runId: "", tools })).hidePlan(plan).steps;
  const steps = plan.steps.map((step, index) =>
    step.reasoning ? { ...step, reasoning: shown[index]?.reasoning } : step,
  );
  return deepFreeze({ ...plan, steps });
}

/** The issues of an invalid plan, without the secrets that are in it. */
export async function hideInIssues(
  { sealing }: Sealing,
  { tools }: Pick<RunSettings, "tools">,
  { plan, issues }: { readonly plan: JsonValue; readonly issues: readonly PlanIssue[] },
): Promise<readonly PlanIssue[]> {
  if (sealing === undefined) return issues;
  const secrets = await loadSecrets(sealing, { runId: "", tools });
  const hide = await countPending(import("./plan-secrets.ts"));
  return hide.hideInIssues(issues, plan, secrets);
}

/** An event caused from outside a run, as it is recorded. What is sealed in it already was sealed elsewhere. */
export async function sealEvent(
  { secrets, state }: Pick<Run, "secrets" | "state">,
  event: EventInit,
): Promise<EventInit> {
  if (secrets === undefined) return event;
  // First, as a comment may repeat what the approver entered.
  if (event.type === "approval-end" && event.kind === "step" && event.outcome.status === "approved")
    await secrets.loadIn(instanceAt(state.steps, event)?.tool ?? "", "input", event.outcome.changed?.input);
  const hidden = secrets.hideInEvent(event);
  if (hidden.type === "run-settle" && hidden.outcome.status === "completed") {
    const tool = instanceAt(state.steps, hidden)?.tool ?? "";
    await secrets.loadIn(tool, "output", hidden.outcome.output);
    const output = await secrets.sealOutput(tool, secrets.open(hidden.outcome.output) as JsonValue);
    return { ...hidden, outcome: { ...hidden.outcome, output } };
  }
  return hidden;
}
