import type { JsonObject, JsonValue } from "../core/json.ts";
import { canonicalJson } from "../core/json.ts";
import type { PlanStep, Question, QuestionOption, ReadValue } from "../core/plan.ts";
import type { PlanDraft } from "../core/planner.ts";
import { callsTool } from "../core/step.ts";
import type { SlotValue } from "../core/tool.ts";
import type { QuestionItem, Turn, TurnRequest } from "../core/turn.ts";
import { mentionsResult } from "../english/word-classes.ts";
import { type Call, callsIn } from "../planners/rules/calls.ts";
import { compileTool, type ToolRules } from "../planners/rules/phrase-rules.ts";
import { Planning, Refused } from "../planners/rules/plan-by-rules.ts";
import { type BoundThing, type RequestText, readRequest, textBetween } from "../planners/rules/request.ts";
import { isPureStep, waitsOf } from "../planners/rules/steps.ts";
import { readAbout } from "./about-done.ts";
import { answerTo, readAnswer } from "./answers.ts";
import { askAfter, confirming } from "./ask.ts";
import { bindKey, callsOf, type Filled, fillCall, inputOf } from "./fill-call.ts";
import { type DoneStep, type Focus, isSameThing, type KnownThing, readFocus } from "./focus.ts";
import type { TimeBase } from "./half-said.ts";
import { isLaughter, readWish, type Wish } from "./line.ts";
import { findReferences, type Line, type Reference, readLine } from "./references.ts";
import { describeThing } from "./say-thing.ts";
import { readUndo } from "./undo-line.ts";

/** Reads what a line means in its thread. Every word must have a part in it: else a planner gets the line as it is. */
export async function readTurn(turn: TurnRequest): Promise<Turn> {
  const rules = await Promise.all(turn.tools.map(compileTool));
  return new TurnReading(turn, rules).read();
}


export { askAfter, readAnswer };

export interface Made {
  readonly rules: ToolRules;
  readonly input: JsonObject;
  /** The thing that a word of the line refers to. */
  readonly thing?: KnownThing | undefined;
  readonly said: string;
  /** True if it empties what the line does not name. */
  readonly isGrave?: boolean;
}

const maxOptions = 10;
const maxThings = 50;

class TurnReading {
  private readonly planning: Planning;
  private readonly focus: Focus;
  private readonly line: Line;
  private readonly request: RequestText;
  private readonly references: readonly Reference[];
  private readonly wish: Wish | undefined;

  constructor(
    private readonly turn: TurnRequest,
    private readonly rules: readonly ToolRules[],
  ) {
    const { nowMs, timeZone, maxSteps } = turn;
    this.planning = new Planning(rules, { nowMs, timeZone }, { explain: false, maxSteps });
    this.focus = readFocus(turn.tools, turn.runs);
    this.line = readLine(turn.request);
    this.request = readRequest(turn.request, { nowMs, timeZone });
    this.references = findReferences(this.line, this.focus);
    const isNamed = (start: number, end: number) =>
      this.references.some((each) => each.how !== "pronoun" && each.start >= start && each.end <= end);
    this.wish = readWish(this.request, isNamed);
  }

  async read(): Promise<Turn> {
    const { turn, rules, focus, line, references } = this;
    const replaced = await this.readReplaced();
    if (replaced !== undefined) return replaced;
    const asked = openQuestion(turn);
    const alone = await this.planning.plan(turn.request);
    const isAlone = !(alone instanceof Refused);
    if (asked !== undefined) {
      const answer = answerTo(asked, { turn, rules, focus, line, references, isRequest: isAlone });
      if (answer !== undefined) return answer;
    }
    if (isAlone && !this.pointsBack()) return this.withResult(alone.steps) ?? { type: "request" };
    const found = await this.readInThread(alone);
    return found ?? { type: "request", ...(!isAlone && { lines: linesFor(focus) }) };
  }

