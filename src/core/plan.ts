import * as z from "zod/v4";
import { isRecord, type JsonObject, type JsonPath, type JsonValue } from "./json.ts";
import type { ModelCall, ModelUsage } from "./model-usage.ts";
import type { InferToolInput, PhraseReference, Tool } from "./tool.ts";

interface StepHead {
  /** Unique within the plan: a letter or `_`, then letters, digits, `_`, `-`. */
  readonly id: string;
  /** Ids of the steps that this one waits for; `[]` for none. @default the step before it */
  readonly dependsOn?: readonly string[] | undefined;
  /** Reason for the step, for human readers. */
  readonly reasoning?: string | undefined;
  /** A CEL expression over earlier outputs: if it is false, the step is skipped, and its output is null. */
  readonly when?: string | undefined;
}

/** One call of a tool. @group Plans */
export interface ToolStep extends StepHead {
  readonly tool: string;
  /** Input of the tool as JSON. `{ "$ref": "s1.value" }` and `"${s1.value}"` refer to earlier outputs. */
  readonly input: JsonObject;
  readonly wait?: undefined;
  /** A CEL expression that returns a list. The step runs for each `item`, with `index` from 0; its output is the list of outputs. */
  readonly forEach?: string | undefined;
  /** Maximum number of concurrent iterations; only with `forEach`. @default 1 */
  readonly concurrency?: number | undefined;
}

/**
 * A wait for a duration, an instant (ISO 8601 with a zone, or a reference to one), an event that is delivered to the
 * run, or the answer to a question. `timeoutMs` limits the wait for an event or answer. @group Plans
 */
export type StepWait =
  | { readonly forMs: number }
  | { readonly until: string | PhraseReference }
  | { readonly event: string; readonly timeoutMs?: number | undefined }
  | { readonly ask: Question; readonly timeoutMs?: number | undefined };

/** One of the answers that a question offers. @inline */
export interface QuestionOption {
  /** The answer, or one item of it if several options may be chosen. */
  readonly id: string;
  readonly label: string;
  readonly description?: string | undefined;
}

/** A question to the user, whose answer is the output of the step that asks. @group Plans */
export interface Question {
  readonly message: string;
  readonly display: "confirm" | "select" | "multi-select" | "text";
  readonly options?: readonly QuestionOption[] | undefined;
  /**
   * JSON Schema of `{ answer }`: a boolean, text, a number, or a list of texts from an `enum`. Allowed for text are
   * `enum`, `minLength`, `maxLength` and the formats `date`, `date-time`, `date-or-date-time` and `time`; for a number,
   * `minimum` and `maximum`; for a list, `minItems` and `maxItems`.
   */
  readonly responseSchema: JsonObject;
}

/** A step that waits instead of calling a tool; only in plans of version 2. @group Plans */
export interface WaitStep extends StepHead {
  readonly wait: StepWait;
  readonly tool?: undefined;
  readonly input?: undefined;
  readonly forEach?: undefined;
  readonly concurrency?: undefined;
}

/** A step of a plan. @group Plans */
export type PlanStep = ToolStep | WaitStep;

/** The origin of a plan. @group Plans */
export interface PlanSource {
  /** Name of the planner; in a fallback chain, of the planner that succeeded. */
  readonly planner: string;
  /** Name of the model, such as `ollama/qwen3`. */
  readonly model?: string | undefined;
  /** Number of answers that the planner requested from its model. */
  readonly attempts?: number | undefined;
  /** Names of the tools that the model was shown, if not all of them. */
  readonly tools?: readonly string[] | undefined;
  /** Certainty of the plan, from 0 to 1, based on the model and the words of the request. */
  readonly certainty?: number | undefined;
  /** Planning time with a model, in milliseconds. */
  readonly durationMs?: number | undefined;
  /** Route chosen by a routing planner. */
  readonly route?: string | undefined;
  /** True if the plan was made for an earlier request with the same text. */
  readonly cached?: true | undefined;
  /** True if the plan only looks something up; after that, the line of the dialogue is read again. */
  readonly looks?: true | undefined;
  /** Values that come from earlier runs of the thread. */
  readonly read?: readonly ReadValue[] | undefined;
  readonly failures?: readonly PlanFailure[] | undefined;
  readonly warnings?: readonly PlanWarning[] | undefined;
  readonly usage?: ModelUsage | undefined;
  readonly calls?: readonly ModelCall[] | undefined;
}

