import { canonicalJson, type JsonObject, type JsonPath, mapLeaves } from "../../core/json.ts";
import { schemasAt } from "../../core/json-schema.ts";
import type { ReadValue } from "../../core/plan.ts";
import type { ThreadThing } from "../../core/planner.ts";
import type { PhraseReference, SlotValue } from "../../core/tool.ts";
import { readAnaphor, resultNouns } from "../../english/word-classes.ts";
import { tokenize } from "../../language/tokens.ts";
import { sayName } from "../../plan/say-call.ts";
import { type Clause, cutClauses, statesReason } from "../rules/cut-wishes.ts";
import { type AsideFit, Matcher, type Piece, piecesOf, TooMuchWork, WorkMeter } from "../rules/match.ts";
import { slotsIn, wordsBehind } from "../rules/phrase-rules.ts";
import { quotedWord, type RequestText } from "../rules/request.ts";
import { readSlot, readSlotValues, type SlotRule } from "../rules/slot-values.ts";
import { anaphor, isDate, isReadable, type SlotType, slotReadingsAt, slotTypeOf } from "../rules/slots.ts";
import { toStepInput } from "../rules/steps.ts";
import { readTextEdges } from "../rules/texts.ts";
import type { Operation, Slot } from "./operations.ts";
import type { WrittenCall } from "./prompt.ts";

export interface EarlierStep {
  readonly id: string;
  readonly input: JsonObject;
  readonly operation: Operation;
  readonly taken?: readonly TakenThing[] | undefined;
}

export interface TakenThing {
  readonly field: string;
  readonly value: string | number | undefined;
  readonly thing: ThreadThing;
  readonly origin: Omit<ReadValue, "stepId" | "path">;
}

export interface CallScope {
  readonly wish: RequestText;
  readonly earlier: readonly EarlierStep[];
  readonly things: readonly ThreadThing[];
}

class Unreadable extends Error {}

/** Returns the reason as text if the call cannot be read. */
export function readCall(call: WrittenCall, operation: Operation, scope: CallScope) {
  try {
    const reader = new CallReader(operation, scope);
    return { inputs: reader.read(call), taken: reader.taken };
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) return `${operation.name}: it can be read in too many ways`;
    if (!(thrown instanceof Unreadable)) throw thrown;
    return `${operation.name}: ${thrown.message}`;
  }
}

/** Placeholder for a result until the text around it is escaped. */
const mark = "\u{F0000}";
const sign = /\$(?:\d|item|index)/;
const ofLoop: readonly PhraseReference[] = [{ $ref: "item" }, { $ref: "index" }];

class CallReader {
  #pieces: Piece[] = [];
  readonly #direct = new Map<string, unknown>();
  readonly #covered: Uint8Array;
  readonly #results: PhraseReference[] = [];
  readonly taken: TakenThing[] = [];
  readonly #work = new WorkMeter();
  #isLoop = false;
  #isReferring = false;
  readonly #rule: SlotRule;
  readonly #matcher: Matcher;

  constructor(
    private readonly operation: Operation,
    private readonly scope: CallScope,
  ) {
    const { slots, closed, constants, rules, phrases } = operation;
    this.#covered = new Uint8Array(scope.wish.words.length);
    const [source = { phrase: operation.name }] = phrases.map((phrase) => phrase.source);
    const types = new Map([...closed, ...slots.map(({ name, type }) => [name, type] as const)]);
    this.#rule = { slots: types, anywhere: [], source, fixed: constants, tool: rules };
    const { wish } = scope;
    const [meaningsOf, isLead] = [() => [], () => false];
    this.#matcher = new Matcher(wish, readTextEdges(wish), meaningsOf, isLead, this.#work);
  }

