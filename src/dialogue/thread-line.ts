import { knownKeys, schemasAt } from "../core/json-schema.ts";
import { only } from "../core/lists.ts";
import type { PlanStep } from "../core/plan.ts";
import { remembered } from "../core/remembered.ts";
import { callsTool } from "../core/step.ts";
import type { TurnRequest } from "../core/turn.ts";
import { isPastVerb, questionWords } from "../english/word-classes.ts";
import { type Call, callsIn } from "../planners/rules/calls.ts";
import { isArticle } from "../planners/rules/courtesy.ts";
import type { Part } from "../planners/rules/items.ts";
import { compileTool, type ToolRules } from "../planners/rules/phrase-rules.ts";
import { Planning } from "../planners/rules/plan-by-rules.ts";
import { type BoundThing, isCapital, type RequestText, readRequest, textBetween } from "../planners/rules/request.ts";
import { askWhich, type MeantCall, type PlanTurn, planTurn } from "./draft-turn.ts";
import { type Focus, type KnownThing, lookId, readFocus } from "./focus.ts";
import { isTime } from "./half-said.ts";
import { findReferences, isPronoun, type Reference } from "./references.ts";
import { exampleOf, thingsIn } from "./things.ts";
import { isMark, readWish, subjects, type Wish } from "./wish.ts";

const maxThings = 50;
/** A number that exceeds the highest known key by at most this much may be a newer key. */
const near = 5;

const inputFields = remembered(({ schemas }: ToolRules) => new Set(knownKeys(schemasAt(schemas.input, []) ?? [])));

/** Adds the things that the previous line asked about, if it was answered in words. */
function focusOf({ tools, runs, ...clock }: TurnRequest, isPhraseWord: (word: string) => boolean): Focus {
  const focus = readFocus(tools, runs);
  const [run, ...older] = runs;
  const isTold = run?.plan === undefined && run?.status === "completed" && run.text !== undefined;
  if (!isTold || run.request === undefined || older.length === 0) return focus;
  const line = { ...readRequest(run.request, clock), isPhraseWord };
  const before = readFocus(tools, older);
  const said = findReferences(line, before).filter((each) => !before.isDistant || !isPronoun(each));
  const reference = only(said.filter(({ isOpen }) => !isOpen));
  if (reference === undefined) return focus;
  return { ...focus, mentions: [{ kind: "shown", run, things: reference.things }, ...focus.mentions] };
}

interface KeyCall {
  readonly rules: ToolRules;
  readonly call: Call;
  readonly keySlot: string;
}

export class ThreadLine {
  readonly planning: Planning;
  readonly focus: Focus;
  readonly request: RequestText;
  readonly references: readonly Reference[];
  readonly wish: Wish | undefined;

  static async of(turn: TurnRequest): Promise<ThreadLine> {
    return new ThreadLine(turn, await Promise.all(turn.tools.map(compileTool)));
  }

  private constructor(
    readonly turn: TurnRequest,
    readonly rules: readonly ToolRules[],
  ) {
    const { request, nowMs, timeZone, maxSteps } = turn;
    this.planning = new Planning(rules, { nowMs, timeZone }, { explain: false, maxSteps });
    const isPhraseWord = (word: string) => rules.some(({ vocabulary }) => vocabulary.has(word));
    this.focus = focusOf(turn, isPhraseWord);
    this.request = readRequest(request, { nowMs, timeZone });
    this.references = findReferences({ ...this.request, isPhraseWord }, this.focus);
    const wish = readWish(this.request, {
      isNaming: (clause) => this.isNamedIn(clause),
      isPhraseWord,
      isField: (word) => rules.some((tool) => inputFields(tool).has(word)),
    });
    // In "the second is high", the first words are not an opening.
    const first = this.references.find(({ end }) => end === wish?.start);
    this.wish = wish && { ...wish, start: first?.start ?? wish.start };
    this.references = this.references
      .filter(({ how }) => how !== "place" || !this.focus.isEmpty)
      .flatMap((each) => (isPronoun(each) ? (this.meantBy(each) ?? []) : each));
    if (this.hasNameApart() || this.tellsUnknown())
      this.references = this.references.filter(({ how }) => how !== "pronoun");
  }

