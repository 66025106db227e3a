import { isHolder, type JsonObject, type JsonValue } from "../core/json.ts";
import { only } from "../core/lists.ts";
import type { PlanDraft } from "../core/planner.ts";
import { callsTool } from "../core/step.ts";
import { isPastVerb, lightVerbs } from "../english/word-classes.ts";
import { stem, toSingular } from "../language/word-forms.ts";
import { asReference } from "../plan/references.ts";
import { type Call, type CallSlot, callsIn, lackingOf, leadsTo, says } from "../planners/rules/calls.ts";
import { inputOfPhrase, type ToolRules } from "../planners/rules/phrase-rules.ts";
import { questionOf } from "../planners/rules/proposals.ts";
import { isCapital, readRequest } from "../planners/rules/request.ts";
import { isReadable } from "../planners/rules/slots.ts";
import { isPureStep, issueOf } from "../planners/rules/steps.ts";
import { askForValues } from "./ask-values.ts";
import { type PlanTurn, planTurn } from "./draft-turn.ts";
import { bindKey, callsOf, type FillOptions, fillCall, sentenceNames, spreadValues } from "./fill-call.ts";
import { timesIn, timesOf } from "./half-said.ts";
import { dayIn, type OpenQuestion } from "./questions.ts";
import type { ThreadLine } from "./thread-line.ts";

interface Gaps extends FillOptions {
  readonly rules: ToolRules;
  readonly call: Call;
  readonly before?: JsonObject | undefined;
  /** True if a text alone is too little. */
  readonly needsValue?: boolean;
  /** True if the line may say all that was lacking. */
  readonly isContinued?: boolean;
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
  const said = request.words.slice(wish?.start, wish?.end);
  if (wish === undefined || /^(?:correct|again)$/.test(wish.opening)) return undefined;
  if (line.asks || line.own.length > 0 || said.some(isPastVerb)) return undefined;
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
    const needsValue = own.every((word) => lightVerbs.has(word));
    const takesText = (slot: CallSlot, at?: number) => isText(slot) && isNamed(slot, line, at);
    const options = { ...wish, request, passes, isPlain: true, takesText, needsValue };
    const turn = call && (await askGaps(line, { ...options, rules, call }));
    if (turn !== undefined) found.push(turn);
  }
  return only(found)?.draft;
}

/** Reads more than the value that was asked for, or another one: "four people, tomorrow at 7". */
export async function readGaps(line: ThreadLine, asked: OpenQuestion): Promise<PlanTurn | undefined> {
  const { request, wish } = line;
  const step = only(asked.steps.filter(callsTool));
  const rules = line.rules.find(({ tool }) => tool.name === step?.tool);
  // "They are five" is about the new thing.
  const isOther = line.own.some(({ how }) => how !== "pronoun");
  if (wish === undefined || step === undefined || step.when !== undefined || rules === undefined) return undefined;
  if (line.asks || isOther || request.words.slice(wish.start, wish.end).some(isPastVerb)) return undefined;
  const given = Object.entries(step.input).flatMap(([name, value]) => {
    const $ref = isHolder(value) ? asReference(value)?.$ref : undefined;
    const known = typeof $ref === "string" ? asked.answers.get($ref) : value;
    return known === undefined ? [] : [[name, known as JsonValue] as const];
  });
  const before = Object.fromEntries(given);
  // "At eight" is on the day that was said before.
  const day = dayIn(readRequest(asked.request ?? "", request.clock));
  const baseOf = timesOf(undefined, (slot) => timesIn(before)(slot) ?? day, true);
  const takesText = (slot: CallSlot, at?: number) =>
    isText(slot) && before[slot.name] === undefined && (at === wish.start || isNamed(slot, line, at));
  for (const call of callsOf(rules, before)) {
    const isSentence = call.slots.some((slot) => takesText(slot) && sentenceNames.has(slot.name));
    const options = {
      ...wish,
      request,
      isPlain: !isSentence,
      takesText,
      baseOf,
      before,
      needsValue: true,
      isContinued: true,
    };
    const turn = await askGaps(line, { ...options, rules, call });
    if (turn !== undefined) return turn;
  }
  return undefined;
}

function isText({ type }: CallSlot): boolean {
  return type.kind === "text";
}

/** True if the words at the place must be a value: "for Mori", "Mori", ", mori". */
function isNamed(slot: CallSlot, { request }: ThreadLine, at?: number): boolean {
  if (at === undefined) return true;
  return leadsTo(slot, request.words, at) || isCapital(request, at) || request.words[at - 1] === ",";
}

async function askGaps({ turn }: ThreadLine, gaps: Gaps): Promise<PlanTurn | undefined> {
  const { rules, call, before, needsValue = false, isContinued = false, ...options } = gaps;
  const filled = fillCall(call, options).find(({ target, isHinted }) => target === undefined || isHinted);
  const all = filled && only(spreadValues(filled.values));
  if (all === undefined) return undefined;
  const { [filled?.target ?? ""]: _, ...said } = all;
  if (needsValue && !call.slots.some(({ name, type }) => said[name] !== undefined && isReadable(type)))
    return undefined;
  const isDay = dayIn(options.request) !== undefined;
  const needsTime = new Set(call.slots.filter(isTimeOf).map(({ name }) => name));
  const values = Object.fromEntries(Object.entries(said).filter(([name]) => !isDay || !needsTime.has(name)));
  const input = { ...before, ...(inputOfPhrase(call.rule, values, turn) as JsonObject | undefined) };
  if (isPureStep(rules.tool, input)) return undefined;
  const [lacking = []] = lackingOf(call, new Set(Object.keys({ ...before, ...values })));
  const asks = lacking.flatMap((slot) => {
    const question = questionOf(call.rule, { stepId: "s1", slot }, turn);
    return question === undefined ? [] : [{ ...question, ...(said[slot] !== undefined && { text: "At what time?" }) }];
  });
  const isAll = options.keySlot === undefined || (asks.length === 1 && Object.keys(said).length === 0);
  if (asks.length < lacking.length || !isAll) return undefined;
  if (asks.length > 0) {
    const steps = [{ id: "s1", tool: rules.tool.name, input, dependsOn: [] }];
    const draft = await askForValues(turn, { steps }, asks);
    return draft && { status: "plan", draft };
  }
  const isWhole = isContinued && (await issueOf(input, rules.tool, undefined)) === undefined;
  return isWhole ? planTurn([{ rules, input }]) : undefined;
}

/** True for a slot that needs a time, for which a day alone is too little. */
function isTimeOf({ type }: CallSlot): boolean {
  return type.kind === "date-time" && type.takesDay !== true;
}
