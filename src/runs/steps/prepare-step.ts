import { settleOrAbort } from "../../async/promises.ts";
import { AgentError, type AgentErrorData } from "../../core/errors.ts";
import { copyJson, type JsonObject, type JsonValue, toJson } from "../../core/json.ts";
import type { ToolStep } from "../../core/plan.ts";
import { type ParseResult, parseWith } from "../../core/schema.ts";
import type { DefinedTool, ToolEffect } from "../../core/tool.ts";
import { isOfIteration } from "../../plan/dependencies.ts";
import { resolveInput, TooMuchRepeated } from "../../plan/resolve-input.ts";
import type { Run } from "../run.ts";
import type { RunSecrets } from "../secrets/run-secrets.ts";
import { opened } from "../secrets/secrets-of-run.ts";
import type { Iteration, StepCall, StepTask } from "./step-call.ts";
import { dataOf, invalidInput, toolFailed, withStack } from "./step-errors.ts";

/** A step whose input is final: ready to be called, or failed before its tool was called. */
export type PreparedStep =
  | { readonly input: JsonObject; readonly call: StepCall; readonly parsed: unknown }
  | { readonly input: JsonObject; readonly error: AgentErrorData };

/** The largest input with references filled in, in bytes of JSON: a plan can use one output many times. */
const maxInputBytes = 16 * 1_024 * 1_024;

const effects: ReadonlySet<unknown> = new Set<ToolEffect>(["pure", "idempotent", "once"]);

/**
 * Fills in a step's references, parses its input and determines its effect. Synchronous, unless the schema is async or
 * secrets may be involved. `lookUp` finds the values of names, by default as recorded. Never throws.
 */
export function prepareStep(
  run: Run,
  task: StepTask,
  lookUp?: (name: string) => JsonValue | undefined,
): PreparedStep | Promise<PreparedStep> {
  if (run.secrets?.concerns(task)) return prepareSealed(run, task, run.secrets);
  const resolved = fillReferences(run, task, lookUp);
  return resolved.error === undefined
    ? prepareInput(run, task, resolved.input)
    : { input: resolved.input, error: resolved.error };
}

/** As {@link prepareStep}, where secrets may be involved: they are sealed in the input, which is what is recorded. */
async function prepareSealed(run: Run, task: StepTask, secrets: RunSecrets): Promise<PreparedStep> {
  const { step, tool, iteration } = task;
  const fill = (step: ToolStep, open: <T>(value: T) => T) =>
    fillReferences(run, { ...task, step }, (name) => open(namedValue(run, name, iteration)));
  // First with marks: errors then reveal nothing of a secret.
  const marked = fill(secrets.markStep(step), (value) => secrets.mark(value));
  const resolved = marked.error !== undefined ? marked : fill(secrets.open(step), (value) => secrets.open(value));
  if (resolved.error !== undefined) return { input: step.input, error: resolved.error };
  return prepareInput(run, task, await secrets.sealInput(tool.name, resolved.input, marked.input));
}

type FilledInput = { readonly input: JsonObject; readonly error?: AgentErrorData };

/** As {@link prepareStep}, for a step whose input no longer has references. */
export function prepareInput(run: Run, task: StepTask, input: JsonObject): PreparedStep | Promise<PreparedStep> {
  const { step, tool, iteration } = task;
  const finish = (parsed: ParseResult<unknown>): PreparedStep => {
    if (!parsed.ok) return { input, error: dataOf(run, invalidInput(task, parsed.issues)) };
    try {
      return {
        input,
        parsed: parsed.value,
        call: { step, tool, iteration, input, effect: effectOf(tool, parsed.value) },
      };
    } catch (thrown) {
      return { input, error: withStack(run, toolFailed(task, [], thrown).toJSON(), { reason: "thrown", thrown }) };
    }
  };
  const parsing = parseInput(run, tool, input);
  // Whoever aborted the run gave the reason.
  const isAborted = (): PreparedStep => ({ input, error: dataOf(run, run.abortReason as AgentError) });
  return parsing instanceof Promise ? parsing.then(finish, isAborted) : finish(parsing);
}

/**
 * A step's input as parsed by its schema, from a copy that the tool may change. Rejects only if the run is aborted
 * while an async refinement is pending.
 */
export function parseInput(
  run: Run,
  tool: DefinedTool,
  input: JsonObject,
): ParseResult<unknown> | Promise<ParseResult<unknown>> {
  const parsing = parseWith(tool.inputSchema, copyJson(opened(run, input)));
  if (!(parsing instanceof Promise)) return parsing;
  const source = run.openSource();
  return settleOrAbort(parsing, source).finally(() => run.release(source));
}

function fillReferences(
  run: Run,
  task: StepTask,
  lookUp = (name: string): JsonValue | undefined => namedValue(run, name, task.iteration),
): FilledInput {
  const { step, iteration } = task;
  try {
    const input = resolveInput(step, lookUp, {
      iteration: iteration?.index,
      isSkipped: (name) => !isOfIteration(step, name) && run.state.steps.get(name)?.skipReason !== undefined,
    });
    if (input === step.input) return { input };
    const json = toJson(input, { maxBytes: maxInputBytes });
    return json.ok ? { input } : { input: step.input, error: dataOf(run, invalidInput(task, [json.issue])) };
  } catch (thrown) {
    if (thrown instanceof AgentError) return { input: step.input, error: dataOf(run, thrown) };
    const tooMuch = "it cannot be built: its references are too large for one text";
    const message = thrown instanceof TooMuchRepeated ? thrown.message : tooMuch;
    return { input: step.input, error: dataOf(run, invalidInput(task, [{ path: [], message }], thrown)) };
  }
}

/** The value of a name in a step: a step's output, or the item or index of an iteration. */
export function namedValue(run: Run, name: string, iteration: Iteration | undefined): JsonValue | undefined {
  if (iteration !== undefined && name === "item") return iteration.item;
  if (iteration !== undefined && name === "index") return iteration.index;
  return run.outputOf(name);
}

/**
 * The effect of a call with this input. Throws what the tool's function throws, and `TypeError` if it does not return
 * an effect.
 */
export function effectOf(tool: DefinedTool, parsed: unknown): ToolEffect {
  const effect: unknown = tool.effect(parsed);
  if (effects.has(effect)) return effect as ToolEffect;
  throw new TypeError(
    `its effect must be one of ${[...effects].join(", ")}; the function of its input returned something else`,
  );
}