/** The origin of a value that a line of a dialogue refers to. @inline */
export interface ReadValue {
  readonly stepId: string;
  /** Path in the input of this step. */
  readonly path: JsonPath;
  /** Words of the line that refer to the value; empty if the line can mean no other value. */
  readonly said: string;
  /** The thing or result in words: "booking 32: Okafor". */
  readonly text: string;
  readonly from: { readonly runId: string; readonly stepId: string; readonly path: JsonPath };
}

/** An attempt that produced no plan. @inline */
export interface PlanFailure {
  readonly planner: string;
  readonly model?: string | undefined;
  /** The code of the planner's error; `cut-off`, `no-json` or `invalid-plan` for the answer of a model. */
  readonly code: string;
  readonly message: string;
  /** Beginning of the model's answer. */
  readonly text?: string | undefined;
}

/** Something that a planner left out, such as an example that does not fit its tools. @inline */
export interface PlanWarning {
  readonly code: "dropped";
  readonly path: JsonPath;
  readonly message: string;
}

/** A plan as JSON, which can be read, checked, approved, stored and run. @group Plans */
export interface Plan {
  /** 2 if a step waits. Readers of version 1 refuse such a plan. */
  readonly version: 1 | 2;
  readonly id: string;
  /** Planned request; empty for a plan written by hand. */
  readonly request: string;
  readonly source: PlanSource;
  /** Time of creation: ISO 8601, UTC. */
  readonly createdAt: string;
  /** In topological order: a step refers only to steps before it. */
  readonly steps: readonly PlanStep[];
}

type Template<T extends string> = string extends T ? string : T | `${string}\${${string}}${string}`;

export type Referable<T> =
  | PhraseReference
  | { readonly $literal: T }
  | (unknown extends T
      ? unknown
      : T extends string
        ? Template<T>
        : T extends readonly (infer TItem)[]
          ? readonly Referable<TItem>[]
          : T extends object
            ? { readonly [K in keyof T]: Referable<T[K]> }
            : T);

type ReferableInput<T> = unknown extends T
  ? object
  : PhraseReference | (T extends object ? { readonly [K in keyof T]: Referable<T[K]> } : T);

export type PlanStepInput<TTool extends Tool = Tool> = TTool extends Tool
  ? Omit<ToolStep, "tool" | "input"> & { readonly tool: TTool["name"] } & InputOf<InferToolInput<TTool>>
  : never;

type InputOf<TInput> =
  Record<never, never> extends TInput
    ? { readonly input?: ReferableInput<TInput> | undefined }
    : { readonly input: ReferableInput<TInput> };

/** A plan written by hand: only `steps` is required, and `input` where the tool requires it. @interface @group Plans */
export type PlanInput<TTool extends Tool = Tool> = {
  readonly version?: 1 | 2 | undefined;
  readonly id?: string | undefined;
  readonly request?: string | undefined;
  readonly source?: PlanSource | undefined;
  readonly createdAt?: string | undefined;
  readonly steps: readonly (PlanStepInput<TTool> | WaitStep)[];
};

export type AnyPlan = Omit<PlanInput, "version"> & { readonly version?: number | undefined };

/** A plan whose tool names have type `string`, so that the compiler cannot check them; `never` for any other plan. */
export type UncheckedPlan<TPlan extends AnyPlan> = string extends TPlan["steps"][number]["tool"] ? TPlan : never;

