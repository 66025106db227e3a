import type { JsonObject } from "../core/json.ts";
import { only } from "../core/lists.ts";
import { callsTool } from "../core/step.ts";
import { Refused } from "../planners/rules/plan-by-rules.ts";
import { isPureStep } from "../planners/rules/steps.ts";
import type { MeantCall, PlanTurn } from "./draft-turn.ts";
import { bindKey, inPlan } from "./fill-call.ts";
import type { KnownThing } from "./focus.ts";
import { saysShift } from "./half-said.ts";
import type { Reference } from "./references.ts";
import type { ThreadLine } from "./thread-line.ts";

export async function readPhrases(line: ThreadLine): Promise<PlanTurn | undefined> {
  const { own, request } = line;
  if (saysShift(request.words)) return undefined;
  const ways = [own, own.filter(({ how }) => how !== "pronoun"), ...own.map((each) => [each])];
  const seen = new Set<string>();
  for (const way of ways) {
    const id = way.map(({ start, end }) => `${start}-${end}`).join();
    const [several, another] = way.filter(({ things }) => things.length > 1);
    if (way.length === 0 || seen.has(id) || another !== undefined) continue;
    seen.add(id);
    const found = await line.forEach(several, (thing) => planWith(line, way, { several, thing }));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function planWith(
  line: ThreadLine,
  way: readonly Reference[],
  { several, thing }: { readonly several: Reference | undefined; readonly thing: KnownThing | undefined },
): Promise<readonly MeantCall[] | undefined> {
  const pairs = way.flatMap((reference) => {
    const meant = reference === several ? thing : reference.things[0];
    return meant === undefined ? [] : [{ reference, meant }];
  });
  const { tokens } = line.request;
  const { start = 0, end = 0 } = line.wish ?? {};
  const from = tokens[Math.min(start, ...way.map((each) => each.start))]?.start ?? 0;
  const bound = pairs.map(({ reference, meant }) => line.bound(reference, meant));
  const moved = bound.map((each) => ({ ...each, start: each.start - from, end: each.end - from }));
  const planned = await line.planning.planText(line.turn.request.slice(from, tokens[end - 1]?.end), 0, moved);
  if (planned instanceof Refused) return undefined;
  const isGrave = planned.matches.some(({ rule }) => rule.source.destructive === true);
  const calls: MeantCall[] = [];
  for (const step of planned.steps) {
    const rules = line.rules.find(({ tool }) => tool.name === step.tool);
    if (rules === undefined || !callsTool(step) || step.when !== undefined) return undefined;
    const pair = only(pairs.filter(({ meant }) => holds(step.input, meant)));
    if (pair === undefined) return undefined;
    const { reference, meant } = pair;
    const isSought = isPureStep(rules.tool, step.input) && isSoughtBy(step.input, meant);
    const input = bindKey(rules, step.input, meant) ?? (isSought ? step.input : undefined);
    if (input === undefined) return undefined;
    const doubt = isGrave && meant.isContainer === true ? "grave" : undefined;
    calls.push({ rules, input, thing: meant, said: line.textOf(reference), doubt });
  }
  return calls;
}

function holds(input: JsonObject, { key, label }: KnownThing): boolean {
  return Object.values(input).some((value) => value === inPlan(key) || value === inPlan(label));
}

/** True if a look-up takes the label of a thing: "is Moreau coming". */
function isSoughtBy(input: JsonObject, { labelField, label }: KnownThing): boolean {
  const fields = [labelField, "query"];
  return Object.entries(input).some(([name, value]) => value === inPlan(label) && fields.includes(name));
}