  read(call: WrittenCall): readonly JsonObject[] {
    this.#isLoop = typeof call.each === "string";
    for (const slot of this.operation.slots) this.#take(slot, call[slot.key]);
    const { wish: request, earlier } = this.scope;
    if (this.#isReferring)
      for (const [at, word] of request.words.entries())
        this.#cover(at, readAnaphor(request.words, at) ?? (resultNouns.has(word) ? at + 1 : at));
    this.#readBeside();
    this.#readBare();
    const [previous] = earlier.slice(-1).map(resultOf);
    const read = readSlotValues({ pieces: this.#pieces, rule: this.#rule }, { request, previous, work: this.#work });
    if (!read.ok) throw new Unreadable(read.why ?? "its words name nothing that it takes");
    return read.records.map((record) => this.#inputOf({ ...record, ...Object.fromEntries(this.#direct) }));
  }

  #take({ name, type, schema, isRequired, isComposed }: Slot, written: unknown): void {
    if (written === undefined || written === null || written === "") {
      if (isRequired) throw new Unreadable(`"${name}" is missing`);
      return;
    }
    if (this.#takeThing(written, { name, isRequired })) return;
    const result = this.#referenceIn(written, name);
    if (result !== undefined) return void this.#direct.set(name, result);
    if (schema !== undefined) return void this.#direct.set(name, this.#readDeep(written, [name]));
    if (type.kind === "list") return void this.#takeList(name, [written].flat(), type);
    if (typeof written === "object") throw new Unreadable(`"${name}" is not a ${type.kind}`);
    if (type.kind === "text") return void this.#takeText(name, String(written), isComposed);
    if (type.kind !== "sum") return void this.#takeValue(name, type, written as string | number | boolean);
    const counted = /(?<=\d) (?!(?:mod|to|of|and|plus|minus|times|x)\b)[a-z]+(?:\/[a-z]+)?\b/gi;
    this.#direct.set(name, this.#withResults(String(written).replace(counted, ""), "it"));
  }

  #takeThing(written: unknown, { name, isRequired }: Pick<Slot, "name" | "isRequired">): boolean {
    const { wish, things, earlier } = this.scope;
    if (things.length === 0) return false;
    const { tool } = this.operation.rules;
    const isKey = ({ keyInputs }: ThreadThing) => keyInputs.get(tool.name) === name;
    const fitting = things.filter((thing) => takesThing(thing, { tool: tool.name, name }));
    const isFirst = earlier.length === 0;
    const pointed = fitting.filter(({ said, isNamed }) => said && this.#find(said) && (isNamed || isFirst));
    const sign = JSON.stringify(written)
      .match(/@\d+/g)
      ?.find((each) => !wish.text.includes(each));
    const words = String(written).toLowerCase().split(" ");
    // Outside a key field, a label may name a new thing, so only "it" stands for a known thing.
    const isIt = readAnaphor(words, 0) === words.length;
    const namesOf = (each: ThreadThing) =>
      isKey(each) ? [each.said, each.label, String(each.key)] : isIt ? [each.said] : [];
    const isWritten = (each: ThreadThing) => namesOf(each).some((text) => text?.toLowerCase() === words.join(" "));
    const isSigned = (each: ThreadThing) => sign === written && `@${things.indexOf(each) + 1}` === sign;
    const thing = sign === undefined ? pointed.find(isWritten) : fitting.find(isSigned);
    if (thing === undefined && sign !== undefined) throw new Unreadable(`"${name}" cannot be ${sign}`);
    if (thing === undefined) return false;
    if (!pointed.includes(thing) && !(isRequired && isFirst && fitting.length === 1))
      throw new Unreadable(`no word of the request points to ${sign}`);
    const { said = "", text, key, label, keyField, labelField = keyField, from } = thing;
    const place = this.#find(said);
    if (place !== undefined) this.#cover(place.start, place.end);
    const [value, field] = isKey(thing) ? [key, keyField] : [label, labelField];
    this.#direct.set(name, value);
    const origin = { said, text, from: { ...from, path: [...from.path, field] } };
    this.taken.push({ field: name, value, thing, origin });
    return true;
  }

  #readDeep(written: unknown, path: JsonPath): unknown {
    if (Array.isArray(written)) return written.map((item, index) => this.#readDeep(item, [...path, index]));
    if (typeof written === "object" && written !== null) {
      if ("$ref" in written || "$literal" in written) return { $literal: written };
      const entries = Object.entries(written).map(([key, item]) => [key, this.#readDeep(item, [...path, key])]);
      return Object.fromEntries(entries);
    }
    if (typeof written !== "string") return written;
    const result = this.#referenceIn(written, String(path.at(-1)));
    if (result !== undefined) return result;
    if (this.#mentionsResult(written)) return this.#withResults(written, mark);
    const type = slotTypeOf(schemasAt(this.operation.rules.schemas.input, path, this.operation.constants));
    return isDate(type) || type.kind === "number" ? this.#valueOf(String(path.at(-1)), type, written) : written;
  }

  #takeValue(name: string, type: SlotType, written: string | number | boolean): void {
    const { wish } = this.scope;
    const span = typeof written === "string" ? this.#find(written) : undefined;
    // A model may copy only a part of "tomorrow at noon".
    const date = isDate(type)
      ? wish.dates.find((each) => span && each.start < span.end && each.end > span.start)
      : undefined;
    const whole = date && slotReadingsAt(type, wish, date.start)[0];
    const value = whole?.value ?? this.#valueOf(name, type, written);
    if (date !== undefined && whole !== undefined) this.#cover(date.leadStart, whole.end);
    else if (span !== undefined) this.#cover(span.start, span.end);
    else
      for (let at = 0; at < wish.words.length; at++) {
        const found = slotReadingsAt(type, wish, at).find((each) => each.value === value);
        if (found === undefined || this.#covered[at] === 1) continue;
        this.#cover(at, found.end);
        break;
      }
    this.#direct.set(name, value);
  }

  #valueOf(name: string, type: SlotType, written: string | number | boolean): unknown {
    if (type.kind === "enum" || typeof written === type.kind) return written;
    const read = readSlot(type, String(written), this.scope.wish.clock);
    if (!read.ok) throw new Unreadable(`"${name}": ${read.why}`);
    return read.value;
  }

  #takeList(name: string, written: readonly unknown[], type: SlotType): void {
    const items = written.map((item) => {
      const result = this.#referenceIn(item, name);
      if (result !== undefined) return result;
      if (type.item === "number") return Number(item);
      const span = this.#find(String(item));
      if (span !== undefined) this.#cover(span.start, span.end);
      return String(item).replace(/^#/, "");
    });
    if (items.length > 0) this.#direct.set(name, items);
  }

  #takeText(name: string, written: string, isComposed: boolean): void {
    if (this.#mentionsResult(written)) return void this.#direct.set(name, this.#withResults(written, mark));
    const span = isComposed ? undefined : this.#find(written);
    if (span === undefined) return void this.#direct.set(name, written.trim());
    let { start, end } = span;
    const { words } = this.scope.wish;
    const isQuoted = end === start + 1 && words[start] === quotedWord;
    if (!isQuoted) {
      for (let at = start + 1; at < end; at++)
        if (this.#endsWith(at, end)) {
          end = at;
          at = start;
        }
      const lead = this.#fitsAt(start).find((fit) => fit.end < end && (fit.isSpoken || this.#isDate(fit)));
      if (lead !== undefined) start = lead.end;
      const behind = wordsBehind(this.operation.phrases, name);
      while (behind.has(words[end - 1] ?? "") && end - start > 1 && !this.#fits(name, { start, end })) end--;
    }
    this.#pieces.push({ kind: "slot", start, end, name, value: undefined, before: undefined });
    this.#cover(start, end);
  }

  #fits(name: string, span: { readonly start: number; readonly end: number }): boolean {
    const pieces: readonly Piece[] = [{ kind: "slot", ...span, name, value: undefined, before: undefined }];
    const context = { request: this.scope.wish, previous: undefined, work: this.#work };
    return readSlotValues({ pieces, rule: this.#rule }, context).ok;
  }

  #endsWith(at: number, end: number): boolean {
    return this.#fitsAt(at).some((fit) => fit.end === end && (fit.isSpoken || this.#isDate(fit) || end - at === 1));
  }

  #isDate({ pieces }: AsideFit): boolean {
    return piecesOf(pieces).every(({ name }) => name === undefined || isDate(this.#rule.slots.get(name) ?? textType));
  }

  /** In a reason, ignores a value for a field that is already filled, such as a time: "…, I am busy tomorrow". */
  #readBeside(): void {
    const { words } = this.scope.wish;
    const clauses = cutClauses(this.scope.wish);
    const hasText = ({ start, end }: Clause) => this.#covered.subarray(start, end).includes(1);
    const isReason = (clause: Clause) => !hasText(clause) && statesReason(words, clause.start, clause.end);
    const reasons = new Set(clauses.filter(isReason));
    for (const clause of clauses) if (!reasons.has(clause)) this.#readBetween(clause, false);
    for (const clause of reasons) this.#readBetween(clause, true);
  }

  #readBetween(clause: Clause, isReason: boolean): void {
    for (let at = clause.start; at < clause.end; at++) {
      const free = (fit: AsideFit) => this.#covered.subarray(at, fit.end).every((each) => each === 0);
      const [best] = this.#fitsAt(at)
        .filter(free)
        .sort((left, right) => right.end - left.end || left.cost - right.cost);
      if (best === undefined) continue;
      const own = piecesOf(best.pieces).filter(({ name }) => name !== undefined);
      const again = own.find(({ name = "" }) => this.#isFilled(name) && this.#rule.slots.get(name)?.kind !== "list");
      if (again !== undefined && isReason) continue;
      if (again !== undefined) throw new Unreadable(`"${again.name}" is said twice`);
      this.#pieces.push(...own);
      this.#cover(at, best.end);
      at = best.end - 1;
    }
  }

  #readBare(): void {
    const { wish } = this.scope;
    const beside = new Set(this.operation.beside.flatMap(({ slots }) => [...slots.keys()]));
    const isBare = (name: string, { kind, ...type }: SlotType) =>
      !beside.has(name) || kind === "number" || kind === "enum" || isDate({ kind, ...type });
    const open = [...this.operation.closed].filter(([name, type]) => !this.#isFilled(name) && isBare(name, type));
    for (const [name, { kind }] of open) if (kind === "boolean") this.#readSwitch(name);
    const found = open.flatMap(([name, type]) =>
      type.kind === "boolean" || !isReadable(type)
        ? []
        : [...wish.words.keys()].flatMap((start) =>
            readAnaphor(wish.words, start) !== undefined ||
            (isDate(type) && wish.datesByStart.get(start)?.isFirm !== true)
              ? []
              : slotReadingsAt(type, wish, start).map((reading) => ({ name, start, ...reading })),
          ),
    );
    found.sort((left, right) => right.end - right.start - (left.end - left.start));
    for (const { name, start, end, value, isMeasured } of found) {
      const isCounted = isMeasured === true || this.operation.closed.get(name)?.units === undefined;
      const isAnaphor = value === anaphor || readAnaphor(String(value).split(" "), 0) !== undefined;
      if (isAnaphor || !isCounted || this.#isFilled(name) || this.#covered.subarray(start, end).includes(1)) continue;
      const isSame = (each: (typeof found)[number]) =>
        each.name !== name || each.value === value || this.#covered.subarray(each.start, each.end).includes(1);
      if (!found.every(isSame)) continue;
      this.#direct.set(name, value);
      this.#cover(start, end);
    }
  }

  #readSwitch(name: string): void {
    const { words } = this.scope.wish;
    const said = sayName(name).split(" ");
    const at = words.findIndex((_, start) => said.every((word, index) => words[start + index] === word));
    if (at === -1) return;
    this.#direct.set(name, !/^(?:no|not|without)$/.test(words[at - 1] ?? ""));
    this.#cover(at, at + said.length);
  }

  #isFilled(name: string): boolean {
    return this.#direct.has(name) || this.#pieces.some((piece) => piece.name === name);
  }

  #cover(start: number, end: number): void {
    this.#covered.fill(1, start, end);
  }

  #fitsAt(at: number): readonly AsideFit[] {
    return this.#matcher.modifiersAt(this.operation.beside, at);
  }

  #find(written: string): { readonly start: number; readonly end: number } | undefined {
    const { tokens } = this.scope.wish;
    const said = tokenize(written);
    const [only] = said;
    const quoted = tokens.findIndex(
      ({ kind, norm }) => kind === "quote" && norm === (only?.kind === "quote" ? only.norm : written.trim()),
    );
    if (quoted !== -1) return { start: quoted, end: quoted + 1 };
    const isAt = (start: number) => said.every(({ norm }, index) => tokens[start + index]?.norm === norm);
    const places = said.length === 0 ? [] : [...tokens.keys()].filter(isAt);
    const start = places.find((place) => this.#covered[place] === 0) ?? places[0];
    return start === undefined ? undefined : { start, end: start + said.length };
  }

  #referenceIn(written: unknown, name: string): PhraseReference | undefined {
    const read = typeof written === "string" ? /^\$(\d+|item|index)((?:\.\w+)*)$/.exec(written.trim()) : null;
    if (read === null || this.scope.wish.text.includes(read[0])) return undefined;
    return this.#resultOf(read[1] ?? "", { path: read[2] ?? "", name });
  }

  #mentionsResult(written: string): boolean {
    return sign.test(written) && !sign.test(this.scope.wish.text);
  }

  #withResults(written: string, instead: string): string {
    if (!this.#mentionsResult(written)) return written;
    return written.replace(/\$(\d+|item|index)((?:\.\w+)*)/g, (_, place: string, path: string) => {
      this.#results.push(this.#resultOf(place, { path, name: "" }));
      return instead;
    });
  }

  #resultOf(place: string, { path, name }: { readonly path: string; readonly name: string }): PhraseReference {
    this.#isReferring = true;
    if (!/\d/.test(place) && !this.#isLoop) throw new Unreadable(`"$${place}" needs "each"`);
    if (!/\d/.test(place)) return { $ref: `${place}${path}` };
    const step = this.scope.earlier[Number(place) - 1];
    if (step === undefined) {
      const known = this.scope.earlier.map((_, at) => `$${at + 1}`).join(", ") || "the user's words";
      throw new Unreadable(`"$${place}" is not a step before this one; expected ${known}`);
    }
    if (path !== "") return { $ref: `${step.id}${path}` };
    const { rules, outputs } = step.operation;
    if (rules.tool.result === undefined && outputs.includes(name)) return { $ref: `${step.id}.${name}` };
    if (rules.resultPath === "" && outputs.length > 1)
      throw new Unreadable(`"$${place}" has several parts: name one of ${outputs.join(", ")}`);
    return resultOf(step);
  }

  #inputOf(record: Readonly<Record<string, unknown>>): JsonObject {
    const { operation, scope } = this;
    const { constants, phrases, rules } = operation;
    const names = Object.keys(record);
    const functions = phrases.filter(({ source }) => source.toInput !== undefined);
    const own = scope.earlier.filter((step) => step.operation.rules === rules);
    const before = own.length > 0 && { before: { input: own.at(-1)?.input ?? {}, results: own.map(resultOf) } };
    const [previous] = [...this.#results, ...scope.earlier.slice(-1).map(resultOf)];
    const context = { previous, ...before, ...scope.wish.clock };
    const results = scope.earlier.flatMap((step) => [resultOf(step), { $ref: step.id }]);
    const known = [...(this.#isLoop ? ofLoop : []), ...this.#results, ...results];
    const made = new Map<string, JsonObject>();
    const add = (input: unknown) => {
      const step = input === undefined ? undefined : toStepInput(input, { schema: rules.schemas.input, known });
      if (step !== undefined) made.set(canonicalJson(step), step);
    };
    if (functions.length === 0) add({ ...constants, ...this.#fixedBy(record), ...record });
    for (const { source, slots, anywhere, fixed, ...rule } of functions) {
      const says = (name: string) =>
        slots.has(name) || anywhere.some((each) => each.slots.has(name)) || operation.closed.has(name);
      const isPlain = Object.keys(fixed).every((name) => name in constants);
      const needs = slotsIn(rule);
      if (!isPlain || !names.every(says) || !needs.every((name) => names.includes(name))) continue;
      add(source.toInput?.(record as Readonly<Record<string, SlotValue>>, context));
    }
    const [input, other] = made.values();
    if (input === undefined) throw new Unreadable("its words do not make what it takes");
    if (other !== undefined) throw new Unreadable("its words may mean several things");
    const marked = [...this.#results];
    const fill = (text: string) => text.replaceAll(mark, () => `\${${marked.shift()?.$ref}}`);
    return mapLeaves(input, (leaf) => (typeof leaf === "string" ? fill(leaf) : leaf));
  }

  #fixedBy(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const said = new Set(this.scope.wish.words);
    const fixed: Record<string, unknown> = {};
    for (const rule of this.operation.phrases) {
      const own = rule.example
        .replace(/\{[\w-]+\}/g, " ")
        .trim()
        .toLowerCase();
      const isSaid = own.split(/\s+/).every((word) => said.has(word)) && slotsIn(rule).every((name) => name in record);
      for (const [name, value] of isSaid ? Object.entries(rule.fixed) : []) {
        if (Object.hasOwn(fixed, name) && canonicalJson(fixed[name]) !== canonicalJson(value))
          throw new Unreadable("its words may mean several things");
        fixed[name] = value;
      }
    }
    return fixed;
  }
}

export function takesThing(
  { keyInputs, label, labelField }: ThreadThing,
  { tool, name }: { readonly tool: string; readonly name: string },
): boolean {
  return keyInputs.get(tool) === name || (label !== undefined && labelField === name && keyInputs.has(tool));
}

const textType: SlotType = { kind: "text" };

function resultOf({ id, operation }: EarlierStep): PhraseReference {
  return { $ref: id + operation.rules.resultPath };
}
