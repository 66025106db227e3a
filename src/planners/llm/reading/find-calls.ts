import { setOwn } from "../../../core/json.ts";
import { functionCalls } from "./function-calls.ts";
import { parseJson } from "./parse-json.ts";
import { isRecord, type JsonRecord } from "./records.ts";
import { topLevelPieces, withoutThinking } from "./recover-json.ts";

/*
 * Calls that are not written as JSON steps: models were trained on many forms. They are read only where all of an answer's
 * calls are understood, and nothing in it looks like a result that nobody has.
 */

/** The calls in an answer, in order, as steps whose keys are `tool`, `input` and perhaps `id`; undefined if there are none. */
export async function findCalls(
  answer: string,
  isTool: (text: string) => boolean,
): Promise<readonly JsonRecord[] | undefined> {
  // `[TOOL_CALLS]Tool[ARGS]{ … }`: the brackets of such tokens are no lists.
  const text = withoutThinking(answer).replace(/\[\/?[A-Z][A-Z_]{2,30}\]/g, " ");
  if (text.length > maxLength || /^[ \t>*-]*observation[ \t]*:/im.test(text)) return undefined;
  return taggedCalls(text, isTool) ?? namedObjects(text, isTool) ?? (await functionCalls(text, isTool));
}

/** No plan is longer. */
const maxLength = 100_000;

const attribute = String.raw`(?:\s+name\s*=\s*["']([^"'<>]{1,200})["']|=([^\s<>]{1,200}))`;
/** `<invoke name="Tool">`, `<function=Tool>`, and `<tool_call>Tool` before an `<arg_key>`. */
const callTag = new RegExp(
  String.raw`<((?:\w{1,20}:)?(?:invoke|function|tool|call))${attribute}\s*>|<(tool_call)>\s*([\w.:-]{1,200})\s*(?=<arg_key>)`,
  "g",
);
/** `<parameter name="key">`, `<parameter=key>`, `<arg_key>key</arg_key><arg_value>`. */
const valueTag = new RegExp(
  String.raw`<((?:\w{1,20}:)?parameter)${attribute}[^<>]{0,100}>|<arg_key>([^<>]{1,200})</arg_key>\s*<(arg_value)>`,
  "g",
);

/** Calls as elements with an element for each value. */
function taggedCalls(text: string, isTool: (text: string) => boolean): readonly JsonRecord[] | undefined {
  const calls: JsonRecord[] = [];
  const elements = elementsIn(text, callTag, ([, tag, quoted, plain, other, name]) => [
    tag ?? other,
    quoted ?? plain ?? name,
  ]);
  for (const { name: tool, inside } of elements?.found ?? []) {
    const values = elementsIn(inside, valueTag, ([, tag, quoted, plain, key, other]) => [
      tag ?? other,
      quoted ?? plain ?? key,
    ]);
    if (!isTool(tool) || values === undefined || values.rest.trim() !== "") return undefined;
    const input: Record<string, unknown> = {};
    for (const { name, inside: value } of values.found) setOwn(input, name, value.trim());
    calls.push({ tool, input });
  }
  return calls.length > 0 ? calls : undefined;
}

interface Element {
  readonly name: string;
  readonly inside: string;
}

/** The elements in a text, and the text around them; undefined if one has no end. One pass. */
function elementsIn(
  text: string,
  start: RegExp,
  tagAndName: (match: RegExpExecArray) => readonly [tag: string | undefined, name: string | undefined],
): { readonly found: readonly Element[]; readonly rest: string } | undefined {
  const found: Element[] = [];
  const open = new RegExp(start);
  let rest = "";
  let from = 0;
  for (let match = open.exec(text); match !== null; match = open.exec(text)) {
    const [tag = "", name = ""] = tagAndName(match);
    const close = `</${tag}>`;
    const end = text.indexOf(close, open.lastIndex);
    if (end === -1) return undefined;
    rest += text.slice(from, match.index);
    found.push({ name: name.trim(), inside: text.slice(open.lastIndex, end) });
    from = end + close.length;
    open.lastIndex = from;
  }
  return { found, rest: rest + text.slice(from) };
}

/** What stands between the name of a tool and its input: signs, tokens of a model's own, words such as "Action Input". */
const connection =
  /^(?:[\s:>|=([`"'*,-]|<[|｜][^<>]{1,60}[|｜]>|:\d+|(?:action[ _]?)?(?:input|arguments|args|parameters|params)\b|json\b|with\b)*$/i;
const word = /[A-Za-z_][\w.:-]*\w|[A-Za-z_]/g;
/** The name that a model gives to a call: `#E1 = `, `1. `, `s1: `. */
const labelBefore = /^[ \t>*-]*(#?[A-Za-z]{0,10}\d{1,3})\s*(?:[.)]|[=:])\s*$/;

/** Objects that each stand behind the name of a tool. */
function namedObjects(text: string, isTool: (text: string) => boolean): readonly JsonRecord[] | undefined {
  const calls: JsonRecord[] = [];
  let from = 0;
  for (const piece of topLevelPieces(text)) {
    const start = text.indexOf(piece, from);
    const before = text.slice(from, start);
    from = start + piece.length;
    const value = parseJson(piece);
    const [only, ...others] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    const name = nameAtEnd(before, isTool);
    if (!isRecord(only) || others.length > 0 || name === undefined) return undefined;
    const line = before.slice(before.lastIndexOf("\n", name.index) + 1, name.index);
    const [, id] = labelBefore.exec(line) ?? [];
    calls.push({ ...(id !== undefined && { id }), tool: name.text, input: only });
  }
  // Behind the last one, another call may be written in another form.
  const isAll = !Array.from(text.slice(from).matchAll(word)).some(([written]) => isTool(written));
  return calls.length > 0 && isAll ? calls : undefined;
}

/** The name of a tool that ends a text, but for what connects it to its input. */
function nameAtEnd(
  text: string,
  isTool: (text: string) => boolean,
): { readonly text: string; readonly index: number } | undefined {
  const found = [...text.matchAll(word)]
    .map(({ 0: written, index }) => ({ text: written.replace(/:\d+$/, ""), index }))
    .filter((one) => isTool(one.text))
    .at(-1);
  return found !== undefined && connection.test(text.slice(found.index + found.text.length)) ? found : undefined;
}
