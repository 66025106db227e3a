import { isHolder, type JsonObject, type JsonValue } from "../core/json.ts";
import { only } from "../core/lists.ts";
import type { PlanDraft } from "../core/planner.ts";
import { callsTool } from "../core/step.ts";
import type { SlotValue } from "../core/tool.ts";
import type { TurnRequest } from "../core/turn.ts";
import { readNumber } from "../english/numbers.ts";
import { auxiliaries, isPastVerb, lightVerbs, smallWords } from "../english/word-classes.ts";
import { stem, toSingular } from "../language/word-forms.ts";
import { asReference } from "../plan/references.ts";
import { type Call, type CallSlot, callsIn, lackingOf, leadsTo, says } from "../planners/rules/calls.ts";
import { isArticle } from "../planners/rules/courtesy.ts";
import { inputOfPhrase, type ToolRules } from "../planners/rules/phrase-rules.ts";
import { questionOf } from "../planners/rules/proposals.ts";
import { isCapital, type RequestText, readRequest } from "../planners/rules/request.ts";
import { isReadable, slotReadingsAt } from "../planners/rules/slots.ts";
import { isPureStep, issueOf, toStepInput } from "../planners/rules/steps.ts";
import { denials } from "../planners/rules/texts.ts";
import { askForValues } from "./ask-values.ts";
import { type PlanTurn, planTurn } from "./draft-turn.ts";
import {
  bindKey,
  callsOf,
  compareFilled,
  type Filled,
  type FillOptions,
  fillCall,
  inPlan,
  sentenceNames,
  spreadValues,
} from "./fill-call.ts";
import { timesOf } from "./half-said.ts";
import { askTime, dayIn, type OpenQuestion, vagueDates } from "./questions.ts";
import { isPronoun } from "./references.ts";
import type { ThreadLine } from "./thread-line.ts";

interface Gaps extends FillOptions {
  readonly rules: ToolRules;
  readonly call: Call;
  readonly before?: JsonObject | undefined;
  /** True if a text alone is too little. */
  readonly needsValue?: boolean;
  /** Questions that are open, by slot; the line may say all that was lacking. */
  readonly open?: ReadonlyMap<string, string>;
}

/** Asks for the only value that a call with a known thing lacks: "move Okafor". */
export async function askMissing(line: ThreadLine): Promise<PlanTurn | undefined> {
  const reference = only(line.own);
  const thing = only(reference?.things ?? []);
  if (reference === undefined || thing === undefined) return undefined;
  const said = line.withThing(thing, reference);
  const found = new Map<string, PlanTurn>();
  for (const { rules, call, keySlot } of line.callsWith(thing)) {
    const before = bindKey(rules, call.rule.fixed as JsonObject, thing);
    const turn = before && (await askGaps(line, { ...said, keySlot, rules, call, before }));
    if (turn !== undefined) found.set(JSON.stringify(turn), turn);
  }
  return only([...found.values()]);
}

