import { countPending } from "../../async/pending-work.ts";
import type { AccountText, ApprovalReason, ReplanApproval, UnsaidValue } from "../../core/approval.ts";
import { copyJson } from "../../core/json.ts";
import type { Plan, PlanStep, ToolStep } from "../../core/plan.ts";
import type { ReplanRequest } from "../../core/planner.ts";
import { unchangedSteps } from "../../core/run-state.ts";
import { parseWith } from "../../core/schema.ts";
import { stepRefOf } from "../../core/step-ref.ts";
import { instancesOf, isDone, isFailedInDoubt, type StepState } from "../../core/step-state.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { callsTool } from "../../core/wait-step.ts";
import type { Run } from "../run.ts";

/*
 * The output or the error of a tool may be written by anybody: a page, a mail, a file. A planner that reads it may do
 * what it says. So its words justify no input of a tool with an effect: what such a tool needs of an output, it gets by
 * a reference.
 */

/**
 * The steps of a revised plan that need approval, whoever planned them: a step that calls a tool with an effect that
 * the first plan did not call, or passes it what only an output, an error or the context says. Unchanged steps are not
 * checked. Words that appear nowhere are the planner's own, and it is code: one that asks a model refuses them.
 */
export async function approvalsFor(run: Run, request: ReplanRequest, plan: Plan): Promise<readonly ReplanApproval[]> {
  const { tools, stored } = run.settings;
  const stays = unchangedSteps(request.plan, plan);
  const acting: ToolStep[] = [];
  for (const step of plan.steps) {
    const state = run.state.steps.get(step.id);
    if (!callsTool(step) || stays.has(step.id) || (state !== undefined && isDone(state))) continue;
    if (!(await isSurelyPure(step, tools.get(step.tool) as DefinedTool))) acting.push(step);
  }
  if (acting.length === 0) return [];
  const { accountFor } = run.engine;
  const planned = request.firstPlan.steps;
  const { nowMs, timeZone } = request;
  const texts: AccountText[] = [{ source: { type: "request" }, value: request.request }, ...shownIn(request)];
  const account = accountFor?.(acting, { tools: [...tools.values()], texts, clock: { nowMs, timeZone }, planned });
  const { unsaid } = account === undefined ? { unsaid: [] } : await countPending(account);
  return acting.flatMap(({ id, tool }) => {
    // Without an account, a call by the first plan says nothing of this one.
    const isPlanned = accountFor !== undefined && planned.some((step) => step.tool === tool);
    const reasons: ApprovalReason[] = isPlanned || stored.replanTools?.includes(tool) ? [] : [{ code: "new-tool" }];
    const inDoubt = findInDoubt(run, tool);
    if (inDoubt !== undefined) reasons.push({ code: "in-doubt", ...stepRefOf(inDoubt) });
    reasons.push(...unsaid.filter(({ stepId, sources }) => stepId === id && sources.length > 0).map(toReason));
    return reasons.length === 0 ? [] : [{ stepId: id, reasons }];
  });
}

/** True if a step changes nothing. A tool that does not declare that counts as one with an effect. */
async function isSurelyPure({ input }: PlanStep, tool: DefinedTool): Promise<boolean> {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect === "pure";
  const parsed = await parseWith(tool.inputSchema, copyJson(input));
  if (!parsed.ok) return false;
  try {
    return tool.effect(parsed.value) === "pure";
  } catch {
    return false;
  }
}

/** The texts that a planner is shown for a replan, besides the request. */
function shownIn({ steps, error, context }: Pick<ReplanRequest, "steps" | "error" | "context">): AccountText[] {
  const shown: AccountText[] = [];
  for (const { output, error: own, ...record } of steps) {
    if (output !== undefined) shown.push({ source: { type: "output", ...stepRefOf(record) }, value: output });
    if (own !== undefined) shown.push({ source: { type: "error", ...stepRefOf(record) }, value: valuesOf(own) });
  }
  const failed = steps.find(({ status }) => status === "failed");
  if (failed !== undefined) shown.push({ source: { type: "error", ...stepRefOf(failed) }, value: valuesOf(error) });
  return context === undefined ? shown : [...shown, { source: { type: "context" }, value: context }];
}

/** All values, but not the keys, which are ours. */
function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(valuesOf) : [value];
}

/** A step that failed in doubt, and that a new step may do a second time. */
function findInDoubt({ state }: Run, tool: string): StepState | undefined {
  for (const part of instancesOf(state.steps.values())) if (part.tool === tool && isFailedInDoubt(part)) return part;
  return undefined;
}

const maxWords = 20;
const maxSources = 10;
const maxWordLength = 100;

/** As much as anybody would read, and no word with half a character. */
function toReason({ path, words, sources }: UnsaidValue): ApprovalReason {
  const cut = words.slice(0, maxWords).map((word) => word.slice(0, maxWordLength).toWellFormed());
  return { code: "unsaid-words", path, words: cut, sources: sources.slice(0, maxSources) };
}
