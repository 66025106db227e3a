import type { Proposal, ProposalQuestion } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { type JsonSchema, schemasAt } from "../../core/json-schema.ts";
import { remembered } from "../../core/remembered.ts";
import type { SlotValue } from "../../core/tool.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { dayMs, isoDateTime } from "../../dates/zoned-time.ts";
import { functionWords } from "../../english/word-classes.ts";
import { tokenize } from "../../language/tokens.ts";
import { sayName } from "../../plan/say-call.ts";
import type { Piece } from "./match.ts";
import { inputOfPhrase, type PhraseRule, type ToolRules } from "./phrase-rules.ts";
import { type DraftStep, type Reading, unsureCost } from "./readings.ts";
import { type RequestText, textBetween } from "./request.ts";
import { sayOpenly } from "./say.ts";
import {
  anaphor,
  choicesOf,
  isDate,
  isReadable,
  type SlotType,
  slotReadingsAt,
  slotTypeOf,
  typeOfSlot,
} from "./slots.ts";

export interface Meaning extends Pick<Proposal, "steps" | "certainty" | "unused"> {
  readonly calls?: readonly DraftStep[];
  readonly text?: string;
  readonly asks?: ProposalQuestion;
}

const maxProposals = 3;

export function proposalsFor(meanings: readonly Meaning[], clock: DateClock): readonly Proposal[] {
  const meant = meanings.map(({ steps, asks }) =>
    JSON.stringify([steps.map(({ tool, input, wait }) => [tool, input, wait]), asks?.field]),
  );
  const unlike = meanings.filter((_, at) => meant.indexOf(meant[at] ?? "") === at);
  const likeliest = unlike.sort((one, other) => other.certainty - one.certainty);
  return likeliest.flatMap((each) => toProposal(each, clock) ?? []).slice(0, maxProposals);
}

function toProposal(meaning: Meaning, clock: DateClock): Proposal | undefined {
  const { steps, calls = [], certainty, unused, asks, text } = meaning;
  const lackingOf = (id: string) => (asks?.stepId === id ? asks.field : undefined);
  const say = ({ id, rules, input }: DraftStep) => sayOpenly(rules, input, { clock, lacking: lackingOf(id) });
  const said = new Map(calls.map((call) => [call.id, say(call)]));
  if (asks === undefined && [...said.values()].includes(undefined)) return undefined;
  const reasoned = steps.map((step) =>
    said.get(step.id) === undefined ? step : { ...step, reasoning: said.get(step.id) ?? "" },
  );
  const all = [...said.values()].map((words, at) => words ?? steps[at]?.reasoning ?? "");
  const proposal = { steps: reasoned, text: text ?? all.join(", then "), certainty, unused };
  return asks === undefined ? proposal : { ...proposal, asks };
}

export function unusedIn({ doubts }: Reading, request: RequestText): readonly string[] {
  const unused: { start: number; end: number }[] = [];
  for (const { kind, start, end } of doubts.toSorted((one, other) => one.start - other.start)) {
    const last = unused.at(-1);
    if (kind !== "left") continue;
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else unused.push({ start, end });
  }
  return unused.map(({ start, end }) => textBetween(request, start, end));
}

export function questionFor({ lacking, drafts }: Reading, clock: DateClock): ProposalQuestion | undefined {
  const rule = drafts.find(({ id }) => id === lacking?.stepId)?.match.rule;
  return lacking && rule && questionOf(rule, lacking, clock);
}

type Gap = NonNullable<Reading["lacking"]>;

export function questionOf(rule: PhraseRule, { stepId, slot }: Gap, clock: DateClock): ProposalQuestion | undefined {
  const { schemas } = rule.tool;
  const field = rule.source.toInput === undefined ? slot : fieldOf(rule, slot, clock);
  if (field === undefined) return undefined;
  const own = slotTypeOf(schemasAt(schemas.input, [field], rule.fixed));
  const said = typeOfSlot(rule, slot);
  // A tool may check a date itself, and declare only text in its schema.
  const type = own.kind === "text" && said !== undefined && isReadable(said) ? said : own;
  const choices = choicesOf(type);
  return {
    stepId,
    field,
    type: type.kind,
    ...(choices.length > 0 && { choices }),
    text: isDate(type) ? "When?" : `Which ${sayName(field)}?`,
  };
}

function fieldOf(rule: PhraseRule, slot: string, clock: DateClock): string | undefined {
  const type = typeOfSlot(rule, slot);
  const made = type && inputOfPhrase(rule, { [slot]: exampleOf(type, "x") }, clock);
  return Object.keys(made ?? {}).find((name) => !Object.hasOwn(rule.fixed, name) && made?.[name] !== undefined);
}