  /** "note the total as that much": a text may end in words for the last result. */
  private withResult(steps: readonly PlanStep[]): Turn | undefined {
    const [last] = this.focus.last.flatMap((step) => numberOf(step, this.rules) ?? []);
    if (last === undefined || !steps.some(({ input }) => Object.values(input ?? {}).some(endsInResult))) return undefined;
    const read: ReadValue[] = [];
    const filled = steps.map((step) => {
      if (!callsTool(step)) return step;
      const fill = ([name, value]: readonly [string, JsonValue]) => {
        if (!endsInResult(value)) return [name, value] as const;
        const { value: result, ...from } = last;
        read.push({ stepId: step.id, path: [name], said: resultWords.exec(value)?.[0] ?? "", text: `the last result, ${result}`, from });
        return [name, value.replace(resultWords, String(result))] as const;
      };
      return { ...step, input: Object.fromEntries(Object.entries(step.input).map(fill)) };
    });
    return { type: "plan", draft: { steps: filled, source: { planner: "rules", read } } };
  }

  private async readInThread(alone: Refused | object): Promise<Turn | undefined> {
    const { turn, rules, focus, line, references } = this;
    const replaced = await this.readReplaced();
    if (replaced !== undefined) return replaced;
    const { words } = this.request;
    const isTalk = alone instanceof Refused && alone.reason === "small-talk";
    if (isTalk || isLaughter(words, 0, words.length)) return { type: "words", text: talkBack(words) };
    const undone = readUndo(line, { focus, rules, references, tools: turn.tools });
    if (undone !== undefined) return undone.type === "plan" ? this.draft(undone.made, []) : undone;
    const about = readAbout(line, { turn, focus, references });
    if (about !== undefined) return about;
    return (
      (await this.readChange()) ??
      (await this.readPhrases()) ??
      (await this.readAgain()) ??
      (await this.readOtherSum()) ??
      (await this.readSum()) ??
      (await this.readLook()) ??
      (await this.readWithoutReasons())
    );
  }

  /** True if a line that can be planned alone may mean something of the thread: a place in the list that was shown. */
  private pointsBack(): boolean {
    return this.references.some(({ how }) => how === "place" || how === "others" || how === "group");
  }

  /** "not milk, oat milk": a thing gets another name. */
  private async readReplaced(): Promise<Turn | undefined> {
    const { words } = this.request;
    const start = words.indexOf("not");
    const [reference, second] = this.references.filter(({ how }) => how === "name");
    const wish = this.wish;
    if (start < 0 || wish === undefined || reference?.start !== start + 1 || (second !== undefined && second.start < reference.end))
      return undefined;
    const [thing, other] = reference.things;
    const from = /^(?:,|but)$/.test(words[reference.end] ?? "") ? reference.end + 1 : reference.end;
    if (thing?.label === undefined || other !== undefined || from >= wish.end || wish.start < start) return undefined;
    const text = textBetween(this.request, from, wish.end);
    for (const rules of this.rules)
      for (const call of callsIn(rules)) {
        const slot = call.slots.find(({ name, type }) => type.kind === "text" && name.toLowerCase() === `new${thing.labelField}`);
        if (slot === undefined) continue;
        const values = withTarget(call, { values: { [slot.name]: [text] }, target: undefined, isNamed: true, isHinted: true, skipped: 0 }, thing);
        const input = values && (await inputOf(rules, call, values, { request: this.request, thing }));
        if (input !== undefined) return this.toPlan([{ rules, input, thing, said: this.saidOf(reference) }]);
      }
    return undefined;
  }

  /** A look-up of a tool that the thread has used: "read me tonight again". */
  private async readLook(): Promise<Turn | undefined> {
    if (this.wish === undefined) return undefined;
    const used = new Set(this.focus.steps.map(({ tool }) => tool));
    const found = new Map<string, Made>();
    for (const rules of this.rules) {
      if (!used.has(rules.tool.name)) continue;
      for (const call of callsIn(rules)) {
        const { start, end } = this.wish;
        const baseOf = baseFrom(undefined, undefined);
        const fills = fillCall(call, {
          request: this.request,
          start,
          end,
          takesText: () => false,
          keySlot: undefined,
          baseOf,
        });
        for (const filled of fills.filter(({ isHinted, values }) => isHinted && Object.keys(values).length > 0)) {
          const [values = {}] = spread(filled.values);
          const input = await inputOf(rules, call, values, { request: this.request });
          if (input !== undefined && isPureStep(rules.tool, input))
            found.set(canonicalJson([rules.tool.name, input]), { rules, input, said: "" });
        }
      }
    }
    const [made, other] = found.values();
    return made === undefined || other !== undefined ? undefined : this.draft([made], []);
  }

