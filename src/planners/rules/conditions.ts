import { knownKeys, schemasAt, typesOf } from "../../core/json-schema.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { DateClock } from "../../dates/read-dates.ts";
import { findReferences, parseReference } from "../../plan/references.ts";
import type { ToolRules } from "./phrase-rules.ts";
import type { DraftStep } from "./readings.ts";
import type { RequestDate } from "./request.ts";
import type { Match } from "./slot-values.ts";
import { isPureStep } from "./steps.ts";

export interface Conditional {
  readonly question: string;
  readonly isDenied: boolean;
  readonly wish: string;
}

const maxLength = 1_000;
const ifAtAll =
  /(?:^\s*|[,;.!?] *|\b(?:and|then|but|or|also|please|ok|okay|so|well|hey|hi) )if (?!you\b|possible\b|(?:it|that)(?:'s| is) (?:ok|okay|fine|alright|possible)\b|i (?:may|might)\b)/i;
const ifThen = /^\s*(?:please )?if ([^,;]+?)(?:, ?then |, | then )(.+)$/i;
const otherwise = /\b(?:else|otherwise|unless|if)\b/i;
const denial = /\b(?:not|no|never|nothing|none|cannot)\b|n't\b/i;

const ifSo = /^\s*(.+?)[,;.?] *(?:and )?if (not|no|so|yes)\b,? (?:then )?(.+)$/i;

export function readConditional(text: string): Conditional | undefined {
  if (text.length > maxLength || !ifAtAll.test(text.replace(/"[^"]*"/g, '""'))) return undefined;
  const [, question, answer = "", after = ""] = ifSo.exec(text) ?? [];
  if (question !== undefined)
    return otherwise.test(after) ? undefined : { question, isDenied: /^no/i.test(answer), wish: after };
  const [, condition = "", wish = ""] = ifThen.exec(text) ?? [];
  if (condition === "" || otherwise.test(wish)) return undefined;
  const plain = affirm(condition);
  return denial.test(plain) ? undefined : { question: ask(plain), isDenied: plain !== condition, wish };
}

const affirmations: readonly (readonly [RegExp, string])[] = [
  [/\b(?:do not|don't) have\b|\bhave(?: got)? no\b|\b(?:have not|haven't)(?: got)?\b/i, "have"],
  [/\b(is|are|was|were)(?: not|n't)\b/i, "$1"],
  [/\bthere (is|are) no\b/i, "there $1 any"],
  [/\bthere is nothing\b/i, "there is anything"],
];

function affirm(text: string): string {
  const [pattern, plain] = affirmations.find(([each]) => each.test(text)) ?? [];
  return pattern === undefined || plain === undefined ? text : text.replace(pattern, plain);
}

function ask(statement: string): string {
  const [, subject, verb, rest] = /^(.+?) (is|are|was|were) (.+)$/i.exec(statement) ?? [];
  if (subject !== undefined) return `${verb} ${subject} ${rest}`;
  return /^(?:i|we) (?:still )?(?:have|need)\b/i.test(statement) ? `do ${statement}` : `check if ${statement}`;
}

function testOf({ id, input }: PlanStep, { rules }: Match): string | undefined {
  const path = `${id}${rules.resultPath}`;
  const reference = parseReference(path);
  const { output } = rules.schemas;
  const types = output && reference && typesOf(schemasAt(output, reference.path) ?? [{}]);
  if (types?.size === 1 && types.has("boolean")) return path;
  if (types?.size === 1 && types.has("array")) return `size(${path}) > 0`;
  const list = isPureStep(rules.tool, input ?? {}) ? listIn(rules) : undefined;
  return list === undefined ? undefined : `size(${id}.${list}) > 0`;
}

function listIn({ schemas: { output } }: ToolRules): string | undefined {
  if (output === undefined) return undefined;
  const isFound = (key: string) =>
    /^[A-Za-z_]\w*$/.test(key) &&
    typesOf(schemasAt(output, [key]) ?? [{}])?.has("array") === true &&
    (schemasAt(output, [key, 0]) ?? []).some(({ properties }) => properties !== undefined);
  const [list, ...others] = knownKeys(schemasAt(output, []) ?? []).filter(isFound);
  return others.length === 0 ? list : undefined;
}

export function onlyIf(steps: readonly PlanStep[], match: Match, { isDenied }: Conditional) {
  const [first, ...others] = steps;
  const test = first && testOf(first, match);
  if (first === undefined || test === undefined || others.length === 0) return undefined;
  const when = isDenied ? `!(${test})` : test;
  const dependent = others.map((step) => {
    const dependsOn = [...new Set([first.id, ...(step.dependsOn ?? [])])];
    return { ...(isDenied ? step : ofFound(step, first, match, others)), when, dependsOn };
  });
  return [first, ...dependent];
}

/** Runs the step for the item that was found, if it is the only one: "milk" matches "buy milk", not "milkshake". */
function ofFound(step: PlanStep, first: PlanStep, match: Match, others: readonly PlanStep[]): PlanStep {
  const sought = Object.entries(first.input ?? {});
  const isSought = ([name, value]: [string, unknown]) => sought.some(([key, each]) => key !== name && each === value);
  const [field = "", said] = Object.entries(step.input ?? {}).find(isSought) ?? [];
  const list = listIn(match.rules) ?? "";
  const types = typesOf(schemasAt(match.rules.schemas.output ?? {}, [list, 0, field]) ?? []);
  const isText = types?.size === 1 && types.has("string");
  const references = findReferences(others.map(({ input = {} }) => input));
  const isUsed = references.some(({ reference }) => reference?.stepId === step.id);
  if (step.tool === undefined || typeof said !== "string" || said.includes("$") || !isText || isUsed) return step;
  const words = JSON.stringify(` ${said.replace(/[A-Z]/g, (letter) => letter.toLowerCase())} `);
  const found = `${first.id}.${list}.filter(one, (" " + one.${field}.lowerAscii() + " ").contains(${words}))`;
  const forEach = `size(${found}) < 2 ? ${found}.map(one, one.${field}) : [${JSON.stringify(said)}]`;
  return { ...step, forEach, input: { ...step.input, [field]: "${item}" } };
}

const atOnce: ReadonlySet<string | undefined> = new Set([undefined, "at", "on", "in", "after"]);

export function afterWait(
  steps: readonly PlanStep[],
  { date, said, clock }: { readonly date: RequestDate; readonly said: string; readonly clock: DateClock },
  drafts: readonly DraftStep[],
): readonly PlanStep[] | undefined {
  const { dateTime: until, preposition } = date;
  if (until === undefined || !atOnce.has(preposition) || Date.parse(until) <= clock.nowMs) return undefined;
  if (drafts.every(({ rules, input }) => isPureStep(rules.tool, input))) return undefined;
  const wait: PlanStep = { id: "wait", wait: { until }, dependsOn: [], reasoning: `Wait: ${said}` };
  const later = (step: PlanStep) => ((step.dependsOn ?? []).length > 0 ? step : { ...step, dependsOn: [wait.id] });
  return [wait, ...steps.map(later)];
}
