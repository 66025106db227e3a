import type { AgentError, Proposal } from "../core/errors.ts";
import { isHolder, type JsonObject, mapItems } from "../core/json.ts";
import type { PlanStep } from "../core/plan.ts";
import type { PlanDraft } from "../core/planner.ts";
import { chooseFrom, yesOrNo } from "../core/question.ts";
import type { TurnRequest } from "../core/turn.ts";
import { asReference } from "../plan/references.ts";
import { askForValues } from "./ask-values.ts";
import { askNew } from "./gaps.ts";
import { asking, ifAnswered } from "./questions.ts";
import { determiners } from "./references.ts";
import { ThreadLine } from "./thread-line.ts";

const source = { planner: "dialogue" };
const minCertainty = 0.5;
const minAsking = 0.4;

export async function askAfter(
  turn: TurnRequest,
  { details }: AgentError<"cannot-plan">,
): Promise<PlanDraft | undefined> {
  const { reason } = details;
  const line = await ThreadLine.of(turn);
  const isWish = /^(?:not-understood|missing|unsure|ambiguous)$/.test(reason);
  const fresh = isWish ? await askNew(line) : undefined;
  if (fresh !== undefined) return fresh;
  const proposals = details.proposals?.filter(({ steps }) => line.misreadPlace(steps) === undefined) ?? [];
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