  /** The line without what only states why. */
  private async readWithoutReasons(): Promise<Turn | undefined> {
    if (this.wish === undefined || this.wish.opening === "correct") return undefined;
    const text = textBetween(this.request, this.wish.start, this.wish.end);
    const planned = await this.planning.planText(text);
    if (planned instanceof Refused) return undefined;
    return { type: "plan", draft: { steps: planned.steps, source: { planner: "rules" } } };
  }

  /** The last sum with another number: "and 20%?". */
  private async readOtherSum(): Promise<Turn | undefined> {
    const [step] = this.focus.last;
    if (step === undefined || this.wish === undefined || this.wish.opening === "none") return undefined;
    const rules = this.rules.find(
      ({ tool, rules: own }) => tool.name === step.tool && own.some(({ hasSum }) => hasSum),
    );
    const before = step.input as JsonObject;
    const [slot] = Object.keys(before);
    const text = textBetween(this.request, this.wish.start, this.wish.end).trim();
    const said = /^(\d[\d,]*(?:\.\d+)?)\s*(%|percent)?$/.exec(text);
    const expression = slot === undefined ? undefined : before[slot];
    if (rules === undefined || said === null || slot === undefined || typeof expression !== "string") return undefined;
    const pattern = said[2] === undefined ? /\d+(?:\.\d+)?(?![\d.]*%)/g : /\d+(?:\.\d+)?%/g;
    const places = expression.match(pattern) ?? [];
    if (places.length !== 1) return undefined;
    const other = `${(said[1] ?? "").replaceAll(",", "")}${said[2] === undefined ? "" : "%"}`;
    return this.draft([{ rules, input: { ...before, [slot]: expression.replace(pattern, other) }, said: text }], []);
  }

  /** A known thing and a value for it: "the patels are 5 now", "make it high". */
  private async readChange(): Promise<Turn | undefined> {
    const place = this.wish;
    if (place === undefined) return undefined;
    const inside = this.within(place);
    // "the tent pegs, they can be low"
    const named = inside.filter(({ how }) => how === "name" || how === "place" || how === "others");
    const [reference, second] = named.length > 0 ? named : inside;
    if (second !== undefined) return undefined;
    const implied = reference === undefined && place.opening === "correct" ? this.implied() : undefined;
    const things = reference?.things ?? implied;
    if (things === undefined || things.length > maxThings) return undefined;
    const made: (readonly Made[])[] = [];
    for (const thing of things) {
      const own = await this.changesOf(thing, reference, place);
      if (own === undefined) return undefined;
      made.push(own);
    }
    return reference?.isOpen === true ? this.askWhich(things, made) : this.toPlan(made.flat());
  }

  /** The thing that a correction without a name is about: what the last step created. */
  private implied(): readonly KnownThing[] | undefined {
    const [mention] = this.focus.mentions;
    const { things = [], kind } = mention ?? {};
    const [step] = this.focus.last;
    const isCreated = things.every(
      (thing) => (step?.input as JsonObject)[thing.keyInputs.get(step?.tool ?? "") ?? ""] !== thing.key,
    );
    return kind === "changed" && things.length === 1 && isCreated ? things : undefined;
  }