  /** True for "Rossi, cancel it", where the name may be the person addressed or what "it" means. */
  private hasNameApart(): boolean {
    const { start, end } = this.wish ?? { start: 0, end: 0 };
    const { words } = this.request;
    const isFirst = words[start + 1] === "," && isCapital(this.request, start);
    return isFirst || (words[end - 2] === "," && isCapital(this.request, end - 1));
  }

  /**
   * Binds a pronoun to what the line named before its wish: "Rossi rang, so cancel it".
   * Any other pronoun means what the thread mentioned last, if that was what the line before was about.
   */
  private meantBy(pronoun: Reference): Reference | undefined {
    const from = this.wish?.start ?? 0;
    const isNaming = ({ how, end }: Reference) => (how === "name" || how === "place") && end <= from;
    const named = pronoun.start < from ? [] : this.references.filter(isNaming);
    const things = named.flatMap((each) => each.things).filter(({ isContainer }) => isContainer !== true);
    if (things.length === 0) return this.focus.isDistant || this.focus.isEmpty ? undefined : pronoun;
    const isOpen = named.some((each) => each.isOpen) || (pronoun.how === "pronoun" && things.length > 1);
    return { ...pronoun, things, isOpen };
  }

  /** True if the line tells of something unknown, which a pronoun may mean: "the homework is done, tick it off". */
  private tellsUnknown(): boolean {
    const start = this.wish?.start ?? 0;
    const told = this.request.words.slice(0, start).filter((word) => !isMark(word));
    if (this.references.some(({ how, end }) => how !== "pronoun" && end <= start)) return false;
    const at = told.findIndex((word) => /^(?:is|are|was|were|has|have|did)$/.test(word) || isPastVerb(word));
    if (at < 1) return false;
    const behind = told.slice(at + 1);
    const isState = behind.some((word) => isPastVerb(word) || /^(?:done|gone|ready|over|off)$/.test(word));
    const isObject = behind.some((word) => isArticle(word) || /^(?:my|our|that|this)$/.test(word));
    return subjects.test(told[at - 1] ?? "") ? isObject : isState;
  }

  private isNamedIn({ start, end }: Part): boolean {
    return this.references.some(({ how, ...place }) => how !== "pronoun" && place.start >= start && place.end <= end);
  }

  get named(): { readonly reference: Reference; readonly thing: KnownThing } | undefined {
    const [first, ...others] = this.references.filter(({ how }) => how === "name" || how === "place");
    const thing = only(first?.things ?? []);
    // "The number for the boiler" may contain two parts of one name.
    const isSame = ({ things }: Reference) => only(things) === thing;
    if (first === undefined || thing === undefined || !others.every(isSame)) return undefined;
    return { reference: { ...first, end: others.at(-1)?.end ?? first.end }, thing };
  }

  get own(): readonly Reference[] {
    const { start, end } = this.wish ?? { start: 0, end: 0 };
    return this.references.filter((each) => each.end > start && each.end <= end);
  }

  withReferences(...references: readonly Reference[]): ThreadLine {
    return Object.create(this, { references: { value: references } });
  }

  /** Finds a place in a list that the given steps, planned without the thread, take for another number: "the second" as 2. */
  misreadPlace(steps: readonly PlanStep[]): Reference | undefined {
    const isOther = ({ how, things: [thing] }: Reference) =>
      how === "place" &&
      steps.filter(callsTool).some(({ tool, input }) => {
        const key = input[thing?.keyInputs.get(tool) ?? ""];
        const isNumber = key === undefined && Object.values(input).some((value) => typeof value === "number");
        return isNumber || (key !== undefined && key !== thing?.key);
      });
    return this.references.find(isOther);
  }

