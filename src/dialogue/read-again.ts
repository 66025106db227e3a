import { canonicalJson, type JsonObject } from "../core/json.ts";
import type { SlotValue } from "../core/tool.ts";
import { emptyWords, isVerb, prepositions, startsWithVerb } from "../english/word-classes.ts";
import type { Call, CallSlot } from "../planners/rules/calls.ts";
import type { ToolRules } from "../planners/rules/phrase-rules.ts";
import { Refused } from "../planners/rules/plan-by-rules.ts";
import { isReadable } from "../planners/rules/slots.ts";
import { isPureStep, toStepInput } from "../planners/rules/steps.ts";
import type { MeantCall, PlanTurn } from "./draft-turn.ts";
import {
  bindKey,
  callsOf,
  compareFilled,
  type Filled,
  fillCall,
  inPlan,
  inputOf,
  mayCorrect,
  sentenceNames,
  spreadValues,
} from "./fill-call.ts";
import { type DoneStep, isSameThing, type KnownThing, takesKey, thingOf } from "./focus.ts";
import { isTime, timesIn, timesOf, withTimesOf } from "./half-said.ts";
import { openQuestion } from "./questions.ts";
import { continuesSum } from "./read-sums.ts";
import type { Reference } from "./references.ts";
import type { ThreadLine } from "./thread-line.ts";
import { formerly } from "./undo-line.ts";

/** Repeats the last operation with other values: "and eggs", "same for Conti, but at nine", "no, 8.30". */
export async function readAgain(line: ThreadLine): Promise<PlanTurn | undefined> {
  const { wish, focus } = line;
  const [last] = focus.last;
  if (last === undefined || wish === undefined || !wish.isSingle) return undefined;
  const [reference, second] = line.own.filter(({ how }) => how !== "pronoun");
  if (reference === undefined && (focus.isDistant || (await isRequest(line, last)))) return undefined;
  const step = repeated(last, reference, line);
  if (step === undefined || second !== undefined) return undefined;
  const isWhole = reference !== undefined && reference.start <= wish.start && reference.end === wish.end;
  // While a question is open, a thing alone can only answer it.
  const isPlace = isWhole && reference.how !== "name" && openQuestion(line.turn) === undefined;
  if (wish.opening === "none" && !isPlace) return undefined;
  const rules = line.rules.find(({ tool }) => tool.name === step.tool);
  const isChange = rules !== undefined && !isPureStep(rules.tool, step.input);
  if (isChange && line.asks) return undefined;
  // "No, Patel" also takes back the change to the other thing.
  const isOther = isChange && correctsThing(line, step, reference);
  const back = isOther ? formerly(step, line) : undefined;
  // The other change would stay, which the user knows only after a refused "undo that".
  if (isOther && back === undefined && !focus.isDistant) return undefined;
  return line.forEach(reference, async (thing) => {
    const calls = await againFor(line, step, { thing, reference });
    return calls && (back === undefined ? calls : [back, ...calls]);
  });
}

/** Finds the step to repeat; for "same for Sunday", the step that created the thing, with the present values. */
function repeated(step: DoneStep, reference: Reference | undefined, line: ThreadLine): DoneStep | undefined {
  const { focus, wish, isDateAlone } = line;
  const thing = thingOf(step, focus);
  const isOther = reference === undefined && wish?.opening === "again" && isDateAlone;
  if (!isOther || thing === undefined || step.effect === "pure") return step;
  const first = focus.mentions.flatMap(({ things }) => things).findLast((each) => isSameThing(each, thing));
  const created = focus.steps.find(({ runId, stepId }) => runId === first?.runId && stepId === first.stepId);
  if (created === undefined || created.effect === "pure" || takesKey(created, thing)) return undefined;
  const input = Object.entries(created.input).map(([name, value]) => [name, thing.fields[name] ?? value] as const);
  return { ...created, input: Object.fromEntries(input) };
}

/** True if the words after "and" are a request: "and remind me to …". Unlike names, titles may begin with a verb. */
async function isRequest(line: ThreadLine, { input }: DoneStep): Promise<boolean> {
  const { wish, rules, planning, request } = line;
  const word = request.words[wish?.start ?? 0] ?? "";
  const isOpening = rules.some((tool) => tool.rules.some(({ start }) => start.steps.words.has(word)));
  const isSmall = emptyWords.has(word);
  if (wish?.opening !== "more" || isSmall || !(isOpening || isVerb(word))) return false;
  // "Remind me" tells the app what to do.
  if (/^(?:me|us)$/.test(request.words[(wish?.start ?? 0) + 1] ?? "")) return true;
  const isTitled = Object.keys(input).some((name) => sentenceNames.has(name));
  return !isTitled || !((await planning.planText(line.textOf(wish))) instanceof Refused);
}

