import { countOutside } from "../../core/outside-work.ts";
import type { PlanRepair } from "../../core/plan.ts";

/** A value that was read from a model's answer, and what that took. */
export interface Recovered {
  readonly value: unknown;
  readonly repaired: readonly PlanRepair[];
}

/** Longer texts are not repaired: no plan is. */
const maxRepairLength = 64 * 1_024;
/** Of very many pieces of JSON only the last are tried. */
const maxPieces = 8;

/**
 * What JSON an answer may hold, the likeliest first: the whole text, what stands in a code fence, then each object or list
 * among other text, the last one first, and at last what jsonrepair makes of the longest. Whoever reads them takes the first
 * that is a plan: a repair can give a wrong value without an error.
 *
 * jsonrepair is the one library of three that does not lose data of what is not JSON, but it makes a list of prose, so it is
 * given only what begins like an object or a list. With `isWhole: false` nothing is repaired: a cut value would pass as one.
 */
export async function* recoverJson(answer: string, { isWhole }: { isWhole: boolean }): AsyncGenerator<Recovered> {
  const whole = parse(answer);
  if (whole !== undefined) {
    yield { value: whole.value, repaired: whole.isQuoted ? ["shape"] : [] };
    return;
  }
  const text = withoutThinking(answer);
  const pieces = [text, ...fencedParts(text)];
  const scanned = topLevelPieces(text);
  for (const piece of [...pieces, ...scanned.slice(-maxPieces).reverse()]) {
    const parsed = parse(piece);
    if (parsed !== undefined) yield { value: parsed.value, repaired: ["extracted"] };
  }
  if (!isWhole) return;
  const broken = longestOf([...pieces.slice(1), ...scanned, fromFirstBracket(text)]);
  if (broken === undefined || broken.length > maxRepairLength) return;
  const { jsonrepair } = await countOutside(import("jsonrepair"));
  const repaired = attempt(() => jsonrepair(broken));
  const parsed = repaired === undefined ? undefined : parse(repaired);
  if (parsed !== undefined)
    yield { value: parsed.value, repaired: broken === answer.trim() ? ["json"] : ["extracted", "json"] };
}

/** An object or a list, which may have been put in quotes as a whole; a bare text or number is no plan. */
function parse(text: string): { readonly value: unknown; readonly isQuoted: boolean } | undefined {
  const outer = attempt<unknown>(() => JSON.parse(text));
  const isQuoted = typeof outer === "string";
  const value = isQuoted ? attempt<unknown>(() => JSON.parse(outer)) : outer;
  return typeof value === "object" && value !== null ? { value, isQuoted } : undefined;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * The answer without a byte order mark, what the model thought, and the control tokens of gpt-oss. Thinking that was opened
 * before the answer has only an end; of one that never ends only its sign goes, as the answer may stand within.
 */
function withoutThinking(answer: string): string {
  const text = answer
    .replace(/^\uFEFF/, "")
    .replace(/<(think|thinking|thought)>[\s\S]*?<\/\1>/gi, "")
    .replace(/<\|[a-z_]{1,40}\|>/gi, " ");
  const end = /<\/(?:think|thinking|thought)>/i.exec(text);
  const after = end === null ? text : text.slice(end.index + end[0].length);
  return after.replace(/<(?:think|thinking|thought)>/gi, "").trim();
}

/** What stands between lines of three backticks. One within a text of JSON does not begin its line. */
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

/** Each object and list that stands in no other, as text: brackets are counted, but for those in quotes. One pass. */
function topLevelPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "{" || character === "[") {
      if (depth++ === 0) start = index;
    } else if (depth === 0) {
      // Prose: its quotes quote nothing, and a bracket too many closes nothing.
    } else if (character === '"') {
      index = endOfText(text, index);
    } else if (character === "}" || character === "]") {
      if (--depth === 0) pieces.push(text.slice(start, index + 1));
    }
  }
  return pieces;
}

/** Where the text of JSON that begins at a quote ends. */
function endOfText(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}

function fromFirstBracket(text: string): string {
  const start = text.search(/[[{]/);
  return start === -1 ? "" : text.slice(start);
}

function longestOf(texts: readonly string[]): string | undefined {
  const likely = texts.filter((text) => /^[[{]/.test(text));
  return likely.sort((left, right) => right.length - left.length)[0];
}
