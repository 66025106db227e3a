import { describeStep } from "../../core/describe-step.ts";
import type { JsonObject } from "../../core/json.ts";
import { schemasAt, typesOf } from "../../core/json-schema.ts";
import type { PlanStep } from "../../core/plan.ts";
import { parseWith } from "../../core/schema.ts";
import { hasSensitive } from "../../core/sensitive.ts";
import { cutText } from "../../core/text.ts";
import type { DefinedTool, EarlierPhrases } from "../../core/tool.ts";
import { findReferences, parseReference } from "../../plan/reference.ts";
import { type MatchInput, textBetween } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import { type ClauseInputs, type EarlierResult, planClause } from "./plan-clause.ts";
import type { Unfit } from "./slot-values.ts";
import type { ToolRules } from "./tool-rules.ts";

/** The steps of a plan, and which of them each match made. */
export interface MadeSteps {
  readonly ok: true;
  readonly steps: readonly PlanStep[];
  readonly stepIds: readonly (readonly string[])[];
}

/** A match that makes no valid step in its place. */
export interface UnmadeSteps {
  readonly ok: false;
  readonly match: PhraseMatch;
  readonly unfit: Unfit;
}

/** How many earlier steps "it" may refer to. */
const maxLookBack = 16;
const maxReasoning = 300;

interface DraftStep {
  readonly id: string;
  readonly rules: ToolRules;
  readonly input: JsonObject;
  readonly reasoning: string;
}

/** What comes before a match. */
interface Earlier {
  readonly drafts: readonly DraftStep[];
  readonly before: EarlierPhrases | undefined;
}

/** Makes the steps of matches in their order, now that the results before each are known. */
export async function makeSteps(
  matches: readonly PhraseMatch[],
  input: MatchInput,
  describe: (match: PhraseMatch, stepInput: JsonObject) => string,
): Promise<MadeSteps | UnmadeSteps> {
  const drafts: DraftStep[] = [];
  const stepIds: string[][] = [];
  const asked = new Map<ToolRules, EarlierPhrases>();
  for (const match of matches) {
    const before = asked.get(match.rules);
    const pending = planWithResults(match, input, { drafts, before });
    const planned = pending instanceof Promise ? await pending : pending;
    if (!planned.ok) return { ok: false, match, unfit: planned };
    const made = planned.inputs.map((stepInput, index) => {
      const reasoning = describe(match, stepInput);
      return { id: `s${drafts.length + index + 1}`, rules: match.rules, input: stepInput, reasoning };
    });
    drafts.push(...made);
    const results = made.map(({ id }) => ({ $ref: id + match.rules.resultPath }));
    const last = made.at(-1)?.input ?? {};
    asked.set(match.rules, { input: last, results: [...(before?.results ?? []), ...results].slice(-maxLookBack) });
    stepIds.push(made.map(({ id }) => id));
  }
  const dependencies = chainSteps(drafts.map(({ id, rules, input }) => ({ id, tool: rules.tool, input })));
  const steps = drafts.map(({ id, rules, input, reasoning }, index): PlanStep => {
    const step = { id, tool: rules.tool.name, input, dependsOn: dependencies[index] ?? [] };
    // The words of the request are where a secret comes from.
    return hasSensitive(rules.tool.inputSchema) ? step : { ...step, reasoning };
  });
  return { ok: true, steps, stepIds };
}

/** Tries the results of the steps before, the nearest first: "it" is the last one that fits. */
function planWithResults(
  match: PhraseMatch,
  input: MatchInput,
  { drafts, before }: Earlier,
): ClauseInputs | Unfit | Promise<ClauseInputs | Unfit> {
  const earlier = drafts.slice(-maxLookBack).reverse();
  if (earlier.length === 0) return planClause(match, input, undefined);
  let first: Unfit | undefined;
  for (const [index, { id, rules }] of earlier.entries()) {
    const result: EarlierResult = { reference: { $ref: id + rules.resultPath }, tool: rules.tool, before };
    const planned = planClause(match, input, result);
    if (planned instanceof Promise)
      return planned.then((ready) => tryOthers(ready, match, input, { drafts: drafts.slice(0, -1 - index), before }));
    const checked = checkTexts(planned, rules, id);
    if (checked.ok) return checked;
    first ??= checked;
  }
  return first ?? { ok: false };
}