  private async changesOf(
    thing: KnownThing,
    reference: Reference | undefined,
    place: { readonly start: number; readonly end: number },
  ): Promise<readonly Made[] | undefined> {
    const [said, moved] = this.withThing(thing, reference, place);
    const found = new Map<string, { readonly made: Made; readonly filled: Filled }>();
    const last = (name: string) => timeIn((this.focus.last[0]?.input ?? {}) as JsonObject, name);
    for (const rules of this.rules) {
      if (!thing.keyInputs.has(rules.tool.name)) continue;
      for (const call of callsIn(rules)) {
        if (Object.hasOwn(call.rule.fixed, thing.keyInputs.get(rules.tool.name) ?? "")) continue;
        const keySlot = thing.keyInputs.get(rules.tool.name);
        const options = {
          request: said,
          ...moved,
          takesText: () => false,
          keySlot,
          baseOf: baseFrom(thing, last),
        };
        for (const filled of fillCall(call, options)) {
          if (Object.keys(filled.values).length <= (filled.target === undefined ? 0 : 1)) continue;
          const values = withTarget(call, filled, thing);
          const input = values && (await inputOf(rules, call, values, { request: said, thing }));
          if (input === undefined || isPureStep(rules.tool, input)) continue;
          const made = { rules, input, thing, said: this.saidOf(reference) };
          const key = canonicalJson([rules.tool.name, input]);
          const known = found.get(key)?.filled;
          if (known === undefined || known.skipped > filled.skipped || filled.isNamed) found.set(key, { made, filled });
        }
      }
    }
    const all = [...found.values()];
    const named = all.filter(({ filled }) => filled.isNamed);
    const [only, other] = (named.length > 0 ? named : all).sort((one, two) => one.filled.skipped - two.filled.skipped);
    return only !== undefined && only.filled.skipped !== other?.filled.skipped ? [only.made] : undefined;
  }

  /** The line with one thing in place of the words that refer to it. */
  private withThing(
    thing: KnownThing,
    reference: Reference | undefined,
    { start, end }: { readonly start: number; readonly end: number },
  ): readonly [RequestText, { readonly start: number; readonly end: number }] {
    if (reference === undefined) return [this.request, { start, end }];
    const said = readRequest(this.turn.request, this.request.clock, [this.bound(reference, thing)]);
    const gone = reference.end - reference.start - 1;
    return [said, { start: Math.min(start, reference.start), end: end - gone }];
  }

  private within({ start, end }: Wish): readonly Reference[] {
    return this.references.filter((each) => each.end > start && each.end <= end);
  }

  private bound({ start, end }: Reference, thing: KnownThing): BoundThing {
    const { tokens } = this.line;
    const place = { start: tokens[start]?.start ?? 0, end: tokens[end - 1]?.end ?? 0 };
    const { kind, keyField, key, label } = thing;
    return { ...place, kind, keyField, key, label };
  }

  /** The phrases of the tools with things in place of the words that refer to them. */
  private async readPhrases(): Promise<Turn | undefined> {
    const all = this.wish === undefined ? [] : this.within(this.wish);
    const ways = [all, all.filter(({ how }) => how !== "pronoun"), ...all.map((each) => [each])];
    const seen = new Set<string>();
    for (const way of ways) {
      const id = way.map(({ start, end }) => `${start}-${end}`).join();
      const [several, another] = way.filter(({ things }) => things.length > 1);
      if (way.length === 0 || seen.has(id) || another !== undefined) continue;
      seen.add(id);
      const things = several?.things ?? [undefined];
      if (things.length > maxThings) continue;
      const made: (readonly Made[])[] = [];
      for (const thing of things) {
        const own = await this.planBound(way, several, thing);
        if (own === undefined) break;
        made.push(own);
      }
      if (made.length < things.length) continue;
      return several?.isOpen === true ? this.askWhich(several.things, made) : this.toPlan(made.flat());
    }
    return undefined;
  }

  private async planBound(
    way: readonly Reference[],
    several: Reference | undefined,
    thing: KnownThing | undefined,
  ): Promise<readonly Made[] | undefined> {
    const pairs = way.map((reference) => [reference, reference === several ? thing : reference.things[0]] as const);
    const bound = pairs.flatMap(([reference, each]) => (each === undefined ? [] : [this.bound(reference, each)]));
    const { start = 0, end = 0 } = this.wish ?? {};
    const { tokens } = this.line;
    const from = tokens[Math.min(start, ...way.map((each) => each.start))]?.start ?? 0;
    const text = this.turn.request.slice(from, tokens[end - 1]?.end);
    const moved = bound.map((each) => ({ ...each, start: each.start - from, end: each.end - from }));
    const planned = await this.planning.planText(text, 0, moved);
    if (planned instanceof Refused) return undefined;
    const made: Made[] = [];
    for (const step of planned.steps) {
      const rules = this.rules.find(({ tool }) => tool.name === step.tool);
      if (rules === undefined || !callsTool(step) || step.when !== undefined) return undefined;
      const [found, ...more] = pairs.filter(([, each]) => each !== undefined && holds(step.input, each, rules));
      const [reference, each] = found ?? [];
      if (more.length > 0 || reference === undefined || each === undefined) return undefined;
      const input =
        bindKey(rules, step.input, each) ??
        (isSoughtBy(step.input, each) && isPureStep(rules.tool, step.input) ? step.input : undefined);
      if (input === undefined) return undefined;
      const isGrave = planned.matches.some(({ rule }) => rule.source.destructive === true) && each.isContainer === true;
      made.push({ rules, input, thing: each, said: this.saidOf(reference), ...(isGrave && { isGrave }) });
    }
    return made;
  }

