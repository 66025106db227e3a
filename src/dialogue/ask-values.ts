import type { Proposal, ProposalQuestion } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { type JsonSchema, schemasAt } from "../core/json-schema.ts";
import type { Question } from "../core/plan.ts";
import type { PlanDraft } from "../core/planner.ts";
import { answerSchemaOf, chooseFrom, responseOf } from "../core/question.ts";
import { isMarked } from "../core/sensitive-paths.ts";
import { callsTool } from "../core/step.ts";
import { toolSchemas } from "../core/tool-schemas.ts";
import type { TurnRequest } from "../core/turn.ts";
import { issueOf } from "../planners/rules/steps.ts";
import { answerReference, asking } from "./questions.ts";
import { exampleOf } from "./things.ts";

export async function askForValues(
  { tools }: Pick<TurnRequest, "tools">,
  { steps }: Pick<Proposal, "steps">,
  asks: readonly ProposalQuestion[],
): Promise<PlanDraft | undefined> {
  const step = steps.filter(callsTool).find(({ id }) => id === asks[0]?.stepId);
  const tool = tools.find(({ name }) => name === step?.tool);
  if (step === undefined || tool === undefined) return undefined;
  const { input } = await toolSchemas(tool);
  const questions: Question[] = [];
  const examples: Record<string, JsonValue> = {};
  for (const each of asks) {
    const schemas = schemasAt(input, [each.field], step.input) ?? [];
    const question = schemas.some(isMarked) ? undefined : questionFor(schemas, each);
    if (question === undefined) return undefined;
    questions.push(question);
    examples[each.field] = question.options?.[0]?.id ?? exampleOf(answerSchemaOf(question) as JsonSchema);
  }
  if ((await issueOf({ ...step.input, ...examples }, tool, undefined)) !== undefined) return undefined;
  const answers = Object.fromEntries(asks.map(({ field }, at) => [field, answerReference(at)]));
  const asked = { ...step, input: { ...step.input, ...answers } };
  const filled = steps.map((each) => (each === step ? asked : each));
  return asking(questions, filled, { planner: "dialogue" });
}

const maxChoices = 20;

function questionFor(schemas: readonly JsonSchema[], asks: ProposalQuestion): Question | undefined {
  const { choices = [], text } = asks;
  const options = choices.flatMap((choice) => (typeof choice === "string" ? [{ id: choice, label: choice }] : []));
  const isChoice = options.length > 0 && options.length <= maxChoices && options.length === choices.length;
  if (isChoice) return chooseFrom(text, options, false);
  const answer = answerSchemaFor(schemas, asks);
  return answer && { message: text, display: "text", responseSchema: responseOf(answer) };
}

function answerSchemaFor(schemas: readonly JsonSchema[], { type }: ProposalQuestion): JsonObject | undefined {
  const kinds: Readonly<Record<string, JsonObject>> = {
    text: { type: "string" },
    number: { type: "number" },
    boolean: { type: "boolean" },
    date: { type: "string", format: "date" },
    "date-time": { type: "string", format: "date-time" },
    time: { type: "string", format: "time" },
  };
  const kind = kinds[type];
  if (kind === undefined) return undefined;
  if (type === "date-time" && schemas.every(({ format, pattern }) => format === undefined && pattern === undefined))
    return { type: "string", format: "date-or-date-time" };
  const [own] = schemas.filter((schema) => schema.type === "integer" || schema.type === kind.type);
  const limits = Object.entries(own ?? {}).filter(
    ([key, value]) =>
      /^(?:type|format|minimum|maximum|minLength|maxLength)$/.test(key) && ["string", "number"].includes(typeof value),
  );
  return { ...kind, ...(Object.fromEntries(limits) as JsonObject) };
}
