import { estimateTokens } from "../core/language-model.ts";
import type { RequestThread, ThreadThing } from "../core/planner.ts";
import { idOf, isSameThing, type KnownThing } from "./focus.ts";
import { describeThing } from "./say-thing.ts";
import { openInput } from "./things.ts";
import type { ThreadLine } from "./thread-line.ts";

const maxThings = 6;
const maxLine = 40;
const maxCall = 80;
/** All lines that a small model is shown, without what explains them. */
const maxTokens = 66;
/** The sign of a thing, and the end of its line. */
const tokensOfSign = 2;

/** What a model is shown of a thread; undefined if there is nothing. */
export function showThread(line: ThreadLine): RequestThread | undefined {
  const { focus, references, turn } = line;
  const [step] = focus.last;
  const call = step && `${step.tool} ${JSON.stringify(openInput(turn.tools, step))}`;
  const last = call === undefined ? undefined : oneLine(call, maxCall);
  let room = maxTokens - estimateTokens(last ?? "");
  const all = [...references.flatMap(({ things }) => things), ...focus.things];
  const known = new Map(all.filter(({ isGone }) => !isGone).map((thing) => [idOf(thing), thing]));
  const things = [...known.values()].slice(0, maxThings).flatMap((thing) => {
    const text = oneLine(describeThing(thing), maxLine);
    room -= estimateTokens(text) + tokensOfSign;
    return room < 0 ? [] : [toThreadThing(thing, text, line)];
  });
  return things.length === 0 && last === undefined ? undefined : { things, last };
}

/** What an output says stays data: it can make no line of its own. */
function oneLine(text: string, length: number): string {
  return text.replace(/\s+/g, " ").slice(0, length).toWellFormed();
}

function toThreadThing(thing: KnownThing, text: string, line: ThreadLine): ThreadThing {
  const { keyField, key, keyInputs, label, labelField, runId, stepId, path } = thing;
  const own = line.references
    .filter(({ things: [only, ...others], isOpen }) => {
      return !isOpen && only !== undefined && others.length === 0 && isSameThing(only, thing);
    })
    .map((reference) => ({ ...reference, said: line.textOf(reference) }));
  const isNamed = ({ how, said }: (typeof own)[number]) =>
    how === "name"
      ? said.toLowerCase().includes((label ?? String(key)).toLowerCase())
      : how === "place" || how === "others";
  const named = own.find(isNamed);
  const said = (named ?? own[0])?.said;
  const from = { runId, stepId, path };
  return { text, keyField, key, keyInputs, label, labelField, said, isNamed: named !== undefined, from };
}
