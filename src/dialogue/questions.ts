import type { JsonObject, JsonValue } from "../core/json.ts";
import { only } from "../core/lists.ts";
import type { PlanStep, Question } from "../core/plan.ts";
import type { PlanDraft } from "../core/planner.ts";
import type { QuestionItem } from "../core/question.ts";
import type { TurnRequest } from "../core/turn.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { sayDate, yearAt } from "../dates/say-date.ts";
import type { RequestDate, RequestText } from "../planners/rules/request.ts";

/** Step id of a question, by its place in the draft. */
function askId(place: number): string {
  return `q${place + 1}`;
}

/** Refers to the answer to a question of the draft by its place. */
export function answerReference(place: number): JsonObject {
  return { $ref: askId(place) };
}

export function asking(
  questions: readonly Question[],
  steps: readonly PlanStep[],
  source: PlanDraft["source"],
): PlanDraft {
  const ids = questions.map((_, at) => askId(at));
  const waits = questions.map((ask, at): PlanStep => ({ id: askId(at), wait: { ask }, dependsOn: ids.slice(0, at) }));
  const behind = steps.map((step) => ({ ...step, dependsOn: [...new Set([...ids, ...(step.dependsOn ?? [])])] }));
  return { steps: [...waits, ...behind], source };
}

export function ifAnswered(steps: readonly PlanStep[], option?: string, several = false): readonly PlanStep[] {
  const chosen = JSON.stringify(option);
  const asks = askId(0);
  const condition = option === undefined ? asks : several ? `${chosen} in ${asks}` : `${asks} == ${chosen}`;
  return steps.map((step) => ({
    ...step,
    when: step.when === undefined ? condition : `${condition} && (${step.when})`,
  }));
}

export interface OpenQuestion {
  readonly runId: string;
  readonly item: QuestionItem;
  readonly steps: readonly PlanStep[];
  /** Answers to earlier questions of the plan, by step id. */
  readonly answers: ReadonlyMap<string, JsonValue>;
  /** Messages of all questions of the plan, by step id. */
  readonly messages: ReadonlyMap<string, string>;
}

export function openQuestion({ runs }: TurnRequest): OpenQuestion | undefined {
  for (const { runId, status, pending = [], plan, steps: records } of runs) {
    const item = pending.find(({ kind }) => kind === "question");
    if (status !== "suspended" || item?.kind !== "question") continue;
    const steps = plan?.steps ?? [];
    const answers = new Map(
      records.flatMap(({ stepId, output }) => (output === undefined ? [] : [[stepId, output as JsonValue] as const])),
    );
    const messages = new Map(
      steps.flatMap(({ id, wait }) => (wait && "ask" in wait ? [[id, wait.ask.message] as const] : [])),
    );
    return { runId, item, steps, answers, messages };
  }
  return undefined;
}

/** Asks for the time on a day, or in a part of one. `dayIn` reads it back when the answer comes. */
export function askTime({ date, partOfDay }: RequestDate, clock: DateClock): string {
  const part = partOfDay === undefined ? "" : partOfDay === "night" ? " at night" : ` in the ${partOfDay}`;
  const year = yearAt(clock.nowMs, clock.timeZone);
  return `At what time on ${sayDate(date, { year })?.text}${part}?`;
}

/** Returns the only day, or part of one, that a text says without a time. */
export function dayIn(request: RequestText): string | undefined {
  const day = only(vagueDates(request));
  return day?.dateTime ?? day?.date;
}

export function vagueDates({ dates }: RequestText): readonly RequestDate[] {
  return dates.filter(({ dateTime, partOfDay }) => dateTime === undefined || partOfDay !== undefined);
}
