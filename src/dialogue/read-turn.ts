import { AgentError } from "../core/errors.ts";
import type { PlanStep } from "../core/plan.ts";
import { callsTool } from "../core/step.ts";
import type { Turn, TurnRequest } from "../core/turn.ts";
import { markOfQuestion } from "../language/refusals.ts";
import { toSingular } from "../language/word-forms.ts";
import { type Planned, Refused } from "../planners/rules/plan-by-rules.ts";
import { readAbout } from "./about-done.ts";
import { answerTo, readAnswer, takesAnything } from "./answers.ts";
import { askAfter } from "./ask.ts";
import { planTurn } from "./draft-turn.ts";
import { askMissing, readGaps } from "./gaps.ts";
import { openQuestion } from "./questions.ts";
import { readAgain, readWithoutReasons } from "./read-again.ts";
import { readChange } from "./read-change.ts";
import { readLookUp } from "./read-look.ts";
import { readPhrases } from "./read-phrases.ts";
import { continuesSum, readOtherSum, readResultInText, readSum } from "./read-sums.ts";
import { doubtLook, lookFirst, readUnknown, readUnknownAbout } from "./read-unknown.ts";
import { showThread } from "./show-thread.ts";
import { ThreadLine } from "./thread-line.ts";
import { readUndo } from "./undo-line.ts";
import { isLaughter } from "./wish.ts";

export { askAfter, readAnswer };

/** Reads a line in its thread. The planner gets a line unchanged if it needs no thread or is not understood. */
export async function readTurn(turn: TurnRequest): Promise<Turn> {
  const line = await ThreadLine.of(turn);
  const exact = await line.planning.planExactly(turn.request);
  const asked = openQuestion(turn);
  const isOpen = asked !== undefined && takesAnything(asked);
  const answer = asked && !isOpen ? answerTo(asked, line) : undefined;
  const own = answer ?? readAlone(line, exact) ?? (asked && (await readGaps(line, asked)));
  if (own !== undefined) return own;
  const found = await readInThread(line, exact instanceof Refused && exact.reason === "small-talk");
  if (found !== undefined) return lookFirst(line, doubtLook(line, found));
  const alone = await line.planning.planLoosely(turn.request, exact);
  const loose = readAlone(line, alone);
  if (loose !== undefined) return loose;
  const isAlone = !(alone instanceof Refused);
  const misread = isAlone ? line.misreadPlace(alone.steps) : undefined;
  if (misread !== undefined) throw unclear(`"${line.textOf(misread)}" is a place in the list that was shown`);
  if (isAlone && continuesSum(line, alone.steps)) throw unclear(`"${line.request.words[0]}" continues the last sum`);
  const isNew = isAlone || alone.reason === "missing" || line.asks;
  const text = isOpen && !isNew ? answerTo(asked, line) : undefined;
  return text ?? { status: "request", ...(!isAlone && { thread: showThread(line) }) };
}

/** Reads a plan made without the thread, unless the line continues a sum or points back. */
function readAlone(line: ThreadLine, planned: Planned | Refused): Turn | undefined {
  if (planned instanceof Refused || continuesSum(line, planned.steps) || pointsBack(line, planned.steps))
    return undefined;
  return confirmWider(line, planned) ?? readResultInText(line, planned.steps) ?? { status: "request" };
}

/** Asks before a call that empties more than the last list: "remove the finished ones" may mean only that list. */
function confirmWider({ focus, request, rules }: ThreadLine, { steps, matches }: Planned): Turn | undefined {
  const { container } = focus;
  const isGrave = matches.some(({ rule }) => rule.source.destructive === true);
  if (container === undefined || !isGrave || !request.words.some((word) => /^(?:ones|them|those|these|it)$/.test(word)))
    return undefined;
  const calls = steps.filter(callsTool).flatMap(({ tool, input }) => {
    const own = rules.find((each) => each.tool.name === tool);
    return own === undefined ? [] : [{ rules: own, input, doubt: "grave" as const }];
  });
  const isWider = calls.some(({ rules: { tool }, input }) => {
    const field = container.keyInputs.get(tool.name);
    return field !== undefined && input[field] === undefined && Object.keys(input).length <= 2;
  });
  return isWider ? planTurn(calls) : undefined;
}

async function readInThread(line: ThreadLine, isTalk: boolean): Promise<Turn | undefined> {
  const { words } = line.request;
  const isThanks = thanks.test(words[0] ?? "") && line.references.length + line.request.marks.length === 0;
  if (isTalk || isThanks || isLaughter(words, 0, words.length))
    return declined(line) ?? { status: "words", text: answerTalk(words) };
  // "Wig 3 is ready?" changes nothing.
  if (line.wish !== undefined && markOfQuestion(words, line.wish.start, line.wish.end) !== undefined)
    return readAbout(line) ?? (await readLookUp(line));
  return (
    readUndo(line) ??
    readAbout(line) ??
    (await readChange(line)) ??
    (await readPhrases(line)) ??
    (await readAgain(line)) ??
    readSum(line) ??
    readOtherSum(line) ??
    (await readWithoutReasons(line)) ??
    (await readUnknownAbout(line)) ??
    (await readLookUp(line)) ??
    (await readUnknown(line)) ??
    askMissing(line)
  );
}

function unclear(known: string): AgentError<"cannot-plan"> {
  const message = `${known}, but the rest of the line is not understood; say it in other words.`;
  return new AgentError("cannot-plan", message, { details: { reason: "unbound", examples: [] } });
}

/** Reads "never mind" after a question that takes any text. */
function declined(line: ThreadLine): Turn | undefined {
  const asked = openQuestion(line.turn);
  const turn = asked && answerTo(asked, line);
  return turn?.status === "decline" ? turn : undefined;
}

/** True if a line that can be planned alone refers to a place in a list, the list itself, or another tool's thing. */
function pointsBack({ references, request }: ThreadLine, steps: readonly PlanStep[]): boolean {
  return references.some(({ how, start, end, things: [thing] }) => {
    if (how !== "name" || thing === undefined) return how !== "name" && how !== "pronoun";
    const isKind = request.words.slice(start, end).some((word) => toSingular(word) === thing.kind);
    return thing.isContainer === true || (isKind && steps.every(({ tool }) => !thing.keyInputs.has(tool ?? "")));
  });
}

const thanks = /^(?:thanks?|cheers|appreciate\w*)$/;

function answerTalk(words: readonly string[]): string {
  return words.some((word) => thanks.test(word)) ? "You’re welcome." : "All right.";
}