/** Asks for the values that a new thing lacks: "I need a table for Mrs Tanaka". */
export async function askNew(line: ThreadLine): Promise<PlanDraft | undefined> {
  const { request, wish } = line;
  if (wish === undefined || /^(?:correct|again)$/.test(wish.opening) || line.own.length > 0) return undefined;
  const start = wish.start + wantedAt(request.words.slice(wish.start, wish.end));
  const said = request.words.slice(start, wish.end);
  if (!isCertain(line) || said.some((word) => auxiliaries.has(word))) return undefined;
  const takesKey = new Set(line.rules.flatMap((own) => [...(line.thingLike(own)?.keyInputs.keys() ?? [])]));
  const found: PlanTurn[] = [];
  for (const rules of line.rules) {
    // "Tonight's bookings" asks for a list.
    const isOne = (word: string) => rules.vocabulary.has(word) || toSingular(word) === word;
    const spoken = ({ weights }: Call, least: number) =>
      said.filter((word) => (weights.get(stem(word)) ?? 0) >= least && isOne(word));
    const calls = takesKey.has(rules.tool.name) ? [] : callsIn(rules);
    const [call] = calls
      .filter((each) => !each.isDestructive && spoken(each, says.name).length > 0)
      .sort((one, other) => spoken(other, says.phrase).length - spoken(one, says.phrase).length);
    const own = call === undefined ? [] : spoken(call, says.name);
    const passes = new Set(["new", ...own]);
    const [first = ""] = said;
    // "Take Rossi off the table" is not about a new table.
    if (call === undefined || !(isArticle(first) || passes.has(first) || call.leads.has(stem(first)))) continue;
    const needsValue = own.every((word) => lightVerbs.has(word));
    const takesText = (slot: CallSlot, at?: number) => isText(slot) && isNamed(slot, line, at);
    const options = { request, start, end: wish.end, passes, isPlain: true, takesText, needsValue };
    const turn = await askGaps(line, { ...options, rules, call });
    if (turn !== undefined) found.push(turn);
  }
  return only(found)?.draft;
}

/** Reads more than the value that was asked for, or another one: "four people, tomorrow at 7". */
export async function readGaps(line: ThreadLine, asked: OpenQuestion): Promise<PlanTurn | undefined> {
  const { request, wish } = line;
  const step = only(asked.steps.filter(callsTool));
  const rules = line.rules.find(({ tool }) => tool.name === step?.tool);
  if (wish === undefined || step === undefined || step.when !== undefined || rules === undefined) return undefined;
  if (!isCertain(line) || !line.own.every(isPronoun)) return undefined;
  const before: Record<string, JsonValue> = {};
  const open = new Map<string, string>();
  for (const [name, value] of Object.entries(step.input)) {
    const $ref = isHolder(value) ? asReference(value)?.$ref : undefined;
    const answer = asked.answers.get(String($ref));
    if ($ref === undefined) before[name] = value;
    else if (answer !== undefined) before[name] = inPlan(answer);
    else open.set(name, asked.messages.get(String($ref)) ?? "");
  }
  // "At eight" is on the day that was said before.
  const dayOf = (slot: string) => dayIn(readRequest(open.get(slot) ?? "", request.clock));
  const takesText = (slot: CallSlot, at?: number) => isText(slot) && (at === wish.start || isNamed(slot, line, at));
  for (const whole of callsOf(rules, before)) {
    const call = { ...whole, slots: whole.slots.filter(({ name }) => before[name] === undefined) };
    const isPlain = !call.slots.some((slot) => isText(slot) && sentenceNames.has(slot.name));
    const baseOf = timesOf(undefined, dayOf, true);
    const passes = new Set(request.words.filter((word) => (call.weights.get(stem(word)) ?? 0) >= says.name));
    const options = { ...wish, request, passes, isPlain, takesText, baseOf, before, open, needsValue: true };
    const turn = await askGaps(line, { ...options, rules, call });
    if (turn !== undefined) return turn;
  }
  return undefined;
}

// A line with one of these may mean something else: "any day but sunday", "four or five".
const doubtful =
  /^(?:or|but|except|excluding|instead|than|rather|maybe|perhaps|if|once|when|unless|any|least|most|before|after)$/;

function isCertain({ request, wish, asks }: ThreadLine): boolean {
  if (asks || request.words.some((word) => doubtful.test(word) || denials.has(word))) return false;
  return !request.words.slice(wish?.start, wish?.end).some(isPastVerb);
}

/** Skips "I would like", "we also need" and the like. */
function wantedAt(words: readonly string[]): number {
  const [said = ""] =
    /^(?:i|we)(?: (?:would|will|do|also|just))* (?:need|want|like)(?: also)?(?: to)?(?= )/.exec(words.join(" ")) ?? [];
  return said === "" ? 0 : said.split(" ").length;
}

function isText({ type }: CallSlot): boolean {
  return type.kind === "text";
}