async function tryOthers(ready: ClauseInputs | Unfit, match: PhraseMatch, input: MatchInput, earlier: Earlier) {
  if (ready.ok || earlier.drafts.length === 0) return ready;
  const other = await planWithResults(match, input, earlier);
  return other.ok ? other : ready;
}

/** Refuses a result that is an object or a list within a text: nobody wants that in a title. */
function checkTexts(planned: ClauseInputs | Unfit, { schemas, tool }: ToolRules, id: string): ClauseInputs | Unfit {
  if (!planned.ok || schemas.output === undefined) return planned;
  for (const { kind, text } of planned.inputs.flatMap((input) => findReferences(input))) {
    const reference = parseReference(text);
    if (kind !== "text" || reference === undefined) continue;
    const types = typesOf(schemasAt(schemas.output, reference.path) ?? [{}]);
    if (types !== undefined && (types.has("object") || types.has("array"))) {
      return { ok: false, reason: `the result of ${id} (${tool.name}) is not a single value` };
    }
  }
  return planned;
}

/** What a step does, as its tool says it, or else the words its match took, as a sentence of their own. */
export function reasoningOf(match: PhraseMatch, input: MatchInput, stepInput: JsonObject): string {
  const said = describeStep(match.rules.tool, stepInput);
  const text = said ?? textBetween(input, match.start, match.end).replace(/\s+/g, " ");
  const short = cutText(text, maxReasoning);
  return short.charAt(0).toUpperCase() + short.slice(1);
}

/** A step whose dependencies are not known yet. */
interface UnchainedStep {
  readonly id: string;
  readonly tool: DefinedTool;
  readonly input: JsonObject;
}

/**
 * What each step waits for: the steps whose results it uses, and earlier steps of the same tool, unless both are
 * `pure`, as the steps of one tool work on the same things. Steps that one of these already waits for are left out.
 */
function chainSteps(steps: readonly UnchainedStep[]): readonly (readonly string[])[] {
  const order = new Map(steps.map(({ id }, index) => [id, index]));
  const chains = new Map<DefinedTool, Chain>();
  return steps.map(({ id, tool, input }) => {
    const used = findReferences(input).map(({ reference }) => reference?.stepId ?? "");
    const chain = chains.get(tool) ?? { lastChange: undefined, reads: [] };
    chains.set(tool, chain);
    const waitsFor = new Set([...used.filter((step) => order.has(step)), ...link(chain, id, isPureStep(tool, input))]);
    return [...waitsFor].sort((left, right) => (order.get(left) ?? 0) - (order.get(right) ?? 0));
  });
}

/** The last step of a tool that is not pure, and the pure ones since. */
interface Chain {
  lastChange: string | undefined;
  reads: string[];
}

function link(chain: Chain, id: string, isPure: boolean): readonly string[] {
  const { lastChange, reads } = chain;
  const change = lastChange === undefined ? [] : [lastChange];
  if (isPure) {
    reads.push(id);
    return change;
  }
  chain.lastChange = id;
  chain.reads = [];
  return reads.length > 0 ? reads : change;
}

/** Whether a step has no effect. If that depends on an input that is not known yet, it is assumed to have one. */
export function isPureStep(tool: DefinedTool, input: JsonObject): boolean {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect === "pure";
  if (findReferences(input).length > 0) return false;
  const parsed = parseWith(tool.inputSchema, input);
  return !(parsed instanceof Promise) && parsed.ok && tool.effect(parsed.value) === "pure";
}
