import type { ApprovalReason, ReplanApproval } from "../../core/approval.ts";
import type { Plan, PlanStep, PlanWarning } from "../../core/plan.ts";
import { unchangedSteps } from "../../core/planned-steps.ts";
import type { ReplanRequest } from "../../core/planner.ts";
import { stepRefOf } from "../../core/step-ref.ts";
import { instancesOf, isDone, isFailedInDoubt, type StepState } from "../../core/step-state.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { callsTool } from "../../core/wait-step.ts";
import { isSurelyPure, shownIn, UnsaidFinder } from "../../plan/grounding/unsaid-words.ts";
import type { Run } from "../run.ts";

/**
 * The steps of a revised plan that need approval, whoever planned them: a step that calls a tool with an effect that
 * the first plan did not call, or passes it words that occur only in an output, an error or the context. Unchanged
 * steps are not checked.
 */
export async function approvalsFor(run: Run, request: ReplanRequest, plan: Plan): Promise<readonly ReplanApproval[]> {
  const stays = unchangedSteps(request.plan, plan);
  const finder = new UnsaidFinder({
    request: request.request,
    planned: request.firstPlan.steps,
    shown: shownIn(request),
  });
  const approvals: ReplanApproval[] = [];
  for (const [index, step] of plan.steps.entries()) {
    if (!callsTool(step)) continue;
    const tool = run.settings.tools.get(step.tool) as DefinedTool;
    const state = run.state.steps.get(step.id);
    const isKept = state !== undefined && isDone(state);
    if (isKept || stays.has(step.id) || (await isSurelyPure(step, tool))) continue;
    const isNew = !finder.isPlanned(tool.name) && !run.settings.stored.replanTools?.includes(tool.name);
    const reasons: ApprovalReason[] = isNew ? [{ code: "new-tool" }] : [];
    const inDoubt = findInDoubt(run, tool.name);
    if (inDoubt !== undefined) reasons.push({ code: "in-doubt", ...stepRefOf(inDoubt) });
    reasons.push(...(await unsaidIn(step, tool, finder)), ...warnedOf(plan, index));
    if (reasons.length > 0) approvals.push({ stepId: step.id, reasons: distinct(reasons) });
  }
  return approvals;
}

/** A step that failed in doubt, and that a new step may do a second time. */
function findInDoubt({ state }: Run, tool: string): StepState | undefined {
  for (const part of instancesOf(state.steps.values())) if (part.tool === tool && isFailedInDoubt(part)) return part;
  return undefined;
}

/** Words that appear nowhere are the planner's own, and it is code: one that asks a model warns of them. */
async function unsaidIn(step: PlanStep, tool: DefinedTool, finder: UnsaidFinder): Promise<readonly ApprovalReason[]> {
  const found = await finder.find(step, tool);
  return found
    .filter(({ shown }) => shown.length > 0)
    .map(({ path, words, shown }) => ({
      code: "unsaid-words",
      path,
      words: cut(words),
      sources: shown.map(({ source }) => source),
    }));
}

/**
 * What the planner itself warns of, in steps that change something. The planner may be anybody's: nothing about the
 * warnings is certain.
 */
function warnedOf({ source }: Plan, index: number): readonly ApprovalReason[] {
  const warnings: readonly Partial<PlanWarning>[] = Array.isArray(source.warnings) ? source.warnings : [];
  return warnings.flatMap((warning) => {
    const [steps, place, ...path] = Array.isArray(warning?.path) ? warning.path : [];
    if (warning?.code !== "ungrounded" || steps !== "steps" || place !== index) return [];
    const words = Array.isArray(warning.words) ? warning.words.map(String) : [];
    return [{ code: "unsaid-words", path, words: cut(words), sources: [] }];
  });
}

/** One reason per place: the first, which is the most detailed. */
function distinct(reasons: readonly ApprovalReason[]): readonly ApprovalReason[] {
  const byPlace = new Map<string, ApprovalReason>();
  for (const reason of reasons) {
    const key = reason.code === "unsaid-words" ? JSON.stringify(reason.path) : reason.code;
    if (!byPlace.has(key)) byPlace.set(key, reason);
  }
  return [...byPlace.values()];
}

const maxWords = 20;
const maxWordLength = 100;

/** As many words as anybody would read, none with half a character. */
function cut(words: readonly string[]): readonly string[] {
  return words.slice(0, maxWords).map((word) => word.slice(0, maxWordLength).toWellFormed());
}
