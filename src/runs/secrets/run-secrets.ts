import type { ApprovedCall } from "../../core/approval.ts";
import type { EventInit, StoredRunOptions } from "../../core/events.ts";
import { canonicalJson, deepFreeze, type JsonObject, type JsonValue, replaceSealed } from "../../core/json.ts";
import type { Plan, ToolStep } from "../../core/plan.ts";
import type { RunState } from "../../core/run-state.ts";
import { callsTool, stepRefOf, toolOf } from "../../core/step.ts";
import type { Tool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { canonicalPlan } from "../../plan/hash-plan.ts";
import { HiddenTexts, hideInEvent } from "./hidden-texts.ts";
import {
  hideInput,
  mapLeaves,
  mapSensitive,
  type Path,
  type SealedPart,
  type SealedPlace,
  type SensitiveViews,
  sealedParts,
  sealedPartsIn,
  sensitiveViewsOf,
} from "./map-sensitive.ts";
import { markPlanned, markValue } from "./marked-values.ts";
import { RunKeys } from "./run-keys.ts";
import type { SealingSettings } from "./secret-options.ts";

/** What a run needs to seal and open its secrets. */
interface RunSecretsOptions {
  readonly runId: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly sealing: SealingSettings | undefined;
}

/**
 * The secrets of one run. Its events and state contain them sealed; this has their values while the run is active in
 * this process. The same value at the same place is sealed once, so that equal values stay equal.
 */
export class RunSecrets {
  /** What is replaced in messages. */
  private readonly hidden = new HiddenTexts();
  /** By sealed text. */
  private readonly values = new Map<string, JsonValue>();
  /** Sealed texts by place and value. */
  private readonly sealed = new Map<string, Promise<string>>();
  private readonly leaves = new Set<JsonValue>();
  private readonly openedOf = new WeakMap<object, unknown>();
  private readonly markedOf = new WeakMap<object, unknown>();
  private readonly views = new Map<string, SensitiveViews>();
  private readonly keys: RunKeys;
  readonly runId: string;
  /** Whether it can seal: if not, a plan with sensitive fields is refused. */
  readonly canSeal: boolean;

  private constructor({ runId, sealing }: RunSecretsOptions) {
    this.runId = runId;
    this.canSeal = sealing?.keys !== undefined;
    this.keys = new RunKeys(runId, sealing?.keys ?? []);
  }

  /** Creates the secrets of a run. */
  static async create(options: RunSecretsOptions): Promise<RunSecrets> {
    const secrets = new RunSecrets(options);
    for (const tool of options.tools.values()) {
      const schemas = toolSchemas(tool);
      const views = sensitiveViewsOf(schemas instanceof Promise ? await schemas : schemas);
      if ((views.input ?? views.output) !== undefined) secrets.views.set(tool.name, views);
    }
    return secrets;
  }

  /** Opens all that is sealed in a stored state. Rejects with `secret-unreadable`. */
  async load(state: RunState): Promise<void> {
    await Promise.all(sealedParts(state).map((part) => this.loadPart(part)));
  }

  /** Opens what is sealed in a part of a step, such as one that was posted. Rejects with `secret-unreadable`. */
  async loadIn(tool: string, part: SealedPlace, value: unknown): Promise<void> {
    await Promise.all(sealedPartsIn(tool, part, value).map((one) => this.loadPart(one)));
  }

  private async loadPart({ tool, path, text }: SealedPart): Promise<void> {
    const place = this.placeOf(tool, path);
    const value = await this.keys.open(text, place);
    this.values.set(text, value);
    this.hide(value);
    const key = keyOf(place, value);
    if (!this.sealed.has(key)) this.sealed.set(key, Promise.resolve(text));
  }

  /** Whether there is, or was, any secret. */
  get hasAny(): boolean {
    return this.values.size > 0;
  }

  /** Whether a step's input has, or may have, a secret in it. */
  concerns({ tool }: { readonly tool: Tool }): boolean {
    return this.hasAny || this.views.has(tool.name);
  }

  /** Whether there is a secret in a value. */
  isIn(value: unknown): boolean {
    return this.open(value) !== value;
  }

  /** A value with its secrets opened. Only for code that needs them: nothing made from it may be recorded. */
  open<T>(value: T): T {
    return this.cached(value, this.openedOf, (text) => this.values.get(text) as JsonValue);
  }

  /** A value with marks in place of its secrets; see `marked-values.ts`. */
  mark<T>(value: T): T {
    return this.cached(value, this.markedOf, (text) => markValue(this.values.get(text) as JsonValue));
  }

  /** A step of a plan with marks in place of its secrets. */
  markStep<TStep extends Pick<ToolStep, "input">>(step: TStep): TStep {
    const input = replaceSealed(step.input, ({ $sealed }) => markPlanned(this.values.get($sealed) as JsonValue));
    return input === step.input ? step : { ...step, input };
  }

  private cached<T>(value: T, cache: WeakMap<object, unknown>, of: (text: string) => JsonValue): T {
    if (typeof value !== "object" || value === null) return value;
    const known = cache.get(value);
    if (known !== undefined) return known as T;
    const made = replaceSealed(value, ({ $sealed }) => of($sealed));
    // A value that may still change is processed each time.
    if (Object.isFrozen(value)) cache.set(value, made);
    return made;
  }

  /** A plan as it is recorded. */
  async sealPlan(plan: Plan): Promise<Plan> {
    const steps = await Promise.all(
      plan.steps.map(async (step) => {
        if (!callsTool(step)) return step;
        const input = await this.seal(step.tool, { value: step.input, part: "input", isPlanned: true });
        return input === step.input ? step : { ...step, input: input as JsonObject };
      }),
    );
    // Now all its secrets are known. A reasoning that repeats one is sealed as a whole, so that the plan keeps its hash.
    const reasoned = steps.map(async (step) => {
      const { reasoning = "" } = step;
      if (this.hidden.hide(reasoning) === reasoning) return step;
      const $sealed = await this.sealAt({ tool: toolOf(step), path: ["reasoning"] }, reasoning);
      return { ...step, reasoning: { $sealed } as never };
    });
    // The source may quote a model's answer.
    return deepFreeze({ ...plan, source: this.hidden.hideIn(plan.source), steps: await Promise.all(reasoned) });
  }

  /** A step's input as it is recorded; `marked` is the same made from marks. */
  async sealInput(tool: string, value: JsonObject, marked?: JsonObject): Promise<JsonObject> {
    return (await this.seal(tool, { value, part: "input", marked })) as JsonObject;
  }

  /** A tool's output as it is recorded. */
  sealOutput(tool: string, value: JsonValue): Promise<JsonValue> {
    return this.seal(tool, { value, part: "output" });
  }

  private async seal(tool: string, { value, part, marked, isPlanned = false }: ToSeal): Promise<JsonValue> {
    const view = this.views.get(tool)?.[part];
    if (view === undefined && marked === undefined) return value;
    const jobs: Promise<void>[] = [];
    const replace = (secret: unknown, path: Path) => {
      const sealed = { $sealed: "" };
      jobs.push(
        this.sealAt({ tool, path }, secret as JsonValue).then((text) => {
          sealed.$sealed = text;
        }),
      );
      return sealed;
    };
    const mapping = isPlanned ? { replace, onReference: () => {} } : { replace };
    const mapped = mapSensitive({ value, view, marked, path: [part] }, mapping) as JsonValue;
    await Promise.all(jobs);
    return deepFreeze(mapped);
  }

  /** A value as sealed text, for its place in an input or output. */
  sealAt({ tool, path }: Pick<SealedPart, "tool" | "path">, value: JsonValue): Promise<string> {
    const place = this.placeOf(tool, path);
    const key = keyOf(place, value);
    const known = this.sealed.get(key);
    if (known !== undefined) return known;
    // From now on, and not only once it is sealed, nobody may read it.
    this.hide(value);
    const sealing = this.keys.seal(value, place).then((text) => {
      this.values.set(text, value);
      return text;
    });
    this.sealed.set(key, sealing);
    return sealing;
  }

  /** The items of a loop: a value that is, or contains, a secret stays one, under a name that is never recorded. */
  holdItems(items: readonly JsonValue[]): readonly JsonValue[] {
    const hold = (item: unknown): unknown => {
      if (!this.isSecret(item as JsonValue)) return item;
      const text = `held.${this.values.size}`;
      this.values.set(text, item as JsonValue);
      return Object.freeze({ $sealed: text });
    };
    return items.map((item) => deepFreeze(mapLeaves(item, hold)));
  }

  private isSecret(leaf: JsonValue): boolean {
    return this.leaves.has(leaf) || this.hidden.hideIn(leaf) !== leaf;
  }

  private hide(value: JsonValue): void {
    this.hidden.add(value);
    mapLeaves(value, (leaf) => {
      if ((typeof leaf === "string" && leaf !== "") || typeof leaf === "number") this.leaves.add(leaf);
      return leaf;
    });
  }

  /** Text, or texts in a value, without secrets. */
  hideIn<T>(value: T): T {
    return this.hidden.hideIn(value);
  }

  /** An event about to be recorded or emitted, without secrets in its messages, progress and late values. */
  hideInEvent<TInit extends EventInit>(init: TInit): TInit {
    return hideInEvent(init, this);
  }

  /** A step of a plan that was not sealed, as it may be shown. */
  hideStep<TStep extends Partial<Pick<ToolStep, "tool" | "input" | "reasoning">>>(step: TStep): TStep {
    const input = this.hideSecretsOf(step);
    const reasoning = this.hideIn(step.reasoning);
    if (input === step.input && reasoning === step.reasoning) return step;
    return deepFreeze({ ...step, ...(input && { input }), ...(reasoning !== undefined && { reasoning }) });
  }

  /** Hides from now on what is sensitive in a step of a plan, which may be malformed. Returns the input to show. */
  hideSecretsOf<T>({ tool, input }: { readonly tool?: unknown; readonly input?: T }): T | undefined {
    return hideInput(input, this.views.get(String(tool))?.input, (secret) => this.hide(secret as JsonValue));
  }

  /** A plan that was not sealed, as it may be shown. */
  hidePlan(plan: Plan): Plan {
    for (const step of plan.steps) this.hideSecretsOf(step);
    return deepFreeze({ ...plan, steps: plan.steps.map((step) => this.hideStep(step)) });
  }

  /** What the schemas of a tool state; undefined if it has no sensitive fields. */
  viewsOf(tool: string): SensitiveViews | undefined {
    return this.views.get(tool);
  }

  /** What a decision about a call with a secret is bound to: an HMAC of what `hashCall` hashes. */
  hashCall({ tool, effect, input, ...place }: ApprovedCall): Promise<string> {
    return this.keys.hash(canonicalJson({ ...stepRefOf(place), tool, effect, input: this.open(input) }));
  }

  /** As {@link RunSecrets.hashCall}, for a plan: an HMAC of what `hashPlan` hashes. */
  hashPlan(plan: Plan): Promise<string> {
    return this.keys.hash(canonicalPlan(this.open(plan)));
  }

  /** Whether a recorded hash belongs to this one. Neither may appear in a message. */
  isHashOf(recorded: string, hash: string): Promise<boolean> {
    this.hidden.add(recorded);
    this.hidden.add(hash);
    return this.keys.isHash(recorded, hash);
  }

  /** The options of a run as they are recorded: from a plain hash of a plan, its secrets could be guessed. */
  async sealOptions(options: StoredRunOptions): Promise<StoredRunOptions> {
    const { approvedHash } = options;
    if (approvedHash === undefined || !this.canSeal) return options;
    return { ...options, approvedHash: await this.keys.hash(approvedHash) };
  }

  private placeOf(tool: string, path: Path): string {
    return JSON.stringify([this.runId, tool, ...path]);
  }
}

interface ToSeal {
  readonly value: JsonValue;
  readonly part: "input" | "output";
  readonly marked?: JsonObject | undefined;
  readonly isPlanned?: boolean;
}

function keyOf(place: string, value: JsonValue): string {
  return `${place} ${canonicalJson(value)}`;
}
