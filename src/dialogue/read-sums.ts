import { isHolder, type JsonObject, type JsonValue, mapItems } from "../core/json.ts";
import type { PlanStep, ReadValue } from "../core/plan.ts";
import { callsTool } from "../core/step.ts";
import { readNumber } from "../english/numbers.ts";
import { smallWords } from "../english/word-classes.ts";
import type { PhraseRule, ToolRules } from "../planners/rules/phrase-rules.ts";
import { type PlanTurn, planTurn } from "./draft-turn.ts";
import type { DoneStep } from "./focus.ts";
import type { ThreadLine } from "./thread-line.ts";
import { isMark } from "./wish.ts";

interface Result {
  readonly value: number;
  readonly from: ReadValue["from"];
}

const maxResults = 3;
const operators = /^(?:plus|minus|times|over|less|divided|multiplied)$/;

function resultsOf({ focus, rules }: ThreadLine): readonly Result[] {
  return focus.steps.flatMap((step) => numberOf(step, rules) ?? []).slice(0, maxResults);
}

function numberOf({ tool, output, runId, stepId }: DoneStep, rules: readonly ToolRules[]): Result | undefined {
  const name = rules.find((each) => each.tool.name === tool)?.resultPath.replace(/^\./, "") ?? "";
  const value = name === "" ? output : (output as JsonObject | null)?.[name];
  return typeof value === "number" ? { value, from: { runId, stepId, path: name === "" ? [] : [name] } } : undefined;
}

/** True if the line continues an earlier sum although it can be read alone: "plus 150 times 0.3", "add the two together". */
export function continuesSum(line: ThreadLine, steps: readonly PlanStep[]): boolean {
  const { words } = line.request;
  if (resultsOf(line).length === 0) return false;
  if (steps.every(({ tool }) => sumRulesOf(line, tool) !== undefined)) return operators.test(words[0] ?? "");
  const isLast = line.focus.last.some(({ tool }) => sumRulesOf(line, tool) !== undefined);
  const isPlain = (word: string, at: number) =>
    at === 0 || isMark(word) || word === "together" || smallWords.has(word) || readNumber(words, at) !== undefined;
  return (
    ((isLast && words.every(isPlain)) || words.some((word) => word === "%" || word === "percent")) &&
    readSum(line) !== undefined
  );
}

function sumRulesOf({ rules }: ThreadLine, tool: string | undefined): ToolRules | undefined {
  return rules.find((each) => each.tool.name === tool && each.rules.some(({ hasSum }) => hasSum));
}

/** Continues from the last result: "times 1.2". */
export function readSum(line: ThreadLine): PlanTurn | undefined {
  const results = [...resultsOf(line)].reverse();
  const [last] = results.slice(-1);
  if (last === undefined || line.wish === undefined) return undefined;
  const { end } = line.wish;
  for (const rules of line.rules)
    for (const rule of rules.rules.filter(({ hasSum, source }) => hasSum && source.toInput !== undefined))
      for (const start of new Set([0, line.wish.start])) {
        const said = line.textOf({ start, end });
        const input = inputOfSum(rule, { said, results, clock: line.request.clock });
        if (input === undefined) continue;
        const read = { path: ["variables"], said, text: `the last result, ${last.value}`, from: last.from };
        return planTurn([{ rules, input, read }]);
      }
  return undefined;
}

/** Returns undefined if the sum uses no earlier result. */
function inputOfSum(
  { source, slots }: PhraseRule,
  { said, results, clock }: { said: string; results: readonly Result[]; clock: ThreadLine["request"]["clock"] },
): JsonObject | undefined {
  const [slot = "sum"] = [...slots].find(([, { kind }]) => kind === "sum") ?? [];
  const references = results.map((_, index) => ({ $ref: `r${index}` }));
  const context = { previous: references.at(-1), before: { input: {}, results: references }, ...clock };
  const made = source.toInput?.({ [slot]: said }, context);
  let isUsed = false;
  const fill = (value: unknown): unknown => {
    if (!isHolder(value)) return value;
    const place = references.findIndex(({ $ref }) => $ref === (value as JsonObject).$ref);
    isUsed ||= place >= 0;
    return place >= 0 ? results[place]?.value : mapItems(value, fill);
  };
  const input = fill(made) as JsonObject | undefined;
  return isUsed ? input : undefined;
}

/** Repeats the last sum with another number: "and 20%?". */
export function readOtherSum(line: ThreadLine): PlanTurn | undefined {
  const [step] = line.focus.last;
  if (step === undefined || line.wish === undefined || line.wish.opening === "none") return undefined;
  const rules = sumRulesOf(line, step.tool);
  const said = line.textOf(line.wish).trim();
  const [, digits = "", percent] = /^(?:(?:of|for|with) )?(\d[\d,]*(?:\.\d+)?)\s*(%|percent)?$/i.exec(said) ?? [];
  const [slot = ""] = Object.keys(step.input);
  const expression = step.input[slot];
  if (rules === undefined || digits === "" || typeof expression !== "string") return undefined;
  const alike = percent === undefined ? /\d+(?:\.\d+)?(?![\d.]*%)/g : /\d+(?:\.\d+)?%/g;
  if (expression.match(alike)?.length !== 1) return undefined;
  const other = `${digits.replaceAll(",", "")}${percent === undefined ? "" : "%"}`;
  return planTurn([{ rules, input: { ...step.input, [slot]: expression.replace(alike, other) }, said }]);
}

const resultWords = /(?<=\S )(?:that much|that many|(?:that|the) (?:amount|total|sum|result|number))$/i;

/** Replaces words for the last result at the end of text values: "note the bill as that much". */
export function readResultInText(line: ThreadLine, steps: readonly PlanStep[]): PlanTurn | undefined {
  const [last] = line.focus.last.flatMap((step) => numberOf(step, line.rules) ?? []);
  if (last === undefined) return undefined;
  const read: ReadValue[] = [];
  const filled = steps.map((step) => {
    if (!callsTool(step)) return step;
    const fill = ([name, value]: readonly [string, JsonValue]) => {
      const [said] = (typeof value === "string" && resultWords.exec(value)) || [];
      if (said === undefined) return [name, value] as const;
      read.push({ stepId: step.id, path: [name], said, text: `the last result, ${last.value}`, from: last.from });
      return [name, String(value).replace(resultWords, String(last.value))] as const;
    };
    return { ...step, input: Object.fromEntries(Object.entries(step.input).map(fill)) };
  });
  return read.length === 0
    ? undefined
    : { status: "plan", draft: { steps: filled, source: { planner: "rules", read } } };
}
