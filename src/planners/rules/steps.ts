import type { JsonObject } from "../../core/json.ts";
import type { PlanStep } from "../../core/plan.ts";
import { parseWith } from "../../core/schema.ts";
import { cutText } from "../../core/text.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { findReferences } from "../../plan/reference.ts";
import type { DraftStep } from "./readings.ts";
import { type RequestText, textBetween } from "./request.ts";

const maxReasoning = 300;

/** The steps of a plan, with the words that ask for each as its reasoning. */
export function orderSteps(drafts: readonly DraftStep[], request: RequestText): readonly PlanStep[] {
  const waits = waitsOf(drafts.map(({ id, rules, input }) => ({ id, tool: rules.tool, input })));
  let said = 0;
  return drafts.map(({ id, rules, input, match }, index): PlanStep => {
    // "… and eggs" is told with the words before it.
    if (match.goesOn !== true) said = request.words[match.start] === "•" ? match.start + 1 : match.start;
    const short = cutText(textBetween(request, said, match.end).replace(/\s+/g, " "), maxReasoning);
    const reasoning = short.charAt(0).toUpperCase() + short.slice(1);
    const step = { id, tool: rules.tool.name, input, dependsOn: waits[index] ?? [] };
    // The words of the request are where a secret comes from.
    return rules.isSensitive ? step : { ...step, reasoning };
  });
}

/** A call of a tool whose place in a plan is known. */
export interface OrderedCall {
  readonly id: string;
  readonly tool: DefinedTool;
  readonly input: JsonObject;
}

/**
 * The ids of the steps that each of some calls waits for: the steps whose results it uses; one with an effect for all steps
 * before it, a `pure` one for the last with an effect. Those that these wait for are left out.
 */
export function waitsOf(calls: readonly OrderedCall[]): readonly (readonly string[])[] {
  const all: ReadonlySet<number>[] = [];
  let lastEffect = -1;
  return calls.map(({ tool, input }, index) => {
    const places = new Map(calls.slice(0, index).map((call, place) => [call.id, place]));
    const direct = new Set<number>();
    for (const { reference } of findReferences(input)) {
      const place = places.get(reference?.stepId ?? "");
      if (place !== undefined) direct.add(place);
    }
    if (isPureStep(tool, input)) {
      if (lastEffect >= 0) direct.add(lastEffect);
    } else {
      for (let place = 0; place < index; place++) direct.add(place);
      lastEffect = index;
    }
    const later = new Set([...direct].flatMap((place) => [...(all[place] ?? [])]));
    all.push(new Set([...direct, ...later]));
    const own = [...direct].filter((place) => !later.has(place)).sort((left, right) => left - right);
    return own.map((place) => calls[place]?.id ?? "");
  });
}

/** True if a step has no effect. If that depends on an input that is not known yet, it is assumed to have one. */
export function isPureStep(tool: DefinedTool, input: JsonObject): boolean {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect === "pure";
  if (findReferences(input).length > 0) return false;
  const parsed = parseWith(tool.inputSchema, input);
  return !(parsed instanceof Promise) && parsed.ok && tool.effect(parsed.value) === "pure";
}
