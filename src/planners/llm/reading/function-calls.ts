import { countPending } from "../../../async/pending-work.ts";
import { parseJson } from "./parse-json.ts";
import { isRecord, type JsonRecord } from "./records.ts";

/** What a line may start with: signs of a list, the name of the call, and its own name and opening bracket. */
const callStart =
  /[ \t[(,;*>-]*(?:(#?\w{1,40})[ \t]*(?:[=:][ \t]*|[.)][ \t]+))?(?:await[ \t]+|print\()?([A-Za-z_]\w{0,99}(?:\.\w{1,100}){0,5})[([]/y;
const anyCall = /([A-Za-z_]\w{0,99}(?:\.\w{1,100}){0,5})[([]/g;
const signsOnly = /^[\s\]),;.`]*$/;
/** What ends a plan in some forms, and does nothing. */
const ending = /^(?:join|finish|end)$/i;

/**
 * Calls that are written as in a programming language, such as `Tool(key="value", count=2)`, alone on their lines;
 * undefined if a line calls something else.
 */
export async function functionCalls(
  text: string,
  isTool: (text: string) => boolean,
): Promise<readonly JsonRecord[] | undefined> {
  const calls: JsonRecord[] = [];
  let position = 0;
  while (position < text.length) {
    const read = (await callAt(text, position, isTool)) ?? otherLine(text, position, isTool);
    if (read === undefined) return undefined;
    if (read.call !== undefined) calls.push(read.call);
    position = read.next;
  }
  return calls.length > 0 ? calls : undefined;
}

/** What was read, and where the rest starts. */
interface Piece {
  readonly call?: JsonRecord;
  readonly next: number;
}

/** The call that starts at a place, or what only ends a plan; undefined if there is none. */
async function callAt(text: string, position: number, isTool: (text: string) => boolean): Promise<Piece | undefined> {
  callStart.lastIndex = position;
  const [written = "", id, name = ""] = callStart.exec(text) ?? [];
  const isKnown = isTool(name);
  if (!isKnown && !ending.test(name)) return undefined;
  const start = position + written.length;
  // What only ends a plan has no long arguments.
  const end = closing(text, start - 1, isKnown ? text.length : start + maxEnding);
  if (end === undefined) return undefined;
  const [line, next] = lineAt(text, end + 1);
  const isLast = signsOnly.test(line);
  const input = isKnown ? await readArguments(text.slice(start, end)) : {};
  if (input === undefined || !(isLast || /^[\s\])]*[,;]/.test(line))) return undefined;
  const call = { ...(id !== undefined && { id }), tool: name, input };
  return { ...(isKnown && { call }), next: isLast ? next : end + 1 };
}

/** A line that calls nothing; undefined if it calls a tool among other words, or something else that would be lost. */
function otherLine(text: string, position: number, isTool: (text: string) => boolean): Piece | undefined {
  const [line, next] = lineAt(text, position);
  const isOtherCall = /^[\s[(,;*>-]*(?:#?\w{1,40}\s*=\s*)?\w{1,100}\(\s*(?:\w{1,100}\s*=|["'{[\d])/.test(line);
  const callsTool = Array.from(line.matchAll(anyCall)).some(([, name = ""]) => isTool(name));
  // "SendMail: Ann" may be a call in yet another form.
  const [, first = ""] = /^[\s\d.)*>-]*([A-Za-z_][\w.]{0,99})/.exec(line) ?? [];
  return isOtherCall || callsTool || isTool(first) ? undefined : { next };
}

/** The rest of a line, and where the next one starts. */
function lineAt(text: string, position: number): readonly [line: string, next: number] {
  const newline = text.indexOf("\n", position);
  const end = newline === -1 ? text.length : newline;
  return [text.slice(position, end), end + 1];
}

const maxEnding = 200;

/** Where the bracket at a place is closed, before another place; quotes hide brackets. */
function closing(text: string, start: number, before: number): number | undefined {
  let depth = 0;
  for (let index = start; index < before && index < text.length; index++) {
    const sign = text.charAt(index);
    if (sign === '"' || sign === "'") index = quoteEnd(text, index);
    else if ("([{".includes(sign)) depth++;
    else if (")]}".includes(sign) && --depth === 0) return index;
  }
  return undefined;
}

function quoteEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== text[start]) index += text[index] === "\\" ? 2 : 1;
  return index;
}

/** Arguments with names as an object; one without a name as it is, for a tool that takes just one. */
async function readArguments(inside: string): Promise<unknown> {
  const text = inside.trim();
  if (text === "") return {};
  const parts = splitArguments(text);
  const named = parts.map((part) => /^([A-Za-z_]\w*)\s*=(?!=)\s*(.*)$/s.exec(part.trim()));
  if (named.every((one) => one !== null)) {
    const members = named.map(([, key, value = ""]) => `${JSON.stringify(key)}: ${value.replace(/^f(?=["'])/, "")}`);
    const value = await repaired(`{${members.join(", ")}}`);
    return isRecord(value) && Object.keys(value).length === parts.length ? value : undefined;
  }
  if (parts.length > 1 || named[0] !== null) return undefined;
  return /^["'{[\d]/.test(text) ? repaired(text) : undefined;
}

function splitArguments(text: string): readonly string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    const sign = text.charAt(index);
    if (sign === '"' || sign === "'") index = quoteEnd(text, index);
    else if ("([{".includes(sign)) depth++;
    else if (")]}".includes(sign)) depth--;
    else if (sign === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)].filter((part) => part.trim() !== "");
}

/** Values with single quotes, `True` and `None` as those of JSON. */
async function repaired(text: string): Promise<unknown> {
  const { jsonrepair } = await countPending(import("jsonrepair"));
  try {
    return parseJson(jsonrepair(text));
  } catch {
    return undefined;
  }
}