function exampleOf(type: SlotType, name: string): SlotValue {
  const [choice] = choicesOf(type);
  const examples: Readonly<Record<SlotType["kind"], SlotValue>> = {
    ...{ text: name, list: [name], number: 3, boolean: true, enum: choice ?? name, sum: "2 + 3" },
    ...{ date: "2030-01-01", time: "09:00", range: "2030-01-01" },
    "date-time": type.takesDay ? "2030-01-01" : "2030-01-01T09:00:00Z",
  };
  return examples[type.kind];
}

/** Weights of a logistic regression; docs/decisions/proposals.md says how they were fitted. */
const weights = { constant: 0.5, cost: -1.75, doubt: -1, ahead: 0.57, value: 0.77 } as const;

export function certaintyOf({ matches, doubts, cost: all }: Reading, others: readonly number[]): number {
  const cost = doubts.length > 0 ? all - unsureCost : all;
  const isLiteral = matches.every(({ inOtherWords }) => inOtherWords !== true);
  const ahead = Math.max(-50, Math.min(100, Math.min(...others, all + 100) - all));
  const isValue = ({ kind, value, isMessage }: Piece) => kind === "slot" && (value !== undefined || isMessage === true);
  const values = matches.flatMap(({ pieces }) => pieces.filter(isValue));
  const sum =
    weights.constant +
    (isLiteral ? weights.doubt * Math.min(4, doubts.length) : (weights.cost * Math.min(400, cost)) / 100) +
    (weights.ahead * ahead) / 50 +
    weights.value * Math.min(3, values.length);
  return Math.round(100 / (1 + Math.exp(-sum))) / 100;
}

const phrasesOf = remembered(({ rules }: ToolRules) => rules.map((rule) => ({ rule, words: contentOf(rule.example) })));

export function likestPhrases(tool: ToolRules, said: ReadonlySet<string>) {
  const scored = phrasesOf(tool).map(({ rule, words }) => {
    const shared = [...words].filter((word) => said.has(word)).length;
    return { rule, shared, score: shared === 0 ? 0 : 3 * shared - words.size };
  });
  return scored.sort((one, other) => other.score - one.score);
}

export function contentOf(text: string): ReadonlySet<string> {
  const norms = tokenize(text, 200).map(({ norm }) => norm);
  return new Set(norms.filter((norm) => norm.length > 2 && !functionWords.has(norm)));
}

export function exampleValues(
  rule: PhraseRule,
  { request, input }: { readonly request: RequestText; readonly input: JsonObject },
): ReadonlyMap<string, SlotValue> {
  const { clock } = request;
  const tomorrow = isoDateTime(clock.nowMs + dayMs, clock.timeZone);
  const used = new Set<number>();
  const isPlain = (entry: readonly [string, unknown]): entry is [string, string] =>
    typeof entry[1] === "string" && /^[\p{L} ]{1,40}$/u.test(entry[1]);
  const texts = new Map(Object.entries(input).filter(isPlain));
  const [anyText] = rule.source.toInput === undefined ? [] : texts.values();
  return new Map(
    [...rule.slots].map(([name, type]) => {
      const [schema] = schemasAt(rule.tool.schemas.input, [name], rule.fixed) ?? [];
      const known = texts.get(name) ?? (type.schema === undefined ? anyText : undefined);
      const said = isReadable(type) ? firstReading(type, request, used) : type.kind === "text" ? known : undefined;
      const isDay = type.kind === "date" || type.kind === "range";
      const date = isDay ? tomorrow.slice(0, 10) : `${tomorrow.slice(0, 11)}09:00:00${tomorrow.slice(19)}`;
      const any = schema && valueIn(schema);
      const other = isDay || type.kind === "date-time" ? date : exampleOf(type, `"${sayName(name)}"`);
      return [name, said ?? any ?? other] as const;
    }),
  );
}

function valueIn({ type, examples, minimum, exclusiveMinimum, maximum }: JsonSchema): SlotValue | undefined {
  const [example] = [examples ?? []].flat();
  if (example !== undefined || (type !== "number" && type !== "integer")) return example as SlotValue | undefined;
  const lowest = Math.max(Number(minimum ?? -Infinity), Number(exclusiveMinimum ?? -Infinity) + 1);
  return Math.max(lowest, Math.min(3, Number(maximum ?? 3)));
}

function firstReading(type: SlotType, request: RequestText, used: Set<number>): SlotValue | undefined {
  for (const at of request.words.keys()) {
    const found = slotReadingsAt(type, request, at).find(({ value }) => value !== anaphor);
    if (found === undefined || used.has(at)) continue;
    for (let each = at; each < found.end; each++) used.add(each);
    return found.value as SlotValue;
  }
  return undefined;
}