  /** The last operation with other values: "and eggs", "same for Conti, but at nine", "no, 8.30". */
  private async readAgain(): Promise<Turn | undefined> {
    const [step] = this.focus.last;
    const place = this.wish;
    if (step === undefined || place === undefined) return undefined;
    const [reference, second] = this.within(place).filter(({ how }) => how !== "pronoun");
    const isAlone = reference !== undefined && reference.start <= place.start && reference.end === place.end;
    if (second !== undefined || (place.opening === "none" && !(isAlone && reference.how !== "name"))) return undefined;
    const things = reference?.things ?? [undefined];
    if (things.length > maxThings) return undefined;
    const made: (readonly Made[])[] = [];
    for (const thing of things) {
      const own = await this.againFor(step, { thing, reference, place, corrects: place.opening === "correct" });
      if (own === undefined) return undefined;
      made.push(own);
    }
    return reference?.isOpen === true ? this.askWhich(reference.things, made) : this.toPlan(made.flat());
  }

  private async againFor(
    step: DoneStep,
    {
      thing,
      reference,
      place,
      corrects,
    }: {
      readonly thing: KnownThing | undefined;
      readonly reference: Reference | undefined;
      readonly place: { readonly start: number; readonly end: number };
      readonly corrects: boolean;
    },
  ): Promise<readonly Made[] | undefined> {
    const before = step.input as JsonObject;
    const [said, moved] = thing === undefined ? [this.request, place] : this.withThing(thing, reference, place);
    for (const [rules, call] of callsOf(this.rules, step.tool, before)) {
      const isKeyed = keyOf(step, this.focus) !== undefined;
      // Another name in a correction is that of another thing, and a new thing in place of it would stay.
      if (corrects && !isKeyed && !isPureStep(rules.tool, before)) return undefined;
      const last = (name: string) => timeIn(before, name);
      const baseOf = baseFrom(thing ?? keyOf(step, this.focus), last, corrects);
      const labelField = keyOf(step, this.focus)?.labelField;
      const takesText = ({ name }: { readonly name: string }) =>
        !corrects && thing === undefined && (isKeyed ? name === labelField : Object.hasOwn(before, name));
      const keySlot = isKeyed ? keyOf(step, this.focus)?.keyInputs.get(step.tool) : undefined;
      const fills = fillCall(call, { request: said, ...moved, takesText, keySlot, baseOf });
      if (process.env.DBG)
        console.error(
          "again",
          rules.tool.name,
          JSON.stringify(call.rule.fixed),
          moved,
          said.words.join("|"),
          JSON.stringify(fills.slice(0, 3)),
        );
      for (const filled of fills) {
        if (thing !== undefined && filled.target === undefined) continue;
        const made: Made[] = [];
        const all = spread(filled.values);
        for (const values of all) {
          const input = await this.repeat(step, { rules, call, values, thing, said, filled });
          if (input === undefined) break;
          made.push({ rules, input, thing, said: this.saidOf(reference) });
        }
        if (made.length === all.length) return made;
      }
    }
    return undefined;
  }

