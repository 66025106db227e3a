import { estimateTokens } from "../core/language-model.ts";
import type { RequestThread, ThreadThing } from "../core/planner.ts";
import { idOf, isSameThing, type KnownThing } from "./focus.ts";
import { onOneLine } from "./say-output.ts";
import { describeThing } from "./say-thing.ts";
import { openInput } from "./things.ts";
import type { ThreadLine } from "./thread-line.ts";

const maxThings = 6;
const maxLine = 40;
const maxCall = 80;
const maxTokens = 80;

export function showThread(line: ThreadLine): RequestThread | undefined {
  const { focus, references, turn } = line;
  const all = [...references.flatMap(({ things }) => things), ...focus.things];
  const known = new Map(all.filter(({ isGone }) => !isGone).map((thing) => [idOf(thing), thing]));
  const [step] = focus.last;
  if (step === undefined && known.size === 0) return undefined;
  const call = step && `last: ${step.tool} ${JSON.stringify(openInput(turn.tools, step))}`;
  const last = call === undefined ? [] : [onOneLine(call, maxCall)];
  const things: ThreadThing[] = [];
  let lines: readonly string[] = last;
  for (const thing of [...known.values()].slice(0, maxThings)) {
    const text = onOneLine(describeThing(thing), maxLine);
    const signs = [...things.map((each) => each.text), text].map((each, at) => `@${at + 1} ${each}`);
    const longer = ['Write "@1" for the first of:', ...signs, ...last];
    if (estimateTokens(longer.join("\n")) > maxTokens) break;
    things.push(toThreadThing(thing, text, line));
    lines = longer;
  }
  return { things, lines };
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
