import type { JsonObject } from "../core/json.ts";
import type { QuestionOption, ReadValue } from "../core/plan.ts";
import { chooseFrom, yesOrNo } from "../core/question.ts";
import type { Turn } from "../core/turn.ts";
import type { DateClock } from "../dates/read-dates.ts";
import { sayNames } from "../plan/say-call.ts";
import type { ToolRules } from "../planners/rules/phrase-rules.ts";
import { sayStep } from "../planners/rules/say.ts";
import { waitsOf } from "../planners/rules/steps.ts";
import type { KnownThing } from "./focus.ts";
import { asking, ifAnswered } from "./questions.ts";
import { describeThing, sayThing } from "./say-thing.ts";

export interface MeantCall {
  readonly rules: ToolRules;
  readonly input: JsonObject;
  readonly thing?: KnownThing | undefined;
  readonly said?: string | undefined;
  readonly read?: Omit<ReadValue, "stepId"> | undefined;
  /** Reason to ask first. `grave`: the call may empty more than was meant. `meant`: another call may be meant. */
  readonly doubt?: "grave" | "meant" | undefined;
}

export type PlanTurn = Extract<Turn, { readonly status: "plan" }>;

const maxOptions = 10;

export function planTurn(calls: readonly MeantCall[]): PlanTurn | undefined {
  if (calls.length === 0) return undefined;
  const { steps, source } = toSteps(calls);
  const doubt = calls.find((call) => call.doubt !== undefined)?.doubt;
  if (doubt === undefined) return { status: "plan", draft: { steps, source } };
  const said = steps.map(({ tool, input }) => {
    const own = calls.find(({ rules }) => rules.tool.name === tool)?.rules.tool;
    return (own && sayStep(own, input)) ?? sayNames(tool, input);
  });
  const all = said.join(", then ");
  const question = yesOrNo(doubt === "grave" ? `Really ${all}?` : `Did you mean “${all}”?`);
  return { status: "plan", draft: asking([question], ifAnswered(steps), source) };
}

/** Asks which of several things are meant; the calls for the chosen things then run. */
export function askWhich(
  things: readonly KnownThing[],
  calls: readonly (readonly MeantCall[])[],
  clock: DateClock,
): PlanTurn | undefined {
  const ids = new Set(things.map(({ key }) => String(key)));
  if (things.length > maxOptions || ids.size < things.length) return undefined;
  const labels = things.map((thing) => thing.label ?? describeThing(thing));
  const options = things.map((thing, at): QuestionOption => {
    const isTwice = labels.indexOf(labels[at] ?? "") !== labels.lastIndexOf(labels[at] ?? "");
    return { id: String(thing.key), label: labels[at] ?? "", ...(isTwice && { description: sayThing(thing, clock) }) };
  });
  const { steps, source } = toSteps(calls.flat());
  const keys = calls.flatMap((own, at) => own.map(() => String(things[at]?.key)));
  const chosen = steps.flatMap((step, at) => ifAnswered([step], keys[at], true));
  return { status: "plan", draft: asking([chooseFrom("Which one?", options, true)], chosen, source) };
}

function toSteps(calls: readonly MeantCall[]) {
  const called = calls.map(({ rules, input }, at) => ({ id: `s${at + 1}`, tool: rules.tool, input }));
  const waits = waitsOf(called);
  const steps = called.map(({ id, tool, input }, at) => ({ id, tool: tool.name, input, dependsOn: waits[at] ?? [] }));
  const read = calls.flatMap((call, at) => originsOf(call).map((origin) => ({ stepId: `s${at + 1}`, ...origin })));
  return { steps, source: { planner: "dialogue", ...(read.length > 0 && { read }) } };
}

function originsOf({ rules, thing, said = "", read }: MeantCall): readonly Omit<ReadValue, "stepId">[] {
  const field = thing?.keyInputs.get(rules.tool.name);
  const own = read === undefined ? [] : [read];
  if (thing === undefined || field === undefined) return own;
  const { runId, stepId, path, keyField } = thing;
  const from = { runId, stepId, path: [...path, keyField] };
  return [...own, { path: [field], said, text: describeThing(thing), from }];
}
