import { describeStep } from "../../core/describe-step.ts";
import type { JsonObject } from "../../core/json.ts";
import type { PlanStep } from "../../core/plan.ts";
import { parseWith } from "../../core/schema.ts";
import { cutText } from "../../core/text.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { findReferences } from "../../plan/reference.ts";
import type { DraftStep } from "./readings.ts";
import { type RequestText, textBetween } from "./request.ts";

const maxReasoning = 300;

/**
 * The steps of a plan with what each waits for: the steps whose results it uses; one with an effect for all steps before it,
 * a `pure` one for the last with an effect. Those that these wait for are left out.
 */
export function orderSteps(drafts: readonly DraftStep[], request: RequestText): readonly PlanStep[] {
  const waits: ReadonlySet<number>[] = [];
  let lastEffect = -1;
  return drafts.map(({ id, rules, input, match }, index): PlanStep => {
    const places = new Map(drafts.slice(0, index).map((draft, place) => [draft.id, place]));
    const direct = new Set<number>();
    for (const { reference } of findReferences(input)) {
      const place = places.get(reference?.stepId ?? "");
      if (place !== undefined) direct.add(place);
    }
    if (isPureStep(rules.tool, input)) {
      if (lastEffect >= 0) direct.add(lastEffect);
    } else {
      for (let place = 0; place < index; place++) direct.add(place);
      lastEffect = index;
    }
    const later = new Set([...direct].flatMap((place) => [...(waits[place] ?? [])]));
    waits.push(new Set([...direct, ...later]));
    const dependsOn = [...direct].filter((place) => !later.has(place)).sort((left, right) => left - right);
    const said = describeStep(rules.tool, input) ?? textBetween(request, match.start, match.end).replace(/\s+/g, " ");
    const short = cutText(said, maxReasoning);
    const reasoning = short.charAt(0).toUpperCase() + short.slice(1);
    const step = { id, tool: rules.tool.name, input, dependsOn: dependsOn.map((place) => `s${place + 1}`) };
    // The words of the request are where a secret comes from.
    return rules.isSensitive ? step : { ...step, reasoning };
  });
}

/** Whether a step has no effect. If that depends on an input that is not known yet, it is assumed to have one. */
export function isPureStep(tool: DefinedTool, input: JsonObject): boolean {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect === "pure";
  if (findReferences(input).length > 0) return false;
  const parsed = parseWith(tool.inputSchema, input);
  return !(parsed instanceof Promise) && parsed.ok && tool.effect(parsed.value) === "pure";
}
