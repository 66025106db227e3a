import { countPending } from "../../../async/pending-work.ts";
import type { PlanRepair } from "../../../core/plan.ts";
import { endOfString, parseJson } from "./parse-json.ts";

/** A value that was read from a model's answer, and the repairs that took. */
export interface Recovered {
  readonly value: unknown;
  readonly repaired: readonly PlanRepair[];
  /** Whether it is the only JSON. Of several pieces, one step is not the whole plan. */
  readonly isAlone: boolean;
  /** Whether it is the list of all pieces of JSON, with nothing between them but signs of calls. */
  readonly isJoined?: true;
}

/** The most that jsonrepair may cost for one answer, see {@link repairCost}: at worst that takes 40 ms. */
const maxRepairCost = 1;
/** No plan is nested deeper. */
const maxRepairDepth = 100;
/** Of very many pieces of JSON only the last are tried. */
const maxPieces = 8;

/**
 * Yields the JSON that an answer may contain, the likeliest first: the whole text, code fences, then each object or
 * list among other text (of both, the last one first), and finally what jsonrepair makes of the longest. The caller
 * takes the first that is a plan: a repair can result in a wrong value without an error.
 *
 * Of three libraries, only jsonrepair does not lose data of invalid JSON. But it turns prose into a list, so it gets
 * only text that starts like an object or a list. With `isWhole: false` nothing is repaired: a cut value would pass as
 * complete.
 */
export async function* recoverJson(answer: string, { isWhole }: { isWhole: boolean }): AsyncGenerator<Recovered> {
  const whole = parse(answer);
  if (whole !== undefined) {
    yield { value: whole.value, repaired: whole.isQuoted ? ["shape"] : [], isAlone: true };
    return;
  }
  const text = withoutThinking(answer);
  const fenced = fencedParts(text);
  const scanned = topLevelPieces(text);
  const isAlone = scanned.length < 2 && !endsWithin(text, scanned);
  const joined = isAlone || !isWhole ? undefined : joinPieces(text, scanned);
  if (joined !== undefined) yield { value: joined, repaired: ["extracted"], isAlone: true, isJoined: true };
  for (const piece of [text, ...lastOf(fenced), ...lastOf(scanned)]) {
    const parsed = parse(piece);
    if (parsed !== undefined) yield { value: parsed.value, repaired: ["extracted"], isAlone };
  }
  if (isWhole) yield* repairedPieces(answer, { text, pieces: [...fenced, ...scanned], isAlone });
}

/** What jsonrepair makes of the longest pieces. */
async function* repairedPieces(
  answer: string,
  { text, pieces, isAlone }: { readonly text: string; readonly pieces: readonly string[]; readonly isAlone: boolean },
): AsyncGenerator<Recovered> {
  // Text from the first bracket on may end in prose, unlike the longest piece; but it may also be all steps in a row.
  const likely = new Set([longestOf(pieces), longestOf([fromFirstBracket(text)])]);
  let cost = 0;
  for (const broken of likely) {
    if (broken === undefined || parse(broken) !== undefined) continue;
    cost += repairCost(broken);
    const value = cost <= maxRepairCost ? await repair(broken) : undefined;
    if (value === undefined) continue;
    yield { value, repaired: broken === answer.trim() ? ["json"] : ["extracted", "json"], isAlone };
  }
}

/** What models write around each of several calls. */
const callSigns =
  /<\/?(?:tool_calls?|function_calls?|tools?)>|\[\/?TOOL_CALLS\]|<\|?\/?(?:tool_call|tool_calls|python_tag|eom_id)(?:_begin|_end)?\|?>|[\s,;]/g;
/** No plan has more steps. */
const maxJoined = 1_000;

/** Whether each has an id of its own: with words between them, they are steps of one plan, and no alternatives. */
function areNumbered(values: readonly unknown[]): boolean {
  const ids = values.map((value) => (value as { readonly id?: unknown }).id);
  return !ids.includes(undefined) && new Set(ids).size === ids.length;
}

/** The pieces as one list, if there is nothing else in a text but the signs of calls, or words between numbered steps. */
function joinPieces(text: string, pieces: readonly string[]): readonly unknown[] | undefined {
  if (pieces.length > maxJoined) return undefined;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  let rest = "";
  let from = 0;
  for (const piece of pieces) {
    const start = text.indexOf(piece, from);
    rest += text.slice(from, start);
    from = start + piece.length;
  }
  rest += text.slice(from);
  if (rest.length + length !== text.length) return undefined;
  const values = pieces.map((piece) => parse(piece)?.value);
  if (values.includes(undefined)) return undefined;
  return rest.replace(callSigns, "") === "" || areNumbered(values) ? values : undefined;
}

/** The last few pieces, from the end. */
function lastOf(pieces: readonly string[]): readonly string[] {
  return pieces.slice(-maxPieces).reverse();
}

