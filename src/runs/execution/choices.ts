import { type AgentErrorData, type CallChoice, isAgentError } from "../../core/errors.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Plan, PlanStep, Question, ToolStep } from "../../core/plan.ts";
import { chooseFrom, yesOrNo } from "../../core/question.ts";
import { isDone, type StepState } from "../../core/run-state.ts";
import { callsTool, templateOf } from "../../core/step.ts";
import { cutText } from "../../core/text.ts";
import { dependenciesOf, findReferences, stepsNamedIn } from "../../plan/references.ts";

interface Choices {
  readonly choices: readonly CallChoice[];
  readonly several: boolean;
}

const maxChoices = 10;

function readChoices(error: AgentErrorData | undefined): Choices | undefined {
  if (!isAgentError(error, "tool-failed")) return undefined;
  const { choices, several } = (error.details.errors.at(-1)?.details ?? {}) as Partial<Record<keyof Choices, unknown>>;
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isChoice)) return undefined;
  return { choices: choices.slice(0, maxChoices), several: several === true };
}

function isChoice(value: unknown): value is CallChoice {
  return isRecord(value) && typeof value.label === "string" && value.label !== "" && isRecord(value.input);
}

type StepStates = ReadonlyMap<string, StepState>;

/** Returns a question, a copy of the failed step for each choice, and the steps that remain. */
export function askForChoice({ steps }: Plan, states: StepStates): readonly PlanStep[] | undefined {
  const at = steps.findIndex(({ id }) => states.get(id)?.status === "failed");
  const failed = steps[at];
  const found = readChoices(states.get(failed?.id ?? "")?.error);
  if (failed === undefined || !callsTool(failed) || failed.forEach !== undefined || found === undefined)
    return undefined;
  const asks = steps.flatMap(({ id, wait }) => (wait !== undefined && "ask" in wait ? [{ id, ...wait.ask }] : []));
  const needed = dependenciesOf(failed, steps[at - 1], {
    stepIds: stepsNamedIn(failed, new Set(asks.map(({ id }) => id))),
  });
  // If the failed step already depends on a choice, no further question is asked.
  if (asks.some(({ id, display }) => display !== "text" && needed.includes(id))) return undefined;
  const taken = new Set([...states.keys(), ...steps.map(({ id }) => id)]);
  const toId = (wanted: string): string => (taken.has(wanted) ? toId(`${wanted}_`) : wanted);
  const asking = toId(`${failed.id}_which`);
  const isOnly = found.choices.length === 1;
  const branches = found.choices.map(({ input }, index) => {
    const answer = `${index + 1}`;
    const when = isOnly ? asking : found.several ? `'${answer}' in ${asking}` : `${asking} == '${answer}'`;
    const copy = (step: ToolStep, changes: Pick<ToolStep, "input" | "dependsOn">): ToolStep => {
      const id = toId(`${step.id}_${answer}`);
      ids.set(step.id, id);
      return { ...step, id, when, ...changes };
    };
    const ids = new Map<string, string>();
    const chosen = copy(failed, { input: patch(failed.input, input), dependsOn: [asking, ...needed] });
    return { ids, copy, chosen };
  });
  const rest = copyRest({ steps, failed, states }, { branches, asking: found.several ? undefined : asking });
  const question: PlanStep = { id: asking, wait: { ask: toQuestion(found) }, dependsOn: needed };
  return rest && [question, ...branches.map(({ chosen }) => chosen), ...rest];
}

interface Branch {
  readonly ids: ReadonlyMap<string, string>;
  copy(step: ToolStep, changes: Pick<ToolStep, "input" | "dependsOn">): ToolStep;
}

function copyRest(
  { steps, failed, states }: { steps: readonly PlanStep[]; failed: PlanStep; states: StepStates },
  { branches, asking }: { branches: readonly Branch[]; asking: string | undefined },
): readonly PlanStep[] | undefined {
  const rest: PlanStep[] = [];
  for (const [index, step] of steps.entries()) {
    if (step === failed || isDone(states.get(step.id) as StepState)) continue;
    const { ids: copied } = branches[0] as Branch;
    const previous = steps[index - 1];
    const dependsOn = step.dependsOn ?? (previous === undefined ? [] : [previous.id]);
    if (stepsNamedIn(step, copied).size > 0) return undefined;
    if (!findReferences(templateOf(step)).some(({ reference }) => copied.has(reference?.stepId ?? ""))) {
      const after = dependsOn.flatMap((id) => (copied.has(id) ? branches.map(({ ids }) => ids.get(id) as string) : id));
      rest.push({ ...step, dependsOn: after });
      continue;
    }
    if (asking === undefined || !callsTool(step) || step.when !== undefined) return undefined;
    for (const { ids, copy } of branches) {
      const input = renameIn(step.input, ids);
      if (input === undefined) return undefined;
      rest.push(copy(step, { input, dependsOn: [asking, ...dependsOn.map((id) => ids.get(id) ?? id)] }));
    }
  }
  return rest;
}

function toQuestion({ choices, several }: Choices): Question {
  const options = choices.map(({ label }, index) => ({ id: `${index + 1}`, label: cutText(label, 200) }));
  const [only, ...others] = options;
  if (only !== undefined && others.length === 0) return yesOrNo(`Did you mean “${only.label}”?`);
  return chooseFrom(several ? "Which ones?" : "Which one?", options, several);
}

/** Null removes a field. Values from a tool are literals, never references. */
function patch(input: JsonObject, changes: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...input };
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete merged[key];
    else merged[key] = typeof value === "object" || String(value).includes("${") ? { $literal: value } : value;
  }
  return merged;
}

function renameIn(input: JsonObject, ids: ReadonlyMap<string, string>): JsonObject | undefined {
  let json = JSON.stringify(input);
  if (json.includes('"$literal"')) return undefined;
  for (const [id, renamed] of ids)
    json = json.replace(new RegExp(`("\\$ref":"|\\$\\{)${id}(?=[.[}"])`, "g"), `$1${renamed}`);
  return JSON.parse(json) as JsonObject;
}