/** True if the words at the place must be a value: "for Mori", "Mori", ", mori". */
function isNamed(slot: CallSlot, { request }: ThreadLine, at?: number): boolean {
  if (at === undefined) return true;
  const { words } = request;
  if (smallWords.has(words[at] ?? "") || /^(?:more|about|around)$/.test(words[at] ?? "")) return false;
  const leads = slot.leads.filter(({ length }) => length > 0);
  const isLed = words[at - 1] === "," || leadsTo({ ...slot, leads }, words, at);
  return readNumber(words, at) === undefined && (isLed || isCapital(request, at));
}

async function askGaps({ turn }: ThreadLine, gaps: Gaps): Promise<PlanTurn | undefined> {
  const { rules, call, before, open, keySlot, request } = gaps;
  const said = onlyWay(gaps, turn);
  if (said === undefined) return undefined;
  const days = new Map(call.slots.flatMap((slot) => dayFor(slot, said[slot.name], request) ?? []));
  const values = Object.fromEntries(Object.entries(said).filter(([name]) => !days.has(name)));
  const own = inputOfPhrase(call.rule, values, turn);
  const input = { ...before, ...(own && toStepInput(own, { schema: rules.schemas.input, known: [] })) };
  if (isPureStep(rules.tool, input)) return undefined;
  const [lacking = []] = lackingOf(call, new Set(Object.keys({ ...before, ...values })));
  if (open !== undefined && !lacking.every((slot) => open.has(slot))) return undefined;
  const asks = lacking.flatMap((slot) => {
    const question = questionOf(call.rule, { stepId: "s1", slot }, turn);
    return question === undefined ? [] : [{ ...question, text: days.get(slot) ?? open?.get(slot) ?? question.text }];
  });
  const isAll = keySlot === undefined || (asks.length === 1 && Object.keys(said).length === 0);
  if (asks.length < lacking.length || !isAll) return undefined;
  if (asks.length > 0) {
    const steps = [{ id: "s1", tool: rules.tool.name, input, dependsOn: [] }];
    const draft = await askForValues(turn, { steps }, asks);
    return draft && { status: "plan", draft };
  }
  const isWhole = open !== undefined && (await issueOf(input, rules.tool, undefined)) === undefined;
  return isWhole ? planTurn([{ rules, input }]) : undefined;
}

/** Returns the values of a line without its thing; undefined if it can be read in two ways that are equally good. */
function onlyWay({ call, needsValue = false, ...options }: Gaps, turn: TurnRequest) {
  const isOther = ({ target }: Filled) => Number(target !== options.keySlot);
  const ways = fillCall(call, options).filter(({ target, isHinted }) => target === undefined || isHinted);
  const [best, rival] = ways.toSorted((one, other) => isOther(one) - isOther(other));
  const all = best && only(spreadValues(best.values));
  if (best === undefined || all === undefined) return undefined;
  const made = (way: Filled) => JSON.stringify(inputOfPhrase(call.rule, only(spreadValues(way.values)) ?? {}, turn));
  const isTie = rival !== undefined && rival.target === best.target && compareFilled(best, rival) === 0;
  const isRead = call.slots.some(({ name, type }) => all[name] !== undefined && isReadable(type));
  if ((isTie && made(best) !== made(rival)) || (needsValue && !isRead)) return undefined;
  const { [best.target ?? ""]: _, ...said } = all;
  return said;
}

/** Returns the question for the time if the value of a slot that needs one is a day, or part of one, alone. */
function dayFor({ name, type }: CallSlot, value: SlotValue | undefined, request: RequestText) {
  if (value === undefined || type.kind !== "date-time" || type.takesDay === true) return undefined;
  const isSaid = ({ start }: { readonly start: number }) =>
    slotReadingsAt(type, request, start).some((reading) => reading.value === value);
  const day = vagueDates(request).find(isSaid);
  return day && [[name, askTime(day, request.clock)] as const];
}