/**
 * The worst-case cost of a repair. jsonrepair returns to the start of a string for each quote that may not end it, and
 * copies its output for each missing bracket and comma. So time grows with the square of the quotes times the length,
 * and with the square of the length. 1 is 16 000 characters, or 100 000 000 by quotes, such as a compact plan of 18
 * steps.
 */
function repairCost(text: string): number {
  const { length } = text;
  if (length > 16_000) return Number.POSITIVE_INFINITY;
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > maxRepairDepth) return Number.POSITIVE_INFINITY;
  }
  const quotes = text.match(/["'`´‘’“”&]/g)?.length ?? 0;
  return Math.max((quotes ** 2 * length) / 1e8, (length / 16_000) ** 2);
}

/** Whether something that is left out is only hinted at: `[{ … }, ...]`, `// and so on …`. It is ignored by repairs. */
function hasEllipsis(broken: string): boolean {
  return /\.\.\.|…/.test(broken.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, ""));
}

async function repair(broken: string): Promise<unknown> {
  if (hasEllipsis(broken)) return undefined;
  const { jsonrepair } = await countPending(import("jsonrepair"));
  try {
    return parse(jsonrepair(broken))?.value;
  } catch {
    return undefined;
  }
}

/** Parses an object or a list, which may be quoted as a whole; a bare string or number is not a plan. */
function parse(text: string): { readonly value: unknown; readonly isQuoted: boolean } | undefined {
  const outer = parseJson(text);
  const isQuoted = typeof outer === "string";
  const value = isQuoted ? parseJson(outer) : outer;
  return typeof value === "object" && value !== null ? { value, isQuoted } : undefined;
}

const thinkingSign = /<(\/?)(?:think|thinking|thought)>/gi;

/**
 * The answer without a byte order mark and without thinking: everything up to the last tag that ends it. Thinking that
 * was opened before the answer has only an end tag. A tag within a JSON string is the user's, and ends nothing.
 */
export function withoutThinking(answer: string): string {
  const text = answer.replace(/^\uFEFF/, "");
  let from = 0;
  let scan = { position: 0, depth: 0 };
  let isThinking = false;
  for (const sign of text.matchAll(thinkingSign)) {
    if (!isThinking) scan = scanTo(text, sign.index, scan);
    if (!isThinking && scan.position > sign.index) continue;
    isThinking = sign[1] === "" && (isThinking || scan.depth === 0);
    if (sign[1] === "") continue;
    from = sign.index + sign[0].length;
    scan = { position: from, depth: 0 };
  }
  const rest = text.slice(from).trim();
  return isThinking ? conclusionOf(rest) : rest;
}

/** What thinking came to that has no answer behind it: the JSON at its very end. Any other may have been discarded. */
function conclusionOf(thinking: string): string {
  const last = topLevelPieces(thinking).at(-1);
  const after = last === undefined ? "" : thinking.slice(thinking.lastIndexOf(last) + last.length);
  return last !== undefined && /^[\s`]*$/.test(after) ? last : "";
}

/** Scans a text up to a position, counting brackets; further if the position is within a JSON string. */
function scanTo(text: string, end: number, { position, depth }: { position: number; depth: number }) {
  while (position < end) {
    const character = text[position];
    if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && depth > 0) depth--;
    position = character === '"' && depth > 0 ? endOfString(text, position) + 1 : position + 1;
  }
  return { position, depth };
}

/** The text between lines of three backticks. Those within a JSON string do not start their line. */
function fencedParts(text: string): readonly string[] {
  const parts: string[] = [];
  const fence = /^[ \t]*```[^\n`]*$/gm;
  let start: number | undefined;
  for (let match = fence.exec(text); match !== null; match = fence.exec(text)) {
    if (start === undefined) start = fence.lastIndex;
    else {
      parts.push(text.slice(start, match.index).trim());
      start = undefined;
    }
  }
  if (start !== undefined) parts.push(text.slice(start).trim());
  return parts;
}

/** Each outermost object and list, as text: brackets are counted, except those in quotes. One pass. */
export function topLevelPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "{" || character === "[") {
      if (depth++ === 0) start = index;
    } else if (depth === 0) {
      // Prose: its quotes quote nothing, and an extra bracket closes nothing.
    } else if (character === '"') {
      index = endOfString(text, index);
    } else if (character === "}" || character === "]") {
      if (--depth === 0) pieces.push(text.slice(start, index + 1));
    }
  }
  return pieces;
}

/** Whether an object or list starts behind the pieces, and never ends. */
function endsWithin(text: string, pieces: readonly string[]): boolean {
  const last = pieces.at(-1);
  const rest = last === undefined ? "" : text.slice(text.lastIndexOf(last) + last.length);
  return /\{\s*"/.test(rest);
}

function fromFirstBracket(text: string): string {
  const start = text.search(/[[{]/);
  return start === -1 ? "" : text.slice(start);
}

function longestOf(texts: readonly string[]): string | undefined {
  const likely = texts.filter((text) => /^[[{]/.test(text));
  return likely.sort((left, right) => right.length - left.length)[0];
}
