import { AgentError } from "../../core/errors.ts";
import type { EventInit } from "../../core/events.ts";
import { deepFreeze, hiddenText, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Plan, PlanInput, PlanIssue, PlanStep } from "../../core/plan.ts";
import type { RunState } from "../../core/run-state.ts";
import type { SchemaIssue } from "../../core/schema.ts";
import { toolOf } from "../../core/step.ts";
import { instanceAt, type StepState } from "../../core/step-state.ts";
import type { EngineSettings } from "../options.ts";
import type { Run } from "../run.ts";
import type { RunSettings } from "../run-options.ts";
import { invalidInput } from "../steps/step-call.ts";
import { mapHidden, mapSensitive, type Path, restoreSealed, sealedParts, visitSealed } from "./map-sensitive.ts";
import { RunSecrets } from "./run-secrets.ts";
import type { SealingSettings } from "./secret-options.ts";

/** A run whose secrets are needed. */
interface SecretRun {
  readonly runId: string;
  readonly tools: RunSettings["tools"];
  /** Its stored state; all that is sealed in it is opened. */
  readonly state?: RunState | undefined;
}

/**
 * The secrets of a run; undefined if neither its engine's tools nor its state can have any. Rejects with
 * `secret-unreadable`.
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

/** The secrets of a run, for its tools; what is sealed in its state is opened. Rejects with `secret-unreadable`. */
export async function loadSecrets(
  sealing: SealingSettings | undefined,
  { runId, tools, state }: SecretRun,
): Promise<RunSecrets> {
  const secrets = await RunSecrets.create({ runId, tools, sealing });
  if (state?.mayBeSealed) await secrets.load(state);
  return secrets;
}

/** A part of a run's state with its secrets opened. */
export function opened<T>({ secrets }: { readonly secrets: RunSecrets | undefined }, value: T): T {
  return secrets === undefined ? value : secrets.open(value);
}

/**
 * Rejects with `invalid-plan` for a valid plan whose secrets cannot be sealed, or are missing: `[sensitive]` is only what
 * is shown.
 */
export async function requireSealable({ sealing }: Sealing, { tools }: RunSettings, plan: PlanInput): Promise<void> {
  const secrets = await loadSecrets(sealing, { runId: "", tools });
  const issues = plan.steps.flatMap((step, index) =>
    issuesOf(step as PlanStep, secrets).map((issue) => ({ ...issue, path: ["steps", index, ...issue.path] })),
  );
  if (issues.length === 0) return;
  const message = `The plan's secrets cannot be kept: ${[...new Set(issues.map((issue) => issue.message))].join(" ")}`;
  throw new AgentError("invalid-plan", message, { details: { issues } });
}

function issuesOf(step: PlanStep, secrets: RunSecrets): readonly PlanIssue[] {
  const views = step.tool && secrets.viewsOf(step.tool);
  if (!views || step.tool === undefined) return [];
  const said: Path[] = [];
  const issues: PlanIssue[] = [];
  const replace = (value: unknown, path: Path) => {
    if (value !== hiddenText) said.push(path);
    else issues.push({ code: "invalid-input", path, message: notSaid });
    return value;
  };
  // The value of a reference may be a secret.
  const mapping = { replace, onReference: (path: Path) => said.push(path) };
  mapSensitive({ value: step.input, view: views.input, path: ["input"] }, mapping);
  if (secrets.canSeal) return issues;
  if (views.output !== undefined) said.push(["tool"]);
  const message = noKeyFor(step.tool);
  return [...issues, ...said.map((path) => ({ code: "no-secret-key" as const, path, message }))];
}

function noKeyFor(tool: string): string {
  return `${tool} has sensitive fields, and there is no key to seal them: give secrets: { keys } to createAgent.`;
}

const notSaid = `"${hiddenText}" stands for a value that is not shown; give the value itself.`;

/** A valid plan by a planner, without the secrets that its `reasoning` repeats. */
export async function hideInReasoning({ sealing }: Sealing, { tools }: RunSettings, plan: Plan): Promise<Plan> {
  if (sealing === undefined) return plan;
  const shown = (await loadSecrets(sealing, { runId: "", tools })).hidePlan(plan).steps;
  const steps = plan.steps.map((step, index) =>
    step.reasoning ? { ...step, reasoning: shown[index]?.reasoning } : step,
  );
  return deepFreeze({ ...plan, steps });
}