  get asks(): boolean {
    const { words } = this.request;
    const opening = words.slice(0, (this.wish?.start ?? 0) + 1);
    return words.includes("?") || opening.some((word) => questionWords.has(word.replace(/['’]?s$/, "")));
  }

  get isDateAlone(): boolean {
    const { start, end } = this.wish ?? { start: 0, end: 0 };
    return this.request.marks.some((mark) => mark.kind === "date" && mark.leadStart <= start && mark.end === end);
  }

  /** True if the wish, apart from its times, says the key of a thing of this kind or a number that may be one. */
  saysKeyLike({ kind }: KnownThing): boolean {
    const { words, marks } = this.request;
    const isTime = (at: number) => marks.some((mark) => mark.kind === "date" && mark.start <= at && at < mark.end);
    const said = words.filter((_, at) => at >= (this.wish?.start ?? 0) && at < (this.wish?.end ?? 0) && !isTime(at));
    const keys = this.focus.things.filter((thing) => thing.kind === kind).map(({ key }) => key);
    const numbers = keys.filter((key) => typeof key === "number");
    const [least, most] = [Math.min(...numbers), Math.max(...numbers) + near];
    const isNear = (word: string) => /^\d+$/.test(word) && Number(word) >= least && Number(word) <= most;
    return said.some((word) => keys.some((key) => String(key) === word) || isNear(word));
  }

  callsWith({ keyInputs }: KnownThing): readonly KeyCall[] {
    return this.rules.flatMap((rules) => {
      const keySlot = keyInputs.get(rules.tool.name);
      return keySlot === undefined ? [] : callsIn(rules).map((call) => ({ rules, call, keySlot }));
    });
  }

  /** Returns an example of the things that the tool lists. */
  thingLike({ tool, schemas }: ToolRules): KnownThing | undefined {
    if (schemas.output === undefined) return undefined;
    const [thing] = thingsIn(this.turn.tools, tool.name, {}, exampleOf(schemas.output));
    if (thing === undefined || thing.path.length === 0) return undefined;
    // An output may declare as plain text what an input declares as a time.
    const inputs = this.rules.map((each) => each.schemas.input.properties ?? {});
    const fields = Object.entries(thing.fields).map(([name, value]) => {
      const input = inputs.find((own) => own[name]?.format !== undefined)?.[name];
      return [name, input === undefined || isTime(value) ? value : exampleOf(input)];
    });
    return { ...thing, fields: Object.fromEntries(fields), tool: tool.name, runId: "", stepId: lookId, isGone: false };
  }

  textOf({ start, end }: Part): string {
    return textBetween(this.request, start, end);
  }

  bound({ start, end }: Reference, { kind, keyField, key, label }: KnownThing): BoundThing {
    const { tokens } = this.request;
    return { start: tokens[start]?.start ?? 0, end: tokens[end - 1]?.end ?? 0, kind, keyField, key, label };
  }

  withThing(thing: KnownThing | undefined, reference: Reference | undefined): { readonly request: RequestText } & Part {
    const { start, end } = this.wish ?? { start: 0, end: 0 };
    if (thing === undefined || reference === undefined) return { request: this.request, start, end };
    const request = readRequest(this.turn.request, this.request.clock, [this.bound(reference, thing)]);
    return { request, start: Math.min(start, reference.start), end: end - (reference.end - reference.start - 1) };
  }

  async forEach(
    reference: Pick<Reference, "things" | "isOpen"> | undefined,
    callsFor: (thing: KnownThing | undefined) => Promise<readonly MeantCall[] | undefined>,
  ): Promise<PlanTurn | undefined> {
    const things = reference?.things ?? [undefined];
    if (things.length > maxThings) return undefined;
    const calls: (readonly MeantCall[])[] = [];
    for (const thing of things) {
      const own = await callsFor(thing);
      if (own === undefined) return undefined;
      calls.push(own);
    }
    return reference?.isOpen === true ? askWhich(reference.things, calls, this.turn) : planTurn(calls.flat());
  }
}
