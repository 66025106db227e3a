import type { JsonObject } from "../core/json.ts";
import type { PlanStep } from "../core/plan.ts";
import { yesOrNo } from "../core/question.ts";
import { callsTool } from "../core/step.ts";
import { escapeTemplate } from "../core/text.ts";
import type { Turn } from "../core/turn.ts";
import { lightVerbs, questionWords, smallWords, titles } from "../english/word-classes.ts";
import { toSingular } from "../language/word-forms.ts";
import { callsIn } from "../planners/rules/calls.ts";
import type { Part } from "../planners/rules/items.ts";
import type { ToolRules } from "../planners/rules/phrase-rules.ts";
import { isCapital } from "../planners/rules/request.ts";
import { isDate, slotTypeOf } from "../planners/rules/slots.ts";
import { isPureStep, issueOf } from "../planners/rules/steps.ts";
import { asksAbout, timeWords } from "./about-done.ts";
import { type PlanTurn, planTurn } from "./draft-turn.ts";
import { isSameThing, type KnownThing, lookId, removes, takesKey } from "./focus.ts";
import { askMissing } from "./gaps.ts";
import { asking, ifAnswered } from "./questions.ts";
import { readAgain } from "./read-again.ts";
import { readChange } from "./read-change.ts";
import { readPhrases } from "./read-phrases.ts";
import { groupNouns, type Reference } from "./references.ts";
import type { ThreadLine } from "./thread-line.ts";
import { isOpening, itWords } from "./wish.ts";

/** Plans a look-up for a change of something that the thread has not seen. The line is then read again. */
export async function readUnknown(line: ThreadLine): Promise<PlanTurn | undefined> {
  if (line.focus.steps[0]?.stepId === lookId) return undefined;
  const it = unknownPronoun(line);
  const { start = 0, end = 0 } = line.wish ?? {};
  const names = unknownNames(line, it === undefined ? { start, end } : { start: 0, end: start });
  for (const lister of names.length === 0 ? [] : line.rules) {
    if (!isPureStep(lister.tool, {}) || (await issueOf({}, lister.tool, undefined)) !== undefined) continue;
    const like = line.thingLike(lister);
    if (like === undefined) continue;
    for (const name of names) {
      const thing: KnownThing = { ...like, label: nameIn(line, name, like) };
      const meant = { things: [thing], isOpen: false };
      const pronoun: readonly Reference[] = it === undefined ? [] : [{ ...it, how: "pronoun", ...meant }];
      const known = line.withReferences({ ...name, how: "name", ...meant }, ...pronoun);
      const read =
        (await readPhrases(known)) ??
        (await readChange(known)) ??
        (await readAgain(known)) ??
        (await askMissing(known));
      if (read === undefined) continue;
      return lookWith(lister, await lookFor(lister, thing));
    }
  }
  return undefined;
}

/** Searches for a thing that a question names and the thread has not seen: "what time is Patel again?". */
export async function readUnknownAbout(line: ThreadLine): Promise<PlanTurn | undefined> {
  for (const name of unknownNames(line, line.wish ?? { start: 0, end: 0 })) {
    // In "what time is it in Moscow", the name is not that of a thing.
    if (/\b(?:in|at|to|from|near|on)(?: (?:the|my|our))?$/.test(line.textOf({ start: 0, end: name.start }))) continue;
    for (const lister of line.rules) {
      const like = line.thingLike(lister);
      if (like === undefined) continue;
      const thing = { ...like, label: nameIn(line, name, like) };
      const end = groupNouns.has(line.request.words[name.end] ?? "") ? name.end + 1 : name.end;
      const known = line.withReferences({ ...name, end, how: "name", things: [thing], isOpen: false });
      const input = asksAbout(known)?.length ? await searchFor(lister, thing) : undefined;
      if (input !== undefined) return planTurn([{ rules: lister, input }]);
    }
  }
  return undefined;
}

function lookWith({ tool }: ToolRules, input: JsonObject): PlanTurn {
  const steps = [{ id: lookId, tool: tool.name, input, dependsOn: [] }];
  return { status: "plan", draft: { steps, source: { planner: "dialogue", looks: true } } };
}

/** Returns "Haddad" for "Mr Haddad" and "the Haddad group", and "Okafor" for "the Okafors" and "Okafors booking". */
function nameIn(line: ThreadLine, { start, end }: Part, { kind }: KnownThing): string {
  const { request } = line;
  const from = titles.has(request.words[start] ?? "") && start + 1 < end ? start + 1 : start;
  const isGroup = groupNouns.has(request.words[end - 1] ?? "") && from + 1 < end;
  const text = line.textOf({ start: from, end: isGroup ? end - 1 : end });
  return request.words[start - 1] === "the" || request.words[end] === kind ? toSingular(text) : text;
}

/** True if the tool can select a day, because then it may list only today. */
function isPartial({ schemas }: ToolRules): boolean {
  return Object.values(schemas.input.properties ?? {}).some((schema) => isDate(slotTypeOf([schema])));
}

/** Searches for the name in a list that may show only a part; any other list is shown whole. */
async function lookFor(lister: ToolRules, thing: KnownThing): Promise<JsonObject> {
  const search = isPartial(lister) ? await searchFor(lister, thing) : undefined;
  return search ?? {};
}

