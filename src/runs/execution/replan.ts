import { countPending } from "../../async/promises.ts";
import type { AccountText, ApprovalReason, ReplanApproval, UnsaidValue } from "../../core/approval.ts";
import { AgentError, type AgentErrorData } from "../../core/errors.ts";
import { copyJson } from "../../core/json.ts";
import type { Plan, PlanIssue, PlanStep, ToolStep } from "../../core/plan.ts";
import type { Planner, ReplanRequest } from "../../core/planner.ts";
import { type StepRecord, stepRecords } from "../../core/run-result.ts";
import {
  hasStarted,
  instancesOf,
  isDone,
  isFailedInDoubt,
  isStillToRun,
  type StepState,
  unchangedSteps,
} from "../../core/run-state.ts";
import { parseWith } from "../../core/schema.ts";
import { callsTool, stepRefOf } from "../../core/step.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { afterDone, draftOf, stepsAfter } from "../../plan/check-draft.ts";
import { recordDecision } from "../commands/approvals.ts";
import { Planning, taskIn } from "../planning/planning.ts";
import { showIn, shownSnapshot } from "../run/redaction.ts";
import type { Run } from "../run/run.ts";
import { pendingItems, stepFailure } from "../run/run-progress.ts";
import { opened } from "../run/run-secrets.ts";
import { skipOpen } from "../steps/end-run.ts";
import { askForChoice } from "./choices.ts";

const finalCodes = new Set<string>(["approval-rejected", "approval-expired", "limit-exceeded", "store-failed"]);

export async function replan(run: Run): Promise<Plan | undefined> {
  const cause = stepFailure(run);
  if (cause === undefined || !mayReplan(run, cause)) return undefined;
  const { maxReplans = 0 } = run.settings.stored;
  const choosing = choicePlanner(run);
  const planner = choosing ?? (run.state.replans < maxReplans ? run.engine.planner : undefined);
  if (planner?.replan === undefined) return undefined;
  const isChosen = planner === choosing;
  return revisePlan(run, { planner, cause }, (planning) => askForSteps(run, planning, { planner, cause, isChosen }));
}

async function revisePlan(
  run: Run,
  { planner, cause }: { readonly planner: Planner; readonly cause: AgentErrorData },
  revise: (planning: Planning) => Promise<{ plan: Plan; approvals: readonly ReplanApproval[] } | undefined>,
): Promise<Plan | undefined> {
  const source = run.openSource();
  const base = { type: "plan-revise", planner: planner.name, replan: run.state.replans + 1, cause } as const;
  const { request } = run.state.plan as Plan;
  const planning = new Planning(taskIn(run, { request, planner, source }));
  try {
    const revised = await planning.ask(() => revise(planning), base.replan);
    if (revised === undefined) return undefined;
    const { approvals } = revised;
    const plan = run.secrets === undefined ? revised.plan : await run.secrets.sealPlan(revised.plan);
    await withdrawQuestions(run, plan);
    for (const step of run.state.steps.values())
      if (isStillToRun(step) && hasStarted(step)) await skipOpen(run, step, "run-ended");
    const outcome = { status: "completed", plan, ...(approvals.length > 0 && { approvals }) } as const;
    await run.emit({ ...base, ...planning.end(), outcome });
    run.recountSteps();
    return run.recorder.failure === undefined ? plan : undefined;
  } catch (thrown) {
    await run.emit({ ...base, ...planning.end(), outcome: planning.failureOf(thrown) });
    return undefined;
  } finally {
    run.closeSource(source);
  }
}

export function readAgain(run: Run): Promise<Plan | undefined> | undefined {
  const { engine, runId, settings, state } = run;
  const { plan, replans } = state;
  const { thread } = settings;
  const { loadTurns } = engine;
  if (plan?.source.looks !== true || replans > 0 || thread === undefined || loadTurns === undefined) return undefined;
  if (!run.canContinue()) return undefined;
  const { source, steps } = plan;
  const planner: Planner = { name: source.planner, usesModel: false, plan: () => ({ steps: [] }) };
  const cause = new AgentError("cannot-plan", "The line names something that had to be looked up.", {
    details: { reason: "unbound", examples: [] },
  }).toJSON();
  return revisePlan(run, { planner, cause }, async (planning) => {
    const reader = await countPending(loadTurns());
    const { read } = await run.host.listThread({ thread, runId });
    const runs = await read();
    const own = shownSnapshot(state, engine);
    const turn = await reader.readTurn({ ...planning.toRequest(), runs: [own, ...runs] });
    if (turn.status !== "plan" || turn.draft.source?.looks === true) return undefined;
    const all = stepsAfter(steps.map(afterDone), turn.draft.steps);
    return { plan: await planning.complete({ steps: all, source: turn.draft.source }), approvals: [] };
  });
}

async function withdrawQuestions(run: Run, plan: Plan): Promise<void> {
  const stays = unchangedSteps(run.state.plan, plan);
  for (const step of run.state.steps.values()) {
    if (!hasStarted(step) && stays.has(step.stepId)) continue;
    for (const part of instancesOf([step])) {
      await run.inTurn(async () => {
        if (part.approval?.status !== "requested") return;
        await recordDecision(run, { ref: stepRefOf(part), outcome: { status: "withdrawn" } });
      });
    }
  }
}

function mayReplan(run: Run, { code }: AgentErrorData): boolean {
  const { state, settings } = run;
  if (!run.canContinue()) return false;
  if (state.replanError !== undefined || settings.stored.approvedHash !== undefined) return false;
  return !finalCodes.has(code) && pendingItems(run).length === 0;
}

