import type { AgentError, Proposal, ProposalQuestion } from "../core/errors.ts";
import { isHolder, type JsonObject, type JsonValue, mapItems } from "../core/json.ts";
import { type JsonSchema, schemasAt } from "../core/json-schema.ts";
import type { PlanStep, Question } from "../core/plan.ts";
import type { PlanDraft } from "../core/planner.ts";
import { answerSchemaOf, chooseFrom, responseOf, yesOrNo } from "../core/question.ts";
import { isMarked } from "../core/sensitive-paths.ts";
import { callsTool } from "../core/step.ts";
import { toolSchemas } from "../core/tool-schemas.ts";
import type { TurnRequest } from "../core/turn.ts";
import { asReference } from "../plan/references.ts";
import { issueOf } from "../planners/rules/steps.ts";
import { askNew } from "./gaps.ts";
import { answerReference, asking, ifAnswered } from "./questions.ts";
import { determiners } from "./references.ts";
import { exampleOf } from "./things.ts";
import { ThreadLine } from "./thread-line.ts";

const source = { planner: "dialogue" };
const minCertainty = 0.5;
const minAsking = 0.4;

export async function askAfter(
  turn: TurnRequest,
  { details }: AgentError<"cannot-plan">,
): Promise<PlanDraft | undefined> {
  const { proposals = [], reason } = details;
  const fresh = await askNew(await ThreadLine.of(turn));
  if (fresh !== undefined) return fresh;
  const [best] = proposals;
  if (best === undefined) return undefined;
  // The answer confirms only the question. So the question must cover all words, except a noun for the missing value:
  // "the reservation".
  const isAsked = (words: string) =>
    determiners.has(turn.request.slice(0, turn.request.indexOf(words)).trim().split(/\s/).at(-1)?.toLowerCase() ?? "");
  const isAllRead = best.unused.every(isAsked);
  const mayAsk = isAllRead && (reason === "missing" || best.certainty >= minAsking);
  if (best.asks !== undefined && mayAsk) return askForValues(turn, best, [best.asks]);
  const likely = proposals.filter(({ certainty, asks }) => certainty >= minCertainty && asks === undefined);
  const [first, second] = likely;
  if (reason === "ambiguous" && second !== undefined) return askWhich(likely);
  return first === undefined ? undefined : askIfMeant(first);
}

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
  return asking(questions, filled, source);
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

function askWhich(proposals: readonly Proposal[]): PlanDraft {
  const options = proposals.map(({ text }, at) => ({ id: String(at + 1), label: text }));
  const steps = proposals.flatMap((proposal, at) => ifAnswered(renamed(proposal.steps, at), String(at + 1)));
  return asking([chooseFrom("Which of these do you mean?", options, false)], steps, source);
}

function askIfMeant({ text, steps }: Proposal): PlanDraft {
  return asking([yesOrNo(`Did you mean “${text}”?`)], ifAnswered(steps), source);
}

/** Makes step ids unique in a plan that holds several proposals. */
function renamed(steps: readonly PlanStep[], at: number): readonly PlanStep[] {
  if (at === 0) return steps;
  const ids = new Map(steps.map(({ id }) => [id, `p${at + 1}_${id}`]));
  const rename = (value: unknown): unknown => {
    if (typeof value === "string")
      return value.replace(/\$\{(\w+)/g, (all, id: string) => (ids.has(id) ? `\${${ids.get(id)}` : all));
    if (!isHolder(value)) return value;
    const $ref = asReference(value)?.$ref;
    return typeof $ref === "string"
      ? { $ref: $ref.replace(/^\w+/, (id) => ids.get(id) ?? id) }
      : mapItems(value, rename);
  };
  return steps.map((step) => ({
    ...step,
    id: ids.get(step.id) ?? step.id,
    ...(step.input !== undefined && { input: rename(step.input) as JsonObject }),
    ...(step.dependsOn !== undefined && { dependsOn: step.dependsOn.map((id) => ids.get(id) ?? id) }),
  })) as readonly PlanStep[];
}