/** Returns the input by which the tool searches for the name. */
async function searchFor(own: ToolRules, { labelField, label = "" }: KnownThing): Promise<JsonObject | undefined> {
  for (const { rule, slots } of callsIn(own)) {
    const slot = slots.find(({ name, type }) => type.kind === "text" && (name === labelField || name === "query"));
    const input = { ...rule.fixed, [slot?.name ?? ""]: escapeTemplate(label) } as JsonObject;
    if (slot !== undefined && isPureStep(own.tool, input) && !(await issueOf(input, own.tool, undefined))) return input;
  }
  return undefined;
}

/** Asks before changing a thing found in a list of one day, because another day may have one of the same name. */
export function doubtLook({ focus, rules }: ThreadLine, turn: Turn): Turn {
  const [step] = focus.steps;
  if (turn.status !== "plan" || step?.stepId !== lookId || Object.keys(step.input).length > 0) return turn;
  const lister = rules.find(({ tool }) => tool.name === step.tool);
  const { source } = turn.draft;
  const steps = turn.draft.steps as readonly PlanStep[];
  const isChange = steps.some(({ tool, input }) => {
    const own = rules.find((each) => each.tool.name === tool);
    return own !== undefined && input !== undefined && !isPureStep(own.tool, input);
  });
  if (lister === undefined || !isPartial(lister) || !isChange || !steps.every(callsTool)) return turn;
  const meant = source?.read?.map(({ text }) => text) ?? [];
  const question = yesOrNo(`Did you mean ${meant.join(" and ")}?`);
  return { status: "plan", draft: asking([question], ifAnswered(steps), source) };
}

/** Looks for others of the same name before a named thing is removed, unless the thread has looked already. */
export async function lookFirst(line: ThreadLine, turn: Turn): Promise<Turn> {
  const { focus, rules, references } = line;
  if (turn.status !== "plan" || focus.steps[0]?.stepId === lookId) return turn;
  const steps = (turn.draft.steps as readonly PlanStep[]).filter(callsTool);
  const things = references.flatMap((each) => (each.how === "name" ? each.things : []));
  const isRemoved = (thing: KnownThing) =>
    steps.some((step) => removes(step.tool, step.input) && takesKey(step, thing));
  const named = things.find((thing) => isRemoved(thing) && !isInView(thing, line));
  if (named?.label === undefined) return turn;
  for (const own of rules) {
    if (line.thingLike(own)?.kind !== named.kind) continue;
    const input = await searchFor(own, named);
    if (input !== undefined) return lookWith(own, input);
  }
  return turn;
}

/** True if the newest list shows the thing, or if its name was looked up. */
function isInView(thing: KnownThing, { focus: { mentions, steps } }: ThreadLine): boolean {
  const [newest] = mentions;
  if (newest?.kind === "shown" && newest.things.some((each) => isSameThing(each, thing))) return true;
  return steps.some(({ input, effect }) => effect === "pure" && Object.values(input).includes(thing.label ?? null));
}

const small = [smallWords, lightVerbs, questionWords];
const pointing = /^(?:his|hers|theirs|mine|(?:both|others?|rest|last|some|any|every)(?:thing|one|body)?)$/;

/** Finds a pronoun for something mentioned earlier in the line: "the tap is repaired, mark it as done". */
function unknownPronoun({ wish, request: { words }, references }: ThreadLine): Part | undefined {
  const { start = 0, end = 0 } = wish ?? {};
  const isIt = (word: string, at: number) => at > start && at < end && itWords.has(word);
  const at = words.findIndex(isIt);
  return at < 0 || references.some((each) => each.start === at) ? undefined : { start: at, end: at + 1 };
}

function unknownNames({ request, rules, references, asks }: ThreadLine, place: Part): readonly Part[] {
  const { words, tokens, marks } = request;
  const isSmall = (word: string) => small.some((set) => set.has(word));
  const isIn = (at: number, { start, end }: Part) => at >= start && at < end;
  const isUnknown = (at: number) => {
    const word = words[at] ?? "";
    if (tokens[at]?.kind !== "word" || [...marks, ...references].some((each) => isIn(at, each))) return false;
    if (isSmall(word) || pointing.test(word) || isOpening(word) || (asks && timeWords.has(word))) return false;
    if (/^(?:to(?:day|morrow|night)|\w+day)['’]s$/.test(word)) return false;
    return !rules.some(({ vocabulary }) => vocabulary.has(word));
  };
  const found: { start: number; end: number }[] = [];
  for (let at = place.start; at < place.end; at++) {
    const last = found.at(-1);
    if (!isUnknown(at)) continue;
    if (last?.end === at) last.end = at + 1;
    else found.push({ start: at, end: at + 1 });
  }
  // "The reservation" is a noun, not a name, but "the ferreira booking" has one.
  const isNoun = ({ start, end }: Part) =>
    /^(?:the|an?|my|our|this|that)$/.test(words[start - 1] ?? "") &&
    !isCapital(request, start) &&
    (isSmall(words[end] ?? "") || !rules.some(({ vocabulary }) => vocabulary.has(words[end] ?? "")));
  return found.filter((name) => !isNoun(name));
}