function choicePlanner({ state, settings }: Run): Planner | undefined {
  if (settings.thread === undefined || state.plan === undefined) return undefined;
  const steps = askForChoice(state.plan, state.steps);
  return steps && { name: "choices", plan: () => ({ steps }), replan: () => ({ steps }) };
}

async function askForSteps(
  run: Run,
  planning: Planning,
  { planner, cause, isChosen }: { planner: Planner; cause: AgentErrorData; isChosen: boolean },
) {
  const { state } = run;
  const plan = state.plan as Plan;
  const request: ReplanRequest = {
    ...planning.toRequest(),
    ...showIn(run, { plan, firstPlan: state.firstPlan ?? plan, error: withoutStack(cause) }),
    steps: showIn(run, recordsWithoutStacks(state)),
    replan: state.replans + 1,
  };
  // The planner may mutate its request, which is read again below.
  const draft: unknown = await planner.replan?.({ ...request, steps: showIn(run, recordsWithoutStacks(state)) });
  const { steps: drafted, source } = draftOf(planner, draft);
  const added = run.secrets === undefined ? drafted : run.secrets.restoreSteps(drafted, state);
  const done = plan.steps.filter(({ id }) => isDone(state.steps.get(id) as StepState));
  const kept = opened(run, done.map(afterDone));
  checkSize(run, added);
  checkIds(run, { added, kept });
  const revised = await planning.complete({ steps: stepsAfter(kept, added), source });
  // Needs no approval, as the user makes the choice, not a planner that has read an output.
  if (isChosen) return { plan: revised, approvals: [] };
  return { plan: revised, approvals: await approvalsFor(run, request, run.secrets?.hidePlan(revised) ?? revised) };
}

/** Stacks must not reach a model. */
function withoutStack({ stack: _stack, ...error }: AgentErrorData): AgentErrorData {
  return error as AgentErrorData;
}

function recordsWithoutStacks({ steps }: Run["state"]): StepRecord[] {
  const records = stepRecords(steps.values());
  return records.map((record) => (record.error ? { ...record, error: withoutStack(record.error) } : record));
}

/** A new step must not take the idempotency key of a step that has started. */
function checkIds(run: Run, { added, kept }: { added: unknown; kept: readonly PlanStep[] }): void {
  const issues: PlanIssue[] = [];
  for (const [index, step] of (Array.isArray(added) ? added : []).entries()) {
    const id: unknown = (step as { id?: unknown } | null)?.id;
    const state = typeof id === "string" ? run.state.steps.get(id) : undefined;
    if (state === undefined || !hasStarted(state)) continue;
    const message = `"${state.stepId}" has already started. Leave out finished steps, and give each step to be retried a new id.`;
    issues.push({ code: "duplicate-id", path: ["steps", kept.length + index, "id"], message });
  }
  if (issues.length === 0) return;
  const message = `The planner repeats steps: ${issues.map(({ message }) => message).join(" ")}`;
  throw new AgentError("invalid-plan", message, { details: { issues } });
}

function checkSize(run: Run, added: unknown): void {
  const max = run.settings.stored.maxSteps;
  const started = instancesOf(run.state.steps.values()).filter((part) => !isStillToRun(part)).length;
  const used = started + (Array.isArray(added) ? added.length : 0);
  if (used <= max) return;
  const message = `With the new steps, the run would have ${used} steps; at most ${max} are allowed.`;
  throw new AgentError("limit-exceeded", message, { details: { limit: "steps", max, used } });
}

/**
 * Anybody may have written an output or an error, and a planner may follow instructions in it. So a new step needs
 * approval if its tool has an effect and is not in the first plan, or if its input has a value, other than a reference,
 * that only an output, an error or the context contains. Words that appear nowhere are the planner's own.
 */
async function approvalsFor(run: Run, request: ReplanRequest, plan: Plan): Promise<readonly ReplanApproval[]> {
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
  const parts = instancesOf(run.state.steps.values());
  return acting.flatMap(({ id, tool }) => {
    const isPlanned = accountFor !== undefined && planned.some((step) => step.tool === tool);
    const reasons: ApprovalReason[] = isPlanned || stored.replanTools?.includes(tool) ? [] : [{ code: "new-tool" }];
    const inDoubt = parts.find((part) => part.tool === tool && isFailedInDoubt(part));
    if (inDoubt !== undefined) reasons.push({ code: "in-doubt", ...stepRefOf(inDoubt) });
    reasons.push(...unsaid.filter(({ stepId, sources }) => stepId === id && sources.length > 0).map(toReason));
    return reasons.length === 0 ? [] : [{ stepId: id, reasons }];
  });
}

export async function isSurelyPure({ input }: PlanStep, tool: DefinedTool): Promise<boolean> {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect === "pure";
  const parsed = await parseWith(tool.inputSchema, copyJson(input));
  if (!parsed.ok) return false;
  try {
    return tool.effect(parsed.value) === "pure";
  } catch {
    return false;
  }
}

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

function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(valuesOf) : [value];
}

const maxWords = 20;
const maxSources = 10;
const maxWordLength = 100;

function toReason({ path, words, sources }: UnsaidValue): ApprovalReason {
  const cut = words.slice(0, maxWords).map((word) => word.slice(0, maxWordLength).toWellFormed());
  return { code: "unsaid-words", path, words: cut, sources: sources.slice(0, maxSources) };
}
