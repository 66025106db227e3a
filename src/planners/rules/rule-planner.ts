import { AgentError } from "../../core/errors.ts";
import { checkKeys, failOption } from "../../core/options.ts";
import type { PlanDraft, Planner, PlanRequest } from "../../core/planner.ts";
import { explainMatch, type RequestExplanation } from "./explain-match.ts";
import { makeSteps, reasoningOf } from "./make-steps.ts";
import { type MatchInput, readRequest } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import { quoteClauses, refuse } from "./refuse.ts";
import { type Segmentation, segmentRequest } from "./segment-request.ts";
import { compileTool, type ToolRules } from "./tool-rules.ts";

/** Options of {@link createRulePlanner}. */
export interface RulePlannerOptions {
  /** Whether each step's `reasoning` also says which phrase took which words. @default false */
  readonly explain?: boolean;
}

/** A request with more parts than this is no request that rules should plan. */
const maxClauses = 1_000;

/**
 * Makes the planner "rules": deterministic, offline, with the phrases that the tools bring along.
 *
 * Every word of the request must fit: what no phrase fits as a whole, what lacks an argument, and what two tools fit
 * equally well is refused with `cannot-plan`, whose details say why and which phrases come near. Time is linear in the
 * length of the request. Throws `invalid-options` for a phrase of a tool that can not be read.
 */
export function createRulePlanner(options: RulePlannerOptions = {}): Planner {
  checkKeys("rulePlanner", options, ["explain"]);
  const { explain = false } = options;
  if (typeof explain !== "boolean") failOption("rulePlanner.explain", explain, "true or false");
  return {
    name: "rules",
    async plan(request): Promise<PlanDraft> {
      const { steps } = await planRequest(request, explain);
      return { steps };
    },
  };
}

/**
 * Plans a request and tells, for each part of it, which phrase of which tool took which words.
 * Throws as the planner does.
 */
export async function explainRequest(request: PlanRequest): Promise<RequestExplanation> {
  const { steps, matches, stepIds, input } = await planRequest(request, false);
  const parts = matches.map((match, index) => explainMatch(match, input, stepIds[index] ?? []));
  return { steps, parts };
}

async function planRequest(request: PlanRequest, explain: boolean) {
  const { tools, nowMs, timeZone, maxSteps, signal } = request;
  throwIfCancelled(signal);
  const compiled = tools.map(compileTool);
  const rules: readonly ToolRules[] = compiled.some((tool) => tool instanceof Promise)
    ? await Promise.all(compiled)
    : (compiled as readonly ToolRules[]);
  const input = readRequest(request.request, { nowMs, timeZone });
  const last = input.clauses.length - 1;
  if (last < 0) throw refuse({ reason: "it has no words", first: 0, last: 0 }, input, rules);
  if (last >= maxClauses) {
    throw refuse({ reason: `it has more than ${maxClauses} parts`, first: 0, last }, input, rules);
  }
  const matches = requireCut(segmentRequest(rules, input), input, rules);
  const describe = (match: PhraseMatch) => {
    const text = reasoningOf(match, input);
    return explain ? `${text} (${explainMatch(match, input, []).summary})` : text;
  };
  const made = await makeSteps(matches, input, describe);
  if (!made.ok) {
    const { firstClause, lastClause } = made.match;
    const words = quoteClauses(input, firstClause, lastClause);
    const reason = made.reason === undefined ? `nothing fits ${words}` : `${words} does not fit: ${made.reason}`;
    throw refuse({ reason, first: firstClause, last: lastClause }, input, rules);
  }
  throwIfCancelled(signal);
  if (made.steps.length > maxSteps) {
    throw refuse(
      { reason: `it needs ${made.steps.length} steps, and only ${maxSteps} are allowed`, first: 0, last },
      input,
      rules,
    );
  }
  return { steps: made.steps, stepIds: made.stepIds, matches, input };
}

function requireCut(found: Segmentation, input: MatchInput, rules: readonly ToolRules[]): readonly PhraseMatch[] {
  switch (found.type) {
    case "cut":
      return found.matches;
    case "ambiguous": {
      const { firstClause: first, lastClause: last } = found.match;
      const readings = [found.match, found.rival].map(nameMatch).join(" and ");
      throw refuse(
        { reason: `${quoteClauses(input, first, last)} fits ${readings} equally well`, first, last },
        input,
        rules,
      );
    }
    case "not-understood": {
      const { first, last, reason } = found;
      const words = quoteClauses(input, first, last);
      const why =
        reason === undefined ? `no phrase of the tools fits ${words}` : `${words} can not be planned: ${reason}`;
      throw refuse({ reason: why, first, last }, input, rules);
    }
  }
}

function nameMatch({ rules, phraseIndex }: PhraseMatch): string {
  return `${rules.tool.name} ("${rules.rules[phraseIndex]?.example}")`;
}

function throwIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason = String(signal.reason instanceof Error ? signal.reason.message : signal.reason);
  throw new AgentError("cancelled", `Planning was cancelled: ${reason}`, { details: { reason } });
}