/** The issues of a plan that was refused, and so never sealed: a schema's message may quote a secret. */
export async function hideInIssues(
  { sealing }: Sealing,
  { tools }: Pick<RunSettings, "tools">,
  { plan, issues }: { readonly plan: JsonValue; readonly issues: readonly PlanIssue[] },
): Promise<readonly PlanIssue[]> {
  if (sealing === undefined) return issues;
  const secrets = await loadSecrets(sealing, { runId: "", tools });
  const { steps } = (plan ?? {}) as { readonly steps?: unknown };
  for (const step of Array.isArray(steps) ? steps : []) secrets.hideSecretsOf(step ?? {});
  return secrets.hideIn(issues);
}

/**
 * The steps of a planner that was shown `[sensitive]` and repeats it, with the secret in its place: that of a step of
 * the same tool at the same place, if there is only one.
 */
export function restoreSteps(steps: unknown, secrets: RunSecrets, state: RunState): unknown {
  if (!Array.isArray(steps)) return steps;
  const planned = new Map<string, Set<string>>();
  for (const plan of [state.plan, state.firstPlan]) {
    for (const step of plan?.steps ?? []) visitSealed(step.input, ["input"], addTo(planned, toolOf(step)));
  }
  const resolved = new Map<string, Set<string>>();
  for (const { tool, path, text } of sealedParts(state)) addTo(resolved, tool)(text, path);
  return steps.map((step: Partial<PlanStep> | null) => {
    if (typeof step?.input !== "object") return step;
    const input = mapHidden(step.input, ["input"], (path) => {
      const place = placeOf(String(step.tool), path);
      const known = onlyOf(planned.get(place));
      if (known !== undefined) return secrets.open({ $sealed: known });
      const value = onlyOf(resolved.get(place));
      // It is no longer a template.
      return value === undefined ? hiddenText : { $literal: secrets.open({ $sealed: value }) };
    });
    return { ...step, input };
  });
}

function addTo(places: Map<string, Set<string>>, tool: string): (text: string, path: Path) => void {
  return (text, path) => {
    const place = placeOf(tool, path);
    const texts = places.get(place) ?? new Set();
    places.set(place, texts.add(text));
  };
}

function placeOf(tool: string, path: Path): string {
  return JSON.stringify([tool, ...path]);
}

function onlyOf(texts: ReadonlySet<string> | undefined): string | undefined {
  return texts?.size === 1 ? [...texts][0] : undefined;
}

/**
 * The input that replaces a step's own, sealed as it is recorded: where `[sensitive]` remains, the secret stays. What
 * is already sealed was posted. Rejects with `invalid-tool-input` for a secret that is missing or cannot be sealed, and
 * `secret-unreadable`.
 */
export async function sealChange(
  secrets: RunSecrets | undefined,
  { step, input: given }: { readonly step: StepState; readonly input: JsonObject },
): Promise<JsonObject> {
  if (secrets === undefined) return given;
  await secrets.loadIn(step.tool, "input", given);
  const restored = restoreSealed(given, step.input);
  const input = secrets.open(restored);
  requireSealableInput(input, step, secrets);
  return secrets.sealInput(step.tool, input, secrets.mark(restored));
}

function requireSealableInput(input: JsonObject, step: StepState, secrets: RunSecrets): void {
  const issues: SchemaIssue[] = [];
  const replace = (value: unknown, path: Path) => {
    if (value === hiddenText) issues.push({ path, message: notSaid });
    else if (!secrets.canSeal) issues.push({ path, message: noKeyFor(step.tool) });
    return value;
  };
  mapSensitive({ value: input, view: secrets.viewsOf(step.tool)?.input, path: [] }, { replace });
  if (issues.length === 0) return;
  const { stepId: id, tool, iteration } = step;
  throw invalidInput(
    { step: { id, tool }, iteration: iteration === undefined ? undefined : { index: iteration } },
    issues,
  );
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
