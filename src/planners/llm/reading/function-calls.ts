import { countPending } from "../../../async/pending-work.ts";
import { parseJson } from "./parse-json.ts";
import { isRecord, type JsonRecord } from "./records.ts";

/** A line with nothing but a call: `Tool(key="value")`, `s1 = Tool(…)`, `1. Tool(…)`, `[Tool(…), Tool(…)]`. */
const beforeCall = /^[\s[(,;*>-]*(?:(#?\w{1,40})\s*(?:[=:]\s*|[.)]\s+))?(?:await\s+|print\()?$/;
const afterCall = /^[\s\]),;.]*$/;
const callStart = /([A-Za-z_#][\w.]*)(\(|\[)/g;
/** What ends a plan in some forms, and does nothing. */
const ending = /^(?:join|finish|end)$/i;

/**
 * Calls that are written as in a programming language, such as `Tool(key="value", count=2)`; undefined unless each line
 * that calls anything calls tools and nothing else.
 */
export async function functionCalls(
  text: string,
  isTool: (text: string) => boolean,
): Promise<readonly JsonRecord[] | undefined> {
  const calls: JsonRecord[] = [];
  let from = 0;
  callStart.lastIndex = 0;
  for (let match = callStart.exec(text); match !== null; match = callStart.exec(text)) {
    const [, name = "", bracket = ""] = match;
    const end = closing(text, match.index + name.length);
    const before = text.slice(lineStart(text, match.index, from), match.index);
    const isLine = beforeCall.test(before);
    const isEnding = ending.test(name) && isLine;
    if (!isTool(name) && !isEnding) {
      // Something else is called, which a plan would lose.
      if (isLine && bracket === "(" && /^\s*[\w"']+\s*=/.test(text.slice(match.index + match[0].length)))
        return undefined;
      continue;
    }
    if (end === undefined || !isLine || !isLineEnd(text, end + 1)) return undefined;
    callStart.lastIndex = end + 1;
    from = end + 1;
    if (isEnding) continue;
    const input = await readArguments(text.slice(match.index + match[0].length, end));
    if (input === undefined) return undefined;
    const [, id] = beforeCall.exec(before) ?? [];
    calls.push({ ...(id !== undefined && { id }), tool: name, input });
  }
  return calls.length > 0 ? calls : undefined;
}

function lineStart(text: string, index: number, from: number): number {
  return Math.max(from, text.lastIndexOf("\n", index - 1) + 1);
}

/** Whether nothing but signs follows in the line, up to the next call. */
function isLineEnd(text: string, index: number): boolean {
  const newline = text.indexOf("\n", index);
  const rest = text.slice(index, newline === -1 ? text.length : newline);
  const [next = rest] = rest.split(/[A-Za-z_#][\w.]*[([]/, 1);
  return afterCall.test(next) || beforeCall.test(next);
}

/** Where the bracket at a place is closed; quotes hide brackets. */
function closing(text: string, start: number): number | undefined {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
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