/** The reason why a plan is invalid. Minor releases may add codes, so keep a default branch. @inline */
export type PlanIssueCode =
  | "not-json"
  | "invalid-shape"
  | "unknown-key"
  | "too-many-steps"
  | "duplicate-id"
  | "unknown-tool"
  | "unknown-step"
  | "forward-reference"
  | "cyclic-reference"
  | "invalid-reference"
  | "reference-type"
  | "invalid-input"
  | "invalid-expression"
  | "lone-surrogate"
  | "no-secret-key"
  | "unknown-event"
  | "plan-version";

/** One issue of a plan, and its path. @group Plans */
export interface PlanIssue {
  readonly code: PlanIssueCode;
  readonly path: JsonPath;
  readonly message: string;
}

/**
 * The shape of a plan as a schema of zod 4, created on first use, because the import would otherwise take a third
 * longer. {@link validatePlan} also checks the tools and inputs. {@includeCode ../../examples/18-plans-as-json.ts}
 * @group Plans
 */
export const planSchema = z.lazy(() =>
  z.strictObject(
    {
      version: z.union([z.literal(1), z.literal(2)]).optional(),
      id: z.string().optional(),
      request: z.string().optional(),
      source: z.looseObject({ planner: z.string() }).optional(),
      createdAt: z.string().optional(),
      steps: z.array(stepSchema()).min(1, noSteps),
    },
    { error: ({ input }) => (typeof input === "string" ? noPlan : undefined) },
  ),
);

export const namePattern: RegExp = /^[A-Za-z_][\w-]*$/;

export const namePatternText = "a letter or _, then letters, digits, _ or -";

const maxWaitMs: number = 100 * 365 * 86_400_000;

const expressionAsText = (example: string) => `expected a CEL expression as text, such as "${example}"`;

const headShape = () => ({
  id: z.string().regex(namePattern, `an id must be ${namePatternText}`),
  dependsOn: z.array(z.string()).optional(),
  reasoning: z.string().optional(),
  when: z.string(expressionAsText("size(a.tags) > 0")).optional(),
});

const toolStepSchema = () =>
  z.strictObject({
    ...headShape(),
    tool: z.string().min(1),
    input: z.record(z.string(), z.unknown()).optional(),
    forEach: z.string(expressionAsText("a.tags")).optional(),
    concurrency: z.int().min(1).optional(),
  });

const waitKeys = "exactly one of forMs, until, event and ask, the last two with an optional timeoutMs";
const milliseconds = () => z.int().min(0).max(maxWaitMs);

const waitStepSchema = () =>
  z.strictObject({
    ...headShape(),
    wait: z.union(
      [
        z.strictObject({ forMs: milliseconds() }),
        z.strictObject({ until: z.union([z.string(), z.strictObject({ $ref: z.string() })]) }),
        z.strictObject({
          event: z.string().regex(namePattern, `the name of an event must be ${namePatternText}`),
          timeoutMs: milliseconds().optional(),
        }),
      ],
      { error: `a wait must have ${waitKeys}` },
    ),
  });

const askStepSchema = () =>
  z.strictObject({
    ...headShape(),
    wait: z.strictObject({ ask: questionSchema(), timeoutMs: milliseconds().optional() }),
  });

const questionSchema = () =>
  z.strictObject({
    message: z.string().min(1),
    display: z.enum(["confirm", "select", "multi-select", "text"]),
    options: z
      .array(z.strictObject({ id: z.string().min(1), label: z.string().min(1), description: z.string().optional() }))
      .optional(),
    responseSchema: z.strictObject({
      type: z.literal("object"),
      properties: z.strictObject({ answer: answerSchema() }),
      required: z.tuple([z.literal("answer")]),
      additionalProperties: z.literal(false).optional(),
    }),
  });