function correctsThing({ wish, focus }: ThreadLine, step: DoneStep, reference: Reference | undefined): boolean {
  const known = thingOf(step, focus);
  const [meant] = reference?.things ?? [];
  return wish?.opening === "correct" && known !== undefined && meant !== undefined && !isSameThing(known, meant);
}

interface Target {
  readonly thing: KnownThing | undefined;
  readonly reference: Reference | undefined;
}

async function againFor(line: ThreadLine, step: DoneStep, target: Target): Promise<readonly MeantCall[] | undefined> {
  const { thing, reference } = target;
  const { focus, rules: all } = line;
  const corrects = line.wish?.opening === "correct";
  const known = thingOf(step, focus);
  const said = line.withThing(thing, reference);
  const rules = all.find(({ tool }) => tool.name === step.tool);
  if (rules === undefined) return undefined;
  // A number in the line may also be the key of another thing.
  const mayBeKey = line.wish?.opening !== "none";
  if (mayBeKey && thing === undefined && known !== undefined && line.saysKeyLike(known)) return undefined;
  // The thing that was created by mistake would remain.
  if (corrects && known === undefined && !isPureStep(rules.tool, step.input)) return undefined;
  const keySlot = known?.keyInputs.get(step.tool);
  const baseOf = timesOf(thing ?? known, timesIn(step.input), corrects);
  const isRepeated = ({ name }: CallSlot) => (known ? name === known.labelField : Object.hasOwn(step.input, name));
  // "The same for the tenors" may replace either object of "send the dates to the altos".
  const isSentence = ({ name }: CallSlot) => {
    const said = String(step.input[name] ?? "").toLowerCase();
    const hasObjects = startsWithVerb(said.split(" ")) && / (?:to|for|with|at|from) /.test(said);
    return hasObjects && /^(?:for|with|to)$/.test(line.request.words[(line.wish?.start ?? 0) - 1] ?? "");
  };
  const ways = callsOf(rules, step.input).flatMap((call) => {
    const takesText = (slot: CallSlot) =>
      !corrects && thing === undefined && isRepeated(slot) && !isSentence(slot) && fitsLead(line, call, slot);
    return fillCall(call, { ...said, takesText, keySlot, baseOf }).map((filled) => ({ call, filled }));
  });
  return certainCalls(
    ways.sort((one, other) => compareFilled(one.filled, other.filled)),
    (way) => repeat(line, step, { ...target, rules, ...way }),
  );
}

/** True unless a preposition leads to another slot, or to a name: "same for Mia" is about a person, and no message. */
function fitsLead({ wish, request: { words } }: ThreadLine, { slots }: Call, { leads, message }: CallSlot): boolean {
  const { start = 0 } = wish ?? {};
  const lead = [words[start - 1] ?? "", words[start] ?? ""].find((word) => prepositions.has(word));
  const isLed = (each: Pick<CallSlot, "leads">) => each.leads.some((said) => said.at(-1) === lead);
  if (lead === undefined) return true;
  return message !== "always" && (isLed({ leads }) || !slots.some((each) => !isReadable(each.type) && isLed(each)));
}

interface Way {
  readonly call: Call;
  readonly filled: Filled;
}

/** Returns no calls if two equally good ways give different calls: "at nine" may begin or end a shift. */
async function certainCalls(
  ways: readonly Way[],
  make: (way: Way) => Promise<readonly MeantCall[] | undefined>,
): Promise<readonly MeantCall[] | undefined> {
  for (const [at, way] of ways.entries()) {
    const calls = await make(way);
    if (calls === undefined) continue;
    for (const equal of ways.slice(at + 1).filter((each) => isEqual(way, each))) {
      const others = (await make(equal)) ?? calls;
      if (canonicalJson(others.map(inputOfCall)) !== canonicalJson(calls.map(inputOfCall))) return undefined;
    }
    return calls;
  }
  return undefined;
}

/** True if neither way is better, and both fill the text slots with the same values. */
function isEqual(one: Way, other: Way): boolean {
  const texts = [...one.call.slots, ...other.call.slots].filter(({ type }) => !isReadable(type));
  const isSame = ({ name }: CallSlot) =>
    canonicalJson(one.filled.values[name] ?? []) === canonicalJson(other.filled.values[name] ?? []);
  return compareFilled(one.filled, other.filled) === 0 && texts.every(isSame);
}