  private async repeat(
    step: DoneStep,
    {
      rules,
      call,
      values,
      thing,
      said,
      filled,
    }: {
      readonly rules: ToolRules;
      readonly call: Call;
      readonly values: Readonly<Record<string, SlotValue>>;
      readonly thing: KnownThing | undefined;
      readonly said: RequestText;
      readonly filled: Filled;
    },
  ): Promise<JsonObject | undefined> {
    const before = step.input as JsonObject;
    if (Object.keys(filled.values).length === (filled.target === undefined ? 0 : 1) && thing === undefined)
      return undefined;
    const key = thing?.keyInputs.get(rules.tool.name);
    const kept = key === undefined ? before : { ...before, [key]: thing?.key as JsonValue };
    const own = thing !== undefined && filled.target !== undefined ? omit(values, filled.target) : values;
    if (thing !== undefined && Object.keys(own).length === 0) {
      return bindKey(rules, withOwnTimes(kept, thing, step, this.focus), thing);
    }
    const input = await inputOf(rules, call, values, { request: said, thing, before: kept });
    // What changes another field of a known thing is another change.
    const known = keyOf(step, this.focus);
    const isOther = (name: string) => name !== key && name !== known?.labelField && !Object.hasOwn(before, name);
    return known !== undefined && filled.target === undefined && Object.keys(input ?? {}).some(isOther) ? undefined : input;
  }

  /** A sum that goes on from the last result: "times 1.2". */
  private async readSum(): Promise<Turn | undefined> {
    const { words, clock } = this.request;
    if (this.wish === undefined) return undefined;
    const { start: from, end } = this.wish;
    const starts = [...new Set([0, from])];
    for (const rules of this.rules)
      for (const rule of rules.rules) {
        if (!rule.hasSum || rule.source.toInput === undefined) continue;
        const results = this.focus.steps
          .flatMap((step) => numberOf(step, this.rules) ?? [])
          .slice(0, 3)
          .reverse();
        const [last] = results.slice(-1);
        if (last === undefined) return undefined;
        const [slot = "sum"] = [...rule.slots].find(([, { kind }]) => kind === "sum") ?? [];
        const refs = results.map((_, index) => ({ $ref: `r${index}` }));
        for (const start of starts) {
          const text = textBetween(this.request, start, end);
          const context = { previous: refs.at(-1), before: { input: {}, results: refs }, ...clock };
          const made = rule.source.toInput({ [slot]: text }, context) as JsonObject | undefined;
          const input =
            made &&
            fillResults(
              made,
              results.map(({ value }) => value),
            );
          if (input !== undefined) {
            const said = mentionsResult(words, start, end) ? "the result" : text;
            return this.draft([{ rules, input, said }], [{ path: ["variables"], said, from: last }]);
          }
        }
      }
    return undefined;
  }

  private saidOf(reference: Reference | undefined): string {
    return reference === undefined ? "" : textBetween(this.request, reference.start, reference.end);
  }

  /** Asks which of several things is meant, and does for it what the line says. */
  private askWhich(things: readonly KnownThing[], made: readonly (readonly Made[])[]): Turn | undefined {
    if (things.length > maxOptions) return undefined;
    const options = things.map(
      (thing): QuestionOption => ({ id: String(thing.key), label: thing.label ?? `${thing.kind} ${thing.key}` }),
    );
    const ids = options.map(({ id }) => id);
    if (new Set(ids).size < ids.length) return undefined;
    const question = chooseOne("Which one?", withDescriptions(options, things), true);
    const ask: PlanStep = { id: "q1", wait: { ask: question } as never, dependsOn: [] };
    const { steps, read } = toSteps(made.flat(), ["q1"]);
    const conditions = made.flatMap((own, at) => own.map(() => `${JSON.stringify(ids[at])} in q1`));
    const asked = steps.map((step, at) => ({ ...step, when: conditions[at] ?? "true" }));
    return {
      type: "plan",
      draft: { steps: [ask, ...asked], source: { planner: "dialogue", ...(read.length > 0 && { read }) } },
    };
  }

  private toPlan(made: readonly Made[]): Turn | undefined {
    return made.length === 0 ? undefined : this.draft(made, []);
  }

