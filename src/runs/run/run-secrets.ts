import { type ApprovedCall, canonicalCall } from "../../core/approval.ts";
import { AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import type { AgentEvent, EventInit, StoredRunOptions } from "../../core/events.ts";
import { HiddenTexts } from "../../core/hidden-texts.ts";
import {
  canonicalJson,
  deepFreeze,
  hiddenText,
  isHolder,
  isSealed,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  mapItems,
  mapLeaves,
  replaceSealed,
} from "../../core/json.ts";
import type { Plan, PlanInput, PlanIssue, PlanStep, ToolStep } from "../../core/plan.ts";
import { instanceAt, type RunState, type StepState } from "../../core/run-state.ts";
import type { SchemaIssue } from "../../core/schema.ts";
import { callsTool, toolOf } from "../../core/step.ts";
import type { Tool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { canonicalPlan } from "../../plan/hash-plan.ts";
import type { EngineSettings } from "./engine-settings.ts";
import { RunKeys } from "./run-keys.ts";
import {
  hasHidden,
  hideInput,
  mapSensitive,
  markPlanned,
  markValue,
  type SealedPart,
  type SensitiveViews,
  sealedPartsIn,
  sensitiveViewsOf,
  visitSealed,
} from "./sensitive-values.ts";

export function secretsOf(
  { sealing, secretKeys: keys, toolsByName }: SecretSettings,
  run: Partial<RunWithSecrets>,
): Promise<RunSecrets> | undefined {
  const { state, runId = state?.runId ?? "", tools = toolsByName } = run;
  if (sealing === undefined && state?.mayBeSealed !== true) return undefined;
  return RunSecrets.create({ runId, tools, sealing: sealing ?? { keys }, state });
}

interface RunWithSecrets {
  readonly runId: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly state?: RunState | undefined;
}

type SecretSettings = Pick<EngineSettings, "sealing" | "secretKeys" | "toolsByName">;

export async function secretsIfReadable(
  settings: SecretSettings,
  run: { readonly state: RunState },
): Promise<RunSecrets | undefined> {
  return secretsOf(settings, run)?.catch((thrown) => {
    if (!isAgentError(thrown, "secret-unreadable")) throw thrown;
    return undefined;
  });
}

/** Cancelling may undo steps, which needs their secrets. */
export function needsKeyToCancel(run: { state: RunState; secrets: RunSecrets | undefined }): boolean {
  const { options, mayBeSealed } = run.state;
  return options?.undoOnFailure === true && mayBeSealed === true && run.secrets === undefined;
}

export function opened<T>({ secrets }: { readonly secrets: RunSecrets | undefined }, value: T): T {
  return secrets === undefined ? value : secrets.open(value);
}

interface Filled {
  readonly input: JsonObject;
  readonly error?: AgentErrorData;
}

/** Seals, opens and hides the secrets of a run. A secret is sealed once per place, so that equal values stay equal. */
export class RunSecrets {
  readonly #hidden = new HiddenTexts();
  readonly #values = new Map<string, JsonValue>();
  readonly #sealed = new Map<string, Promise<string>>();
  readonly #openedOf = new WeakMap<object, unknown>();
  readonly #markedOf = new WeakMap<object, unknown>();
  readonly #views = new Map<string, SensitiveViews>();
  readonly #keys: RunKeys;
  readonly canSeal: boolean;

  private constructor(
    private readonly runId: string,
    sealing: SecretSettings["sealing"],
  ) {
    this.canSeal = sealing?.keys !== undefined;
    this.#keys = new RunKeys(runId, sealing?.keys ?? []);
  }

  static async create({ runId, tools, sealing, state }: RunWithSecrets & Pick<SecretSettings, "sealing">) {
    const secrets = new RunSecrets(runId, sealing);
    for (const tool of tools.values()) {
      const schemas = toolSchemas(tool);
      const views = sensitiveViewsOf(schemas instanceof Promise ? await schemas : schemas);
      if ((views.input ?? views.output) !== undefined) secrets.#views.set(tool.name, views);
    }
    if (state?.mayBeSealed) await secrets.#load(sealedPartsOf(state));
    return secrets;
  }

  loadIn(tool: string, part: "input" | "output", value: unknown): Promise<void> {
    return this.#load([...visitSealed(value, [part])].map((found) => ({ tool, ...found })));
  }

  async #load(parts: Iterable<SealedPart>): Promise<void> {
    const byPlace = new Map<string, SealedPart>();
    for (const part of parts) byPlace.set(`${part.text} ${this.#placeOf(part)}`, part);
    await Promise.all(
      [...byPlace.values()].map(async (part) => {
        const place = this.#placeOf(part);
        const value = await this.#keys.open(part.text, place);
        this.#values.set(part.text, value);
        this.#hidden.add(value);
        const key = keyOf(place, value);
        if (!this.#sealed.has(key)) this.#sealed.set(key, Promise.resolve(part.text));
      }),
    );
  }

  get hasAny(): boolean {
    return this.#values.size > 0;
  }

  concerns({ tool }: { readonly tool: Tool }): boolean {
    return this.hasAny || this.#views.has(tool.name);
  }

  isIn(value: unknown): boolean {
    return this.open(value) !== value;
  }

  /** Nothing derived from the result may be recorded. */
  open<T>(value: T): T {
    return this.#cached(value, this.#openedOf, (secret) => secret);
  }

  #mark<T>(value: T): T {
    return this.#cached(value, this.#markedOf, markValue);
  }

  #cached<T>(value: T, cache: WeakMap<object, unknown>, of: (secret: JsonValue) => JsonValue): T {
    if (!isHolder(value)) return value;
    const known = cache.get(value);
    if (known !== undefined) return known as T;
    const made = this.#replace(value, of);
    if (Object.isFrozen(value)) cache.set(value, made);
    return made;
  }

  #replace<T>(value: T, of: (secret: JsonValue) => JsonValue): T {
    return replaceSealed(value, ({ $sealed }) => of(this.#values.get($sealed) as JsonValue));
  }

  async sealPlan(plan: Plan): Promise<Plan> {
    const steps = await Promise.all(
      plan.steps.map(async (step) => {
        if (!callsTool(step)) return step;
        const input = await this.seal(step.tool, { value: step.input, part: "input", isPlanned: true });
        return input === step.input ? step : { ...step, input };
      }),
    );
    // All secrets are known now. Reasoning that repeats one is sealed as a whole, so that the plan keeps its hash.
    const reasoned = steps.map(async (step) => {
      const { reasoning = "" } = step;
      if (this.hideIn(reasoning) === reasoning) return step;
      const $sealed = await this.#sealAt({ tool: toolOf(step), path: ["reasoning"] }, reasoning);
      return { ...step, reasoning: { $sealed } as never };
    });
    // The source may quote a model's answer.
    return deepFreeze({ ...plan, source: this.hideIn(plan.source), steps: await Promise.all(reasoned) });
  }

  /** Calls `fill` first with marks in place of secrets, so that no error reveals a secret. */
  async fill(step: ToolStep, fill: (step: ToolStep, open: <T>(value: T) => T) => Filled): Promise<Filled> {
    const planned = this.#replace(step.input, markPlanned);
    const marked = fill({ ...step, input: planned }, (value) => this.#mark(value));
    const filled = marked.error === undefined ? fill(this.open(step), (value) => this.open(value)) : marked;
    if (filled.error !== undefined) return { ...filled, input: step.input };
    return { input: await this.seal(step.tool, { value: filled.input, part: "input", marked: marked.input }) };
  }

  async seal<T extends JsonValue>(tool: string, { value, part, marked, isPlanned = false }: ToSeal<T>): Promise<T> {
    const view = this.#views.get(tool)?.[part];
    if (view === undefined && marked === undefined) return value;
    const jobs: Promise<object>[] = [];
    const replace = (secret: unknown, path: JsonPath) => {
      const sealed = { $sealed: "" };
      jobs.push(
        this.#sealAt({ tool, path }, secret as JsonValue).then(($sealed) => Object.assign(sealed, { $sealed })),
      );
      return sealed;
    };
    const onReference = isPlanned ? () => {} : undefined;
    const mapped = mapSensitive(value, { view, marked, path: [part], replace, onReference });
    await Promise.all(jobs);
    return deepFreeze(mapped);
  }

  #sealAt(at: Omit<SealedPart, "text">, value: JsonValue): Promise<string> {
    const place = this.#placeOf(at);
    const key = keyOf(place, value);
    const known = this.#sealed.get(key);
    if (known !== undefined) return known;
    // Hides the value from now on, even before it is sealed.
    this.#hidden.add(value);
    const sealing = this.#keys.seal(value, place).then((text) => {
      this.#values.set(text, value);
      return text;
    });
    this.#sealed.set(key, sealing);
    return sealing;
  }

  sealParsed(tool: string, value: JsonValue, given: JsonObject): Promise<JsonValue> {
    return this.seal(tool, { value, part: "input", marked: this.#markParsed(tool, value, given) });
  }

  hideParsed(tool: string, value: JsonValue, given: JsonObject): JsonValue {
    const view = this.#views.get(tool)?.input;
    const marked = this.#markParsed(tool, value, given);
    return mapSensitive(value, { view, marked, replace: () => hiddenText });
  }

  /** Marks texts and numbers that may derive from a secret: all but literals of the schema and unchanged input. */
  #markParsed(tool: string, value: JsonValue, given: JsonObject): unknown {
    const literals = this.#views.get(tool)?.literals;
    const mark = (part: JsonValue, place: unknown): unknown => {
      if (typeof part === "string" || typeof part === "number")
        return part === place || literals?.has(part) ? part : markValue(part);
      if (!isHolder(part)) return part;
      if (!Array.isArray(part) && Object.keys(part).some((key) => this.#hidden.isRepeatedIn(key)))
        return markValue(part);
      const places = (typeof place === "object" ? place : undefined) as Readonly<Record<string, unknown>> | undefined;
      return mapItems(part, (item, key) => mark(item as JsonValue, places?.[key]));
    };
    return hasHidden(given) ? mark(value, given) : value;
  }

  /** Replaces secrets with placeholders, which are never recorded. */
  holdItems(items: readonly JsonValue[]): readonly JsonValue[] {
    const keep = (leaf: unknown): unknown => {
      if (!this.#hidden.isRepeatedIn(leaf)) return leaf;
      const $sealed = `held.${this.#values.size}`;
      this.#values.set($sealed, leaf as JsonValue);
      return { $sealed };
    };
    return items.map((item) => deepFreeze(mapLeaves(item, keep)));
  }

  async sealChange(
    step: StepState,
    given: JsonObject,
    refuse: (issues: readonly SchemaIssue[]) => AgentError,
  ): Promise<JsonObject> {
    const { tool } = step;
    await this.loadIn(tool, "input", given);
    const restored = this.restore(given, step.input);
    const input = this.open(restored);
    const issues = this.#findIssues(tool, { value: input, path: [] });
    if (issues.length > 0) throw refuse(issues.map(({ path, message }) => ({ path, message })));
    return this.seal(tool, { value: input, part: "input", marked: this.#mark(restored) });
  }

  restore(given: JsonObject, recorded: JsonObject): JsonObject {
    const restore = (part: unknown, known: unknown): unknown => {
      if (part === hiddenText && isSealed(known)) return known;
      return isHolder(part) ? mapItems(part, (item, key) => restore(item, Object(known)[key])) : part;
    };
    return restore(given, recorded) as JsonObject;
  }

  /** Replaces a repeated `[sensitive]` with its secret, if the steps of the tool have only one secret at this place. */
  restoreSteps(steps: unknown, state: RunState): unknown {
    if (!Array.isArray(steps)) return steps;
    const planned = textByPlace(sealedPartsIn([state.plan, state.firstPlan]));
    const resolved = textByPlace(sealedPartsOf(state));
    const restore = (part: unknown, path: JsonPath): unknown => {
      if (isHolder(part)) return mapItems(part, (item, key) => restore(item, [...path, key]));
      const place = part === hiddenText ? JSON.stringify(path) : "";
      const known = planned.get(place);
      if (known !== undefined) return this.#values.get(known);
      const text = resolved.get(place);
      return text === undefined ? part : { $literal: this.#values.get(text) };
    };
    return steps.map((step: Partial<PlanStep> | null) =>
      isHolder(step?.input) ? { ...step, input: restore(step.input, [String(step.tool), "input"]) } : step,
    );
  }

  async sealEvent({ steps }: RunState, event: EventInit): Promise<EventInit> {
    // The comment may repeat the approver's input, which is therefore loaded first.
    if (event.type === "approval-end" && event.kind === "step" && event.outcome.status === "approved")
      await this.loadIn(instanceAt(steps, event)?.tool ?? "", "input", event.outcome.changed?.input);
    const hidden = this.hideInEvent(event);
    if (hidden.type !== "run-settle" || hidden.outcome.status !== "completed") return hidden;
    const tool = instanceAt(steps, hidden)?.tool ?? "";
    await this.loadIn(tool, "output", hidden.outcome.output);
    const output = await this.seal(tool, { value: this.open(hidden.outcome.output) as JsonValue, part: "output" });
    return { ...hidden, outcome: { ...hidden.outcome, output } };
  }

  async sealFor(fork: RunSecrets, events: readonly AgentEvent[]): Promise<readonly AgentEvent[]> {
    const parts = [...sealedPartsIn(events)];
    await this.#load(parts);
    const texts = new Map<string, string>();
    for (const part of parts)
      if (!texts.has(part.text))
        texts.set(part.text, await fork.#sealAt(part, this.#values.get(part.text) as JsonValue));
    return events.map((event) =>
      replaceSealed(event, ({ $sealed }) => {
        const text = texts.get($sealed);
        if (text === undefined) throw misplaced(fork.runId);
        return { $sealed: text };
      }),
    );
  }

  hideIn<T>(value: T): T {
    return this.#hidden.hideIn(value);
  }

  hideInEvent<TInit extends EventInit>(init: TInit): TInit {
    const { step, outcome } = init as EventInit & { readonly step?: PlanStep; readonly outcome?: object };
    const hidden = this.#hideParts(init, ["error", "cause", "value", "progress"]);
    const parts = ["error", "by", "comment", ...(init.type === "step-late" ? ["output"] : [])];
    // The reasoning in an unfinished plan may repeat the secret of a later step.
    const { reasoning: _reasoning, ...preview } = step ?? {};
    return {
      ...hidden,
      ...(init.type === "plan-delta" && { step: this.hideStep(preview) }),
      ...(outcome !== undefined && { outcome: this.#hideParts(outcome, parts) }),
    } as TInit;
  }

  #hideParts(holder: object, names: readonly string[]): object {
    return mapItems(holder, (part, name) => {
      if (!names.includes(String(name))) return part;
      return this.#hidden.hideIn(part, name !== "error" && name !== "cause");
    });
  }

  hideStep<TStep extends Partial<Pick<ToolStep, "tool" | "input" | "reasoning">>>(step: TStep): TStep {
    const input = this.#hideSecretsOf(step);
    const reasoning = this.hideIn(step.reasoning);
    if (input === step.input && reasoning === step.reasoning) return step;
    return deepFreeze({ ...step, ...(input && { input }), ...(reasoning !== undefined && { reasoning }) });
  }

  #hideSecretsOf<T>({ tool, input }: { readonly tool?: unknown; readonly input?: T }): T | undefined {
    return hideInput(input, this.#views.get(tool as string)?.input, (secret) => this.#hidden.add(secret));
  }

  hidePlan(plan: Plan): Plan {
    for (const step of plan.steps) this.#hideSecretsOf(step);
    return deepFreeze({ ...plan, steps: plan.steps.map((step) => this.hideStep(step)) });
  }

  hideInReasoning(plan: Plan): Plan {
    for (const step of plan.steps) this.#hideSecretsOf(step);
    const steps = plan.steps.map((step) =>
      step.reasoning ? { ...step, reasoning: this.hideIn(step.reasoning) } : step,
    );
    return deepFreeze({ ...plan, steps });
  }

  /** A schema's message may quote a secret, and a refused plan was never sealed. */
  hideInIssues(issues: readonly PlanIssue[], plan: JsonValue): readonly PlanIssue[] {
    const { steps } = (plan ?? {}) as { readonly steps?: unknown };
    for (const step of Array.isArray(steps) ? steps : []) this.#hideSecretsOf(step ?? {});
    return this.hideIn(issues);
  }

  requireSealable(plan: PlanInput): void {
    const issues = plan.steps.flatMap(({ tool = "", input }, index) =>
      this.#findIssues(tool, { value: input, path: ["input"], isPlanned: true }).map((issue) => ({
        ...issue,
        path: ["steps", index, ...issue.path],
      })),
    );
    if (issues.length === 0) return;
    const message = `Cannot seal the plan's secrets: ${[...new Set(issues.map((issue) => issue.message))].join(" ")}`;
    throw new AgentError("invalid-plan", message, { details: { issues } });
  }

  #findIssues(tool: string, { value, path, isPlanned = false }: ToCheck): readonly PlanIssue[] {
    const views = this.#views.get(tool);
    if (views === undefined) return [];
    const issues: PlanIssue[] = [];
    const toSeal: JsonPath[] = [];
    const replace = (secret: unknown, at: JsonPath) => {
      if (secret === hiddenText) issues.push({ code: "invalid-input", path: at, message: notSaid });
      else toSeal.push(at);
      return secret;
    };
    // A reference may resolve to a secret.
    const onReference = isPlanned ? (at: JsonPath) => void toSeal.push(at) : undefined;
    mapSensitive(value, { view: views.input, path, replace, onReference });
    if (this.canSeal) return issues;
    if (isPlanned && views.output !== undefined) toSeal.push(["tool"]);
    const message = `${tool} has sensitive fields, and there is no key to seal them: pass secrets: { keys } to createAgent.`;
    return [...issues, ...toSeal.map((at) => ({ code: "no-secret-key" as const, path: at, message }))];
  }

  async hashCall(call: ApprovedCall, known?: string): Promise<string> {
    const text = canonicalCall({ ...call, input: this.open(call.input) });
    return known !== undefined && (await this.#keys.isHash(known, text)) ? known : this.#keys.hash(text);
  }

  hashPlan(plan: Plan): Promise<string> {
    return this.#keys.hash(canonicalPlan(this.open(plan)));
  }

  /** Neither hash may appear in a message. */
  isHashOf(recorded: string, hash: string): Promise<boolean> {
    this.#hidden.add(recorded);
    this.#hidden.add(hash);
    return this.#keys.isHash(recorded, hash);
  }

  /** Replaces the plain hash of the plan, from which its secrets could be guessed. */
  async sealOptions(options: StoredRunOptions): Promise<StoredRunOptions> {
    const { approvedHash } = options;
    if (approvedHash === undefined || !this.canSeal) return options;
    return { ...options, approvedHash: await this.#keys.hash(approvedHash) };
  }

  #placeOf({ tool, path }: Omit<SealedPart, "text">): string {
    return JSON.stringify([this.runId, tool, ...path]);
  }
}

const notSaid = `"${hiddenText}" stands for a hidden value; pass the value itself.`;

interface ToSeal<T> {
  readonly value: T;
  readonly part: "input" | "output";
  readonly marked?: unknown;
  readonly isPlanned?: boolean;
}

type ToCheck = Omit<ToSeal<unknown>, "part" | "marked"> & { readonly path: JsonPath };

function keyOf(place: string, value: JsonValue): string {
  return `${place} ${canonicalJson(value)}`;
}

function sealedPartsOf({ givenPlan, firstPlan, plan, steps }: RunState): Iterable<SealedPart> {
  return sealedPartsIn([givenPlan, firstPlan, plan, ...steps.values()]);
}

function textByPlace(parts: Iterable<SealedPart>): ReadonlyMap<string, string | undefined> {
  const places = new Map<string, string | undefined>();
  for (const { tool, path, text } of parts) {
    const place = JSON.stringify([tool, ...path]);
    const isOther = places.has(place) && places.get(place) !== text;
    places.set(place, isOther ? undefined : text);
  }
  return places;
}

function misplaced(runId: string): AgentError<"secret-unreadable"> {
  const message = `A secret for run "${runId}" cannot be read: it is not in an input or output. Nothing was run.`;
  return new AgentError("secret-unreadable", message, { details: { runId, keyId: "", available: [] } });
}