const inputOfCall = ({ input }: MeantCall) => input;

interface Repeated extends Target, Way {
  readonly rules: ToolRules;
}

async function repeat(line: ThreadLine, step: DoneStep, repeated: Repeated): Promise<readonly MeantCall[] | undefined> {
  const { rules, thing, reference, filled } = repeated;
  if (thing !== undefined && filled.target === undefined) return undefined;
  const calls: MeantCall[] = [];
  for (const values of spreadValues(filled.values)) {
    const input = await inputAgain(line, step, { ...repeated, values });
    if (input === undefined) return undefined;
    const known = thing ?? thingOf(step, line.focus);
    calls.push({ rules, input, thing: known, said: reference && line.textOf(reference) });
  }
  return calls;
}

async function inputAgain(
  { request, focus, wish }: ThreadLine,
  step: DoneStep,
  { rules, call, thing, filled, values }: Repeated & { readonly values: Readonly<Record<string, SlotValue>> },
): Promise<JsonObject | undefined> {
  const count = Object.keys(values).length;
  const field = thing?.keyInputs.get(rules.tool.name);
  const own = toStepInput(step.input, { schema: rules.schemas.input, known: [] }) ?? {};
  const before = thing === undefined || field === undefined ? own : { ...own, [field]: inPlan(thing.key) };
  if (thing !== undefined && count === 1)
    return bindKey(rules, withTimesOf(before, timesKept(step, thing, focus)), thing);
  if (thing === undefined && filled.target !== undefined && count === 1) return undefined;
  // "And eggs" does not repeat the day of the last call unless the call requires one.
  const undated = Object.fromEntries(Object.entries(before).filter(([, value]) => !isTime(value)));
  const isMore = wish?.opening === "more" && thing === undefined && !request.words.includes("same");
  const without = isMore ? await inputOf(rules, call, values, { request, thing, before: undated }) : undefined;
  const input = without ?? (await inputOf(rules, call, values, { request, thing, before }));
  const known = thingOf(step, focus);
  const isSame = known !== undefined && (thing === undefined || isSameThing(thing, known));
  if (input !== undefined && isSame && wish?.opening === "correct" && !mayCorrect(step, known, input)) return undefined;
  if (known === undefined || filled.target !== undefined) return input;
  // A value for another field would be a different change.
  const isOther = (name: string) => name !== field && name !== known.labelField && !Object.hasOwn(step.input, name);
  return Object.keys(input ?? {}).some(isOther) ? undefined : input;
}

/** Returns what the thing of the last step was before, and what `thing` is now, so that `thing` keeps its own time. */
function timesKept(step: DoneStep, thing: KnownThing, { mentions, things }: ThreadLine["focus"]) {
  const last = thingOf(step, { things });
  const at = mentions.findIndex(({ run }) => run.runId === step.runId);
  const earlier = mentions.slice(at + 1).flatMap((mention) => mention.things);
  const former = last && earlier.find((each) => isSameThing(each, last));
  return { former: former?.fields ?? {}, own: thing.fields };
}

/** Plans the line without the parts that only state why. */
export async function readWithoutReasons(line: ThreadLine): Promise<PlanTurn | undefined> {
  if (line.wish === undefined) return undefined;
  const said = line.textOf(line.wish);
  // The tools may know "that call" although the thread does not.
  const demonstrative = /\b(?:that|this|those|these) (?=(\p{L}+))/giu;
  const plain = said.replace(demonstrative, "the ");
  const found = await line.planning.planText(said);
  const planned = found instanceof Refused && plain !== said ? await line.planning.planText(plain) : found;
  if (planned instanceof Refused || line.misreadPlace(planned.steps) !== undefined) return undefined;
  if (continuesSum(line, planned.steps)) return undefined;
  // A text keeps its own words: "apples are cheap this week".
  const nouns = [...said.matchAll(demonstrative)].map(([, noun = ""]) => noun);
  const inputs = JSON.stringify(planned.steps.map(({ input }) => input));
  const isChanged = nouns.some((noun) => new RegExp(`[^"]the ${noun}\\b|the ${noun}[^"]`).test(inputs));
  if (planned !== found && isChanged) return undefined;
  // "Empty that list" must not empty all lists.
  if (planned !== found && planned.matches.some(({ rule }) => rule.source.destructive === true)) return undefined;
  return { status: "plan", draft: { steps: planned.steps, source: { planner: "rules" } } };
}
