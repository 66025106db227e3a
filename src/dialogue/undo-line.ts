import { canonicalJson, type JsonValue } from "../core/json.ts";
import { only } from "../core/lists.ts";
import type { Turn } from "../core/turn.ts";
import { auxiliaries } from "../english/word-classes.ts";
import { toStepInput } from "../planners/rules/steps.ts";
import { type MeantCall, planTurn } from "./draft-turn.ts";
import { type DoneStep, isSameThing, type KnownThing, lastChange, takesKey, thingOf } from "./focus.ts";
import { openQuestion } from "./questions.ts";
import type { ThreadLine } from "./thread-line.ts";
import { isMark } from "./wish.ts";

const interjections =
  "(?:(?:no+|nope|wait|o+h|oops|please|sorry|actually|hang on|a+h|h+m+|u+[hm]+|ugh|damn|nvm|well|ok|okay|but|wrong one|(?:can|could|would) you) )*";
const verb = new RegExp(
  `^${interjections}(?:undo|revert|take back|reverse|roll back|bring back|(?:take|put|change|bring) (?=(?:\\S+ ){0,6}?back(?: |$))|` +
    "(?:move|set|turn|switch) (?=(?:\\S+ ){0,6}?back (?:to )?(?:where|how|the way|as|what) )|i (?:have|did) not(?: (?:yet|do (?:it|that)))?$)\\b",
);
/** Clauses before an undo that only tell something: "Oh no, I still need it." */
const told = new RegExp(`^(?:${interjections}(?:(?:i|we|he|she|they|it) [^.,!?;]*)?[.,!?;] )*$`);
/** "It is not done yet, he only did the sink". */
const denial = new RegExp(
  `^${interjections}(?:(?:it|that|this|they|its) (?:(?:is|are|was|were|has|have|did) )?not(?: (?:yet|done|finished|in|ready|true|actually|really))*)` +
    "(?: (?:sorry|(?:that|he|she|they|i|we|it|there) .*))?$",
);
const rest =
  /^(?:that|it|this|them|those|these|they|him|her|the|last|one|change|again|please|step|for|back|move|all|of|just|to|where|how|way|as|what|was|were|had|been|before)$/;

/** Reads "undo that", "take it back" and "put haddad back where it was". */
export function readUndo(line: ThreadLine): Turn | undefined {
  const { focus, turn } = line;
  const { length } = line.request.words;
  const found =
    undoneBy(line, 0, length) ??
    undoneBy(line, line.wish?.start, line.wish?.end) ??
    undoneBy(line, lastClause(line), length) ??
    deniedBy(line);
  if (found === undefined) return undefined;
  const { thing } = found;
  const last = focus.steps.find(({ effect }) => effect !== "pure");
  const [newest] = turn.runs;
  if (thing === undefined && newest?.status === "suspended" && newest.runId !== last?.runId) {
    const asked = openQuestion(turn);
    if (asked?.runId === newest.runId) return { status: "decline", runId: asked.runId, stepId: asked.item.stepId };
    return { status: "words", text: "It has not been done yet." };
  }
  const run = thing === undefined ? last : lastChange(focus, thing)?.run;
  if (run === undefined) return { status: "words", text: "There is nothing to undo." };
  // To take back what took a change back would make the change again.
  const request = turn.runs.find(({ runId }) => runId === run.runId)?.request ?? "";
  if (thing === undefined && verb.test(request.toLowerCase()))
    return { status: "words", text: "That cannot be undone." };
  const changed = focus.steps.filter(({ runId, effect }) => runId === run.runId && effect !== "pure");
  const isWhole = thing === undefined || changed.length === 1;
  const mayUndo = changed.every((step) => turn.tools.find(({ name }) => name === step.tool)?.undo !== undefined);
  if (isWhole && mayUndo) return { status: "undo", runId: run.runId };
  const wanted = thing === undefined ? changed : changed.filter((step) => takesKey(step, thing));
  const calls = wanted.flatMap((step) => formerly(step, line) ?? []);
  const plan = calls.length === wanted.length ? planTurn(calls) : undefined;
  return plan ?? { status: "words", text: "That cannot be undone." };
}

/** Returns a result if the words between two tokens ask to undo something: a named thing, or else the last change. */
function undoneBy({ references, request }: ThreadLine, start = 0, end = 0): { thing?: KnownThing } | undefined {
  const words = request.words.slice(start, end).filter((word) => !isMark(word));
  const said = words.join(" ");
  const found = verb.exec(said);
  if (found === null) return undefined;
  // A title may hold "undo that".
  const from = start + (found[0].match(/\S+/g)?.length ?? 0);
  const named = references.filter(
    (each) => (each.how === "name" || each.how === "place") && (each.start >= from || each.end <= start),
  );
  const [thing, other] = named.flatMap(({ things }) => things);
  const nameWords = new Set(named.flatMap((each) => request.words.slice(each.start, each.end)));
  const left = said.slice(found[0].length).match(/\S+/g) ?? [];
  const isWhole = left.every((word) => rest.test(word) || nameWords.has(word));
  return isWhole && other === undefined ? { thing } : undefined;
}

/** Returns the start of the last clause if those before it only tell something: "I still need it. Bring it back". */
function lastClause({ request: { words } }: ThreadLine): number {
  const start = words.findLastIndex((word, at) => isMark(word) && at < words.length - 1) + 1;
  return told.test(`${words.slice(0, start).join(" ")} `) ? start : words.length;
}

/** Reads a denial of what the line before stated as done: "the milk is done", "no, it isn't". */
function deniedBy({ focus, references, request, turn }: ThreadLine): { thing?: KnownThing } | undefined {
  const [newest] = turn.runs;
  const [last] = focus.steps;
  if (last === undefined || last.effect === "pure" || last.runId !== newest?.runId) return undefined;
  const named = references.find(({ how }) => how === "name");
  const changed = only(focus.mentions[0]?.things ?? []);
  const thing = only(named?.things ?? []);
  if (named !== undefined && !(thing && changed && isSameThing(thing, changed))) return undefined;
  const words = named ? request.words.toSpliced(named.start, named.end - named.start, "it") : request.words;
  const said = words.filter((word) => !isMark(word)).join(" ");
  const stated = (newest.request ?? "").toLowerCase().split(" ");
  return denial.test(said) && stated.some((word) => auxiliaries.has(word)) ? {} : undefined;
}

/** Repeats the call with the values that the thing had before. */
export function formerly(step: DoneStep, { focus, rules: all }: ThreadLine): MeantCall | undefined {
  const rules = all.find(({ tool }) => tool.name === step.tool);
  const thing = thingOf(step, focus);
  const field = thing?.keyInputs.get(step.tool);
  const at = focus.mentions.findIndex(({ run, kind }) => run.runId === step.runId && kind === "changed");
  const earlier = focus.mentions.slice(at + 1).flatMap(({ things }) => things);
  const before = thing && earlier.find((each) => isSameThing(each, thing));
  if (rules === undefined || before === undefined) return undefined;
  const input: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(step.input)) {
    const former = name === field || name === rules.branch ? value : before.fields[name];
    if (former === undefined) return undefined;
    input[name] = former;
  }
  // "Close room 11" has no former values, so repeating it takes nothing back.
  if (canonicalJson(input) === canonicalJson(step.input)) return undefined;
  const planned = toStepInput(input, { schema: rules.schemas.input, known: [] });
  return planned && { rules, input: planned, thing };
}
