import { parseWith } from "../../core/schema.ts";
import type { PhraseReference, SlotValue } from "../../core/tool.ts";
import { readNumber } from "../../english/numbers.ts";
import { mentionsResult, readAnaphor, resultNouns } from "../../english/references.ts";
import { type MatchInput, textBetween } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import type { Capture } from "./phrase-run.ts";
import { anaphor, type SlotType } from "./slot-reading.ts";

/** The values of a phrase's slots; one record for each step the match makes. */
export interface SlotValues {
  readonly ok: true;
  readonly records: readonly Readonly<Record<string, SlotValue>>[];
  /** Texts, verbatim, in which words may refer to an earlier result; quoted text is taken literally. */
  readonly loose: readonly string[];
}

/** Why a match does not fit after all. */
export interface Unfit {
  readonly ok: false;
  /** For people, if it says more than that nothing fits. */
  readonly reason?: string;
  /** For programs. @default "not-understood" */
  readonly code?: "missing" | "unbound";
  /** With `missing`: what is. */
  readonly missing?: string;
  /** Whether the words are understood but not what they refer to: then no worse reading of them is tried. */
  readonly isUnbound?: boolean;
}

/** A match that lacks something. */
export function lacking(missing: string): Unfit {
  return { ok: false, code: "missing", missing, reason: `${missing} is missing` };
}

/** A match with words for a result that is not there. */
export function unboundWords(words: string): Unfit {
  return { ok: false, code: "unbound", reason: `"${words}" refers to a result, but no earlier step has one` };
}

/** The slots of a match by name, in order. */
export function capturesOf({ rules, phraseIndex, captures }: PhraseMatch): readonly (readonly [string, Capture])[] {
  const slots = rules.rules[phraseIndex]?.program().slots ?? [];
  const chain: Capture[] = [];
  for (let capture = captures; capture !== undefined; capture = capture.before) chain.unshift(capture);
  return chain.map((capture) => [slots[capture.slot]?.name ?? "", capture]);
}

/** Reads the slots of a match. `previous` is the result that "it" refers to here, if there is one. */
export function readSlotValues(
  match: PhraseMatch,
  input: MatchInput,
  previous: PhraseReference | undefined,
): SlotValues | Unfit {
  let records: Record<string, SlotValue>[] = [{}];
  const loose: string[] = [];
  const seen = new Set<string>();
  for (const [name, capture] of capturesOf(match)) {
    // Of "due friday by the 28th" one would be lost.
    if (seen.has(name)) return { ok: false };
    seen.add(name);
    const type = match.rules.rules[match.phraseIndex]?.slots.get(name);
    if (type === undefined) continue;
    const value = readValue(type, capture, { input, previous, loose });
    if (value === undefined) return { ok: false };
    if (value === nothing) return unboundWords(textBetween(input, capture.start, capture.end));
    if (!fitsOwnSchema(type, value)) return { ok: false };
    const options = type.isSpread && Array.isArray(value) ? (value as readonly SlotValue[]) : [value];
    records = options.flatMap((option) => records.map((record) => ({ ...record, [name]: option })));
  }
  return { ok: true, records, loose };
}

const nothing: unique symbol = Symbol("nothing");

interface ValueContext {
  readonly input: MatchInput;
  readonly previous: PhraseReference | undefined;
  readonly loose: string[];
}

/** After them "result" is a name. */
const naming = new Set(["called", "named", "titled"]);

function readValue(type: SlotType, capture: Capture, context: ValueContext): SlotValue | undefined | typeof nothing {
  const { start, end, value } = capture;
  const { words } = context.input;
  if (value === anaphor) return context.previous ?? nothing;
  if (value !== undefined && typeof value !== "symbol") return value;
  if (type.kind === "list") return readList(type, capture, context);
  if (readAnaphor(words, start) === end) return context.previous ?? nothing;
  const isBare = end - start === 1 && resultNouns.has(words[start] ?? "") && !naming.has(words[start - 1] ?? "");
  if (isBare && context.previous !== undefined) return context.previous;
  return textOf(context, start, end);
}

/** The user's own words; a fully quoted text without its quotes. */
function textOf({ input, loose }: ValueContext, start: number, end: number): string {
  const only = end - start === 1 ? input.tokens[start] : undefined;
  if (only?.kind === "quote") return only.norm;
  const text = textBetween(input, start, end);
  if (mentionsResult(input.words, start, end)) loose.push(text);
  return text;
}

/** "milk, eggs and bread" is three items. */
function readList(type: SlotType, { start, end }: Capture, context: ValueContext): SlotValue | undefined {
  const { input } = context;
  const items: (string | number)[] = [];
  let first = input.words[start] === "both" && end > start + 1 ? start + 1 : start;
  for (let at = first; at <= end; at++) {
    const word = input.words[at];
    const isEnd = at === end || word === "," || word === "and" || word === "&" || word === ";";
    if (!isEnd) continue;
    // "eggs and also bread"
    if (input.words[first] === "also" && at > first + 1) first++;
    if (at > first) {
      const item = readItem(type, context, first, at);
      if (item === undefined) return undefined;
      items.push(item);
    }
    first = at + 1;
  }
  return items.length === 0 ? undefined : items;
}

function readItem(type: SlotType, context: ValueContext, start: number, end: number): string | number | undefined {
  if (type.item !== "number") return textOf(context, start, end);
  const found = readNumber(context.input.words.slice(start, end), 0);
  return found?.end === end - start ? Number(found.digits) : undefined;
}

/** Whether the phrase's own schema for the slot accepts the value. A reference's value is not known yet. */
function fitsOwnSchema({ schema }: SlotType, value: SlotValue): boolean {
  if (schema === undefined || (typeof value === "object" && "$ref" in value)) return true;
  const parsed = parseWith(schema, value);
  return parsed instanceof Promise || parsed.ok;
}