  private draft(made: readonly Made[], more: readonly Pick<ReadValue, "path" | "said" | "from">[]): Turn {
    const { steps, read } = toSteps(made, []);
    const all = [
      ...read,
      ...more.map((each) => ({
        stepId: "s1",
        text: "the last result",
        ...each,
        from: { ...each.from, value: undefined } as never,
      })),
    ];
    const draft = { steps, source: { planner: "dialogue", ...(all.length > 0 && { read: all }) } };
    return { type: "plan", draft: made.some(({ isGrave }) => isGrave) ? confirming(draft, this.turn.tools) : draft };
  }
}

function withDescriptions(
  options: readonly QuestionOption[],
  things: readonly KnownThing[],
): readonly QuestionOption[] {
  const isTwice = options.map(({ label }) => options.filter((other) => other.label === label).length > 1);
  return options.map((option, at) =>
    isTwice[at] ? { ...option, description: describeThing(things[at] as KnownThing) } : option,
  );
}

export function chooseOne(message: string, options: readonly QuestionOption[], several: boolean): Question {
  const ids = options.map(({ id }) => id);
  const one = { type: "string", enum: ids };
  const answer = several ? { type: "array", items: one, minItems: 1 } : one;
  return {
    message,
    display: several ? "multi-select" : "select",
    options,
    responseSchema: { type: "object", properties: { answer }, required: ["answer"] } as unknown as JsonObject,
  };
}

function toSteps(made: readonly Made[], after: readonly string[]) {
  const calls = made.map(({ rules, input }, at) => ({ id: `s${at + 1}`, tool: rules.tool, input }));
  const waits = waitsOf(calls);
  const read: ReadValue[] = [];
  const steps = made.map(({ rules, input, thing, said }, at): PlanStep => {
    const id = `s${at + 1}`;
    const field = thing?.keyInputs.get(rules.tool.name);
    if (thing !== undefined && field !== undefined)
      read.push({
        stepId: id,
        path: [field],
        said,
        text: describeThing(thing),
        from: { runId: thing.runId, stepId: thing.stepId, path: [...thing.path, thing.keyField] },
      });
    return { id, tool: rules.tool.name, input, dependsOn: [...after, ...(waits[at] ?? [])] };
  });
  return { steps, read };
}

export function openQuestion({
  runs,
}: Pick<TurnRequest, "runs">):
  | { readonly runId: string; readonly item: QuestionItem; readonly plan: PlanDraft | undefined }
  | undefined {
  for (const { runId, status, pending = [], plan } of runs) {
    const item = pending.find(({ kind }) => (kind as string) === "question") as QuestionItem | undefined;
    if (status === "suspended" && item !== undefined) return { runId, item, plan };
  }
  return undefined;
}

function withTarget(call: Call, filled: Filled, thing: KnownThing): Readonly<Record<string, SlotValue>> | undefined {
  const [values, ...others] = spread(filled.values);
  if (values === undefined || others.length > 0) return undefined;
  if (filled.target !== undefined) return values;
  const key = call.slots.find(
    ({ name }) => name === thing.keyField || name === thing.keyInputs.get(call.rule.tool.tool.name),
  );
  const label = call.slots.find(
    ({ name, type }) => name === thing.labelField && type.kind === "text" && values[name] === undefined,
  );
  if (key !== undefined) return { ...values, [key.name]: thing.key };
  return label === undefined || thing.label === undefined ? undefined : { ...values, [label.name]: thing.label };
}

/** Each combination of the values of the slots. */
function spread(values: Filled["values"]): readonly Readonly<Record<string, SlotValue>>[] {
  let all: Readonly<Record<string, SlotValue>>[] = [{}];
  for (const [name, each] of Object.entries(values))
    all = all.flatMap((record) => each.map((value) => ({ ...record, [name]: value }))).slice(0, maxThings);
  return all;
}

function omit<T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

function holds(input: JsonObject, { key, label }: KnownThing, _rules: ToolRules): boolean {
  return Object.values(input).some((value) => value === key || (label !== undefined && value === label));
}

/** True if a look-up takes the label of a thing: "is Moreau coming". */
function isSoughtBy(input: JsonObject, { labelField, label }: KnownThing): boolean {
  return Object.entries(input).some(([name, value]) => value === label && (name === labelField || name === "query"));
}

