import type { AgentError, Proposal, ProposalQuestion } from "../core/errors.ts";
import { isHolder, type JsonObject, mapItems } from "../core/json.ts";
import { type JsonSchema, schemasAt } from "../core/json-schema.ts";
import { only } from "../core/lists.ts";
import type { PlanStep, Question, ToolStep } from "../core/plan.ts";
import type { PlanDraft } from "../core/planner.ts";
import { answerSchemaOf, chooseFrom, responseOf, yesOrNo } from "../core/question.ts";
import { isMarked } from "../core/sensitive-paths.ts";
import { callsTool } from "../core/step.ts";
import { toolSchemas } from "../core/tool-schemas.ts";
import type { TurnRequest } from "../core/turn.ts";
import { asReference } from "../plan/references.ts";
import { questionOf } from "../planners/rules/proposals.ts";
import { issueOf } from "../planners/rules/steps.ts";
import type { PlanTurn } from "./draft-turn.ts";
import { bindKey, fillCall } from "./fill-call.ts";
import { answerReference, asking, ifAnswered } from "./questions.ts";
import { determiners } from "./references.ts";
import { exampleOf } from "./things.ts";
import type { ThreadLine } from "./thread-line.ts";

const source = { planner: "dialogue" };
const minCertainty = 0.5;
const minAsking = 0.4;

export async function askAfter(
  turn: TurnRequest,
  { details }: AgentError<"cannot-plan">,
): Promise<PlanDraft | undefined> {
  const { proposals = [], reason } = details;
  const [best] = proposals;
  if (best === undefined) return undefined;
  // The answer confirms only the question. So the question must cover all words, except a noun for the missing value:
  // "the reservation".
  const isAsked = (words: string) =>
    determiners.has(turn.request.slice(0, turn.request.indexOf(words)).trim().split(/\s/).at(-1)?.toLowerCase() ?? "");
  const isAllRead = best.unused.every(isAsked);
  const mayAsk = isAllRead && (reason === "missing" || best.certainty >= minAsking);
  if (best.asks !== undefined && mayAsk) return askForValue(turn, best, best.asks);
  const likely = proposals.filter(({ certainty, asks }) => certainty >= minCertainty && asks === undefined);
  const [first, second] = likely;
  if (reason === "ambiguous" && second !== undefined) return askWhich(likely);
  return first === undefined ? undefined : askIfMeant(first);
}

/** Asks for the only value that a call with a known thing lacks: "move Okafor". */
export async function askMissing(line: ThreadLine): Promise<PlanTurn | undefined> {
  const reference = only(line.own);
  const thing = only(reference?.things ?? []);
  if (reference === undefined || thing === undefined) return undefined;
  const found: { readonly step: ToolStep; readonly asks: ProposalQuestion }[] = [];
  const said = line.withThing(thing, reference);
  for (const { rules, call, keySlot } of line.callsWith(thing)) {
    const ways = fillCall(call, { ...said, keySlot });
    const isWhole = ways.some(({ values, isHinted }) => isHinted && Object.keys(values).length === 1);
    const lacking = only(call.slots.filter(({ name, isOptional }) => !isOptional && name !== keySlot));
    const asks = lacking && questionOf(call.rule, { stepId: "s1", slot: lacking.name }, line.request.clock);
    const input = bindKey(rules, call.rule.fixed as JsonObject, thing);
    if (!isWhole || asks === undefined || input === undefined) continue;
    if (found.some(({ step, asks: { field } }) => step.tool === rules.tool.name && field === asks.field)) continue;
    found.push({ step: { id: "s1", tool: rules.tool.name, input, dependsOn: [] }, asks });
  }
  const asked = only(found);
  const draft = asked && (await askForValue(line.turn, { steps: [asked.step] }, asked.asks));
  return draft && { status: "plan", draft };
}

async function askForValue(
  { tools }: Pick<TurnRequest, "tools">,
  { steps }: Pick<Proposal, "steps">,
  asks: ProposalQuestion,
): Promise<PlanDraft | undefined> {
  const step = steps.filter(callsTool).find(({ id }) => id === asks.stepId);
  const tool = tools.find(({ name }) => name === step?.tool);
  if (step === undefined || tool === undefined) return undefined;
  const { input } = await toolSchemas(tool);
  const schemas = schemasAt(input, [asks.field], step.input) ?? [];
  if (schemas.some(isMarked)) return undefined;
  const question = questionFor(schemas, asks);
  if (question === undefined) return undefined;
  const example = question.options?.[0]?.id ?? exampleOf(answerSchemaOf(question) as JsonSchema);
  if ((await issueOf({ ...step.input, [asks.field]: example }, tool, undefined)) !== undefined) return undefined;
  const asked = { ...step, input: { ...step.input, [asks.field]: answerReference } };
  const filled = steps.map((each) => (each === step ? asked : each));
  return asking(question, filled, source);
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
  return asking(chooseFrom("Which of these do you mean?", options, false), steps, source);
}

function askIfMeant({ text, steps }: Proposal): PlanDraft {
  return asking(yesOrNo(`Did you mean “${text}”?`), ifAnswered(steps), source);
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
