import { endOfString } from "../../core/json.ts";
import { maxAnswerLength } from "../../core/language-model.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { stepsFrom } from "../../plan/check-draft.ts";
import type { PlanLanguage } from "../../plan/expressions.ts";
import { checkOnce } from "../../plan/validate-plan.ts";
import { waitsOf } from "../rules/steps.ts";
import { type Operation, operationOf } from "./operations.ts";
import { unclear, type WrittenCall } from "./prompt.ts";
import { type CallScope, type EarlierStep, readCall } from "./read-calls.ts";

export interface AnswerScope extends CallScope {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly tools: ReadonlyMap<string, DefinedTool>;
  readonly kept: readonly PlanStep[];
  readonly idOf: (index: number) => string;
  readonly maxSteps: number;
  readonly expressions: boolean;
  readonly language: PlanLanguage;
  readonly maxCalls: number;
  readonly isUnasked: (step: EarlierStep) => boolean;
  readonly isOpposite: (operation: Operation) => boolean;
}

export type CheckedAnswer =
  | { readonly type: "plan"; readonly steps: readonly PlanStep[]; readonly made: readonly EarlierStep[] }
  | { readonly type: "refusal" }
  | { readonly type: "problem"; readonly code: "no-json" | "invalid-plan"; readonly problems: readonly string[] };

const maxWordLength = 50;
const maxNames = 20;

export async function checkAnswer(text: string, scope: AnswerScope): Promise<CheckedAnswer> {
  if (text.length > maxAnswerLength) return noJson(`The answer is longer than ${maxAnswerLength} characters.`);
  const calls = callsIn(parseJson(jsonIn(text)));
  if (calls === undefined) return noJson('Expected a JSON object {"steps":[{"do":"…"}]}.');
  if (calls.some((call) => call.do === unclear)) return { type: "refusal" };
  const reader = new AnswerReader(scope);
  const problems: string[] = [];
  for (const [index, call] of calls.slice(0, scope.maxSteps + 1).entries()) {
    const problem = reader.add(call);
    if (problem !== undefined) problems.push(`steps.${index}: ${problem}`);
  }
  if (problems.length > 0) return { type: "problem", code: "invalid-plan", problems };
  if (reader.made.some(({ operation }) => scope.isOpposite(operation))) return { type: "refusal" };
  const { plan, issues } = await reader.checkPlan();
  const said = issues.map(({ path, message }) => `${path.join(".") || "the plan"}: ${message}`);
  if (plan === undefined) return { type: "problem", code: "invalid-plan", problems: said };
  return { type: "plan", steps: stepsFrom(plan, scope.kept.length), made: reader.made };
}

function noJson(problem: string): CheckedAnswer {
  return { type: "problem", code: "no-json", problems: [problem] };
}

function jsonIn(text: string): string {
  const answer = text.replace(/^\s*<think(?:ing)?>.*?<\/think(?:ing)?>/s, "").replace(/^\s*```\w*\n/, "");
  let depth = 0;
  for (let at = 0; at < answer.length; at++) {
    const character = answer.charAt(at);
    if (character === '"') at = endOfString(answer, at);
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0)
      return answer.includes("{", at) ? answer : answer.slice(0, at + 1);
  }
  return answer;
}

export function isCall(call: unknown): call is WrittenCall {
  return typeof (call as { do?: unknown } | null)?.do === "string";
}

function callsIn(value: unknown): readonly WrittenCall[] | undefined {
  const { steps } = (value ?? {}) as { readonly steps?: unknown };
  const calls = Array.isArray(steps) ? steps.map(asCall) : [];
  return calls.length > 0 && calls.every(isCall) ? calls : undefined;
}

/** Accepts `{ "tool": "Refund", "input": { "invoice": 4 } }`, which many models write. */
function asCall(step: unknown): unknown {
  const { tool, input = {} } = (step ?? {}) as { readonly tool?: unknown; readonly input?: unknown };
  const isOther = !isCall(step) && typeof tool === "string" && typeof input === "object";
  return isOther ? { ...input, do: tool } : step;
}

type Expressions = { when?: string; forEach?: string };

export class AnswerReader {
  readonly made: (EarlierStep & { readonly extra: Expressions })[] = [];

  constructor(private readonly scope: AnswerScope) {}

  add(call: WrittenCall): string | undefined {
    const { operations, earlier, idOf, wish, things } = this.scope;
    const operation = operations.get(call.do) ?? operationOf([...operations.values()], call.do, call);
    if (operation === undefined) {
      const known = [...operations.keys()].slice(0, maxNames).join(", ");
      return `unknown call ${JSON.stringify(call.do.slice(0, maxWordLength))}; expected ${known} or ${unclear}`;
    }
    const before = [...earlier, ...this.made];
    const read = readCall(call, operation, { wish, things, earlier: before });
    if (typeof read === "string") return read;
    const extra = this.#expressionsOf(call, before);
    if (typeof extra === "string") return extra;
    const { taken } = read;
    for (const input of read.inputs) this.made.push({ id: idOf(this.made.length), input, operation, extra, taken });
    return undefined;
  }

  steps(): readonly PlanStep[] {
    const { earlier } = this.scope;
    const toCall = ({ id, input, operation }: EarlierStep) => ({ id, input, tool: operation.rules.tool });
    const waits = waitsOf([...earlier, ...this.made].map(toCall)).slice(earlier.length);
    return this.made.map(({ id, input, operation, extra }, index) => ({
      ...{ id, tool: operation.rules.tool.name, input, dependsOn: waits[index] ?? [] },
      ...extra,
    }));
  }

  checkPlan() {
    const { kept, tools, maxSteps, language: expressions } = this.scope;
    const scope = { tools, maxSteps: maxSteps + kept.length, expressions };
    return checkOnce({ steps: [...kept, ...this.steps()] }, scope);
  }

  #expressionsOf(call: WrittenCall, before: readonly EarlierStep[]): Expressions | string {
    if (!this.scope.expressions) return {};
    const found: Expressions = {};
    for (const key of ["if", "each"] as const) {
      const written = call[key];
      if (typeof written !== "string" || written === "") continue;
      let isKnown = true;
      found[key === "if" ? "when" : "forEach"] = written.replace(/\$(\d+|item|index)/g, (_, place: string) => {
        if (!/^\d/.test(place)) return place;
        const id = before[Number(place) - 1]?.id;
        isKnown &&= id !== undefined;
        return id ?? place;
      });
      if (!isKnown) return `"${key}" names a step that does not come before this one`;
    }
    return found;
  }
}

/** Code that walks a plan recurses once per level. */
const maxDepth = 100;

export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, maxDepth) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeper(item, depth - 1));
}