const answerSchema = () => {
  const notes = { title: z.string().optional(), description: z.string().optional() };
  const texts = z.array(z.string()).min(1);
  const count = z.int().min(0).optional();
  const bounds = { minimum: z.number().optional(), maximum: z.number().optional(), ...notes };
  const text = {
    enum: texts.optional(),
    format: z.enum(["date", "date-time", "date-or-date-time", "time"]).optional(),
    ...{ minLength: count, maxLength: count, ...notes },
  };
  const items = z.strictObject({ type: z.literal("string"), enum: texts });
  return z.discriminatedUnion(
    "type",
    [
      z.strictObject({ type: z.literal("string"), ...text }),
      z.strictObject({ type: z.literal("number"), ...bounds }),
      z.strictObject({ type: z.literal("integer"), ...bounds }),
      z.strictObject({ type: z.literal("boolean"), ...notes }),
      z.strictObject({ type: z.literal("array"), items, minItems: count, maxItems: count, ...notes }),
    ],
    {
      error: ({ code }) =>
        code === "invalid_union" ? "an answer must be a string, number, integer, boolean or array" : undefined,
    },
  );
};

const stepSchema = () => {
  const [tool, wait, ask] = [toolStepSchema(), waitStepSchema(), askStepSchema()];
  return z.custom<z.infer<typeof tool> | WaitStep>().superRefine((step, context) => {
    const waits = typeof step === "object" && step !== null && "wait" in step;
    const asks = waits && typeof step.wait === "object" && step.wait !== null && "ask" in step.wait;
    const parsed = (asks ? ask : waits ? wait : tool).safeParse(step);
    for (const issue of parsed.error?.issues ?? []) context.addIssue({ ...issue } as never);
  });
};

/** A fast check: true only for JSON that {@link planSchema} accepts. If false, the schema decides. */
export function hasPlanShape(plan: JsonValue): boolean {
  if (!isRecord(plan) || plan.steps === undefined) return false;
  return Object.keys(plan).every((key) => {
    const value = plan[key] as JsonValue;
    if (key === "steps") return Array.isArray(value) && value.length > 0 && value.every(hasStepShape);
    if (key === "version") return value === 1 || value === 2;
    if (key === "source") return isRecord(value) && typeof value.planner === "string";
    return typeof value === "string" && (key === "id" || key === "request" || key === "createdAt");
  });
}

function hasStepShape(step: JsonValue): boolean {
  if (!isRecord(step) || typeof step.id !== "string" || !namePattern.test(step.id)) return false;
  const { tool, wait } = step;
  if (wait === undefined ? !(typeof tool === "string" && tool !== "" && isRecord(step.input)) : !hasWaitShape(wait))
    return false;
  return Object.keys(step).every((key) => {
    if (key === "id") return true;
    const value = step[key] as JsonValue;
    if (key === "dependsOn") return Array.isArray(value) && value.every((id) => typeof id === "string");
    if (key === "reasoning" || key === "when") return typeof value === "string";
    if (wait !== undefined) return key === "wait";
    if (key === "concurrency") return Number.isSafeInteger(value) && Number(value) >= 1;
    return key === "tool" || key === "input" || (key === "forEach" && typeof value === "string");
  });
}

function hasWaitShape(wait: JsonValue): boolean {
  if (!isRecord(wait)) return false;
  const { forMs, until, event } = wait;
  const hasKeys = (...known: readonly string[]) => Object.keys(wait).every((key) => known.includes(key));
  if (forMs !== undefined) return isWaitMs(forMs) && hasKeys("forMs");
  if (until !== undefined) return typeof until === "string" && hasKeys("until");
  const isNamed = typeof event === "string" && namePattern.test(event);
  return isNamed && hasKeys("event", "timeoutMs") && (wait.timeoutMs === undefined || isWaitMs(wait.timeoutMs));
}

function isWaitMs(value: JsonValue): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= maxWaitMs;
}

export const noSteps = "a plan must have at least one step";

export const noPlan = "a plan must be an object with steps; to run a request, call `agent.run`";

export const defaultMaxSteps = 1_000;

export const maxPlanBytes = 64 * 1_024 * 1_024;