/** The thing whose key the step took. */
function keyOf(step: DoneStep, { things }: Focus): KnownThing | undefined {
  const input = step.input as JsonObject;
  return things.find((thing) => {
    const field = thing.keyInputs.get(step.tool);
    return field !== undefined && input[field] === thing.key;
  });
}

function baseFrom(
  thing: KnownThing | undefined,
  last: ((name: string) => string | undefined) | undefined,
  corrects = false,
) {
  return ({ name }: { readonly name: string }): TimeBase => ({
    own: thing && timeIn(thing.fields, name),
    last: last?.(name),
    corrects,
  });
}

/** The value of a field for times: of `due` also `dueAt` or `dueDate`. */
function timeIn(fields: JsonObject, name: string): string | undefined {
  const isTime = (value: JsonValue | undefined): value is string =>
    typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value);
  const own = fields[name];
  if (isTime(own)) return own;
  const [, found] = Object.entries(fields).find(([key, value]) => key.startsWith(name) && isTime(value)) ?? [];
  return found as string | undefined;
}

/** A day that was given to the last thing, which kept its time, is given to another one with its own time. */
function withOwnTimes(input: JsonObject, thing: KnownThing, step: DoneStep, focus: Focus): JsonObject {
  const last = keyOf(step, focus);
  const at = focus.mentions.findIndex(({ run }) => run.runId === step.runId);
  const former =
    last &&
    focus.mentions
      .slice(at + 1)
      .flatMap(({ things }) => things)
      .find((each) => isSameThing(each, last));
  const entries = Object.entries(input).map(([name, value]) => {
    const [before, own] = [former?.fields[name], thing.fields[name]];
    const isKept = [value, before, own].every(isDateTime) && timeOfDay(value) === timeOfDay(before);
    return [name, isKept ? `${String(value).slice(0, 10)}${String(own).slice(10)}` : value] as const;
  });
  return Object.fromEntries(entries);
}

function isDateTime(value: JsonValue | undefined): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value);
}

function timeOfDay(value: JsonValue | undefined): string {
  return String(value)
    .slice(10)
    .replace(/:00(?:\.000)?(?=Z)/, "");
}

const resultWords = /\b(?:that much|that many|(?:that|the) (?:amount|total|sum|result|number))$/i;

function endsInResult(value: JsonValue): value is string {
  return typeof value === "string" && resultWords.test(value) && !/^(?:that|the) /i.test(value);
}

function numberOf(step: DoneStep, rules: readonly ToolRules[]) {
  const own = rules.find(({ tool }) => tool.name === step.tool);
  const path = own?.resultPath.replace(/^\./, "") ?? "";
  const output = step.output as Readonly<Record<string, unknown>> | undefined;
  const value = path === "" ? output : output?.[path];
  return typeof value === "number"
    ? { value, runId: step.runId, stepId: step.stepId, path: path === "" ? [] : [path] }
    : undefined;
}

/** Undefined if no earlier result is used: then the sum stands alone. */
function fillResults(made: JsonObject, results: readonly number[]): JsonObject | undefined {
  let isUsed = false;
  const fill = (value: JsonValue | undefined): JsonValue => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null) return value ?? null;
    const reference = (value as { readonly $ref?: unknown }).$ref;
    if (typeof reference === "string") {
      isUsed = true;
      return results[Number(reference.slice(1))] ?? null;
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]));
  };
  const input = fill(made) as JsonObject;
  return isUsed ? input : undefined;
}

function talkBack(words: readonly string[]): string {
  return words.some((word) => /^(?:thanks?|thx|ty|grazie|merci|cheers|appreciate\w*)$/.test(word))
    ? "You’re welcome."
    : "All right.";
}

const maxLines = 8;

/** What a model is shown: the newest things, a line each, and the last call. */
function linesFor({ things, last }: Focus): readonly string[] {
  const known = things.filter(({ isGone }) => !isGone).slice(0, maxLines - 1);
  const lines = known.map((thing, at) => `@${at + 1} ${describeThing(thing)}`);
  const [step] = last;
  return step === undefined ? lines : [...lines, `last: ${step.tool} ${JSON.stringify(step.input).slice(0, 120)}`];
}
