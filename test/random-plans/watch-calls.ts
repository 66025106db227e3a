import type { ToolDraft } from "./model-case.ts";
import { type Call, effectOf, needsApproval } from "./model-tools.ts";
import { isSame, type Watch } from "./watch.ts";

/** How long a tool may keep running after its signal aborted. */
export const abortGraceMs = 15;

/** Notes everything that is wrong with a call that is about to be made. */
export function checkCall(watch: Watch, call: Call): void {
  const draft = watch.model.tools[Number(call.tool.slice(1))];
  if (draft === undefined) {
    watch.note(`${call.key} calls an unknown tool`);
    return;
  }
  watch.expect(watch.isOpen, () => `${call.key} is called after the run has ended`);
  watch.expect(call.idempotencyKey === `${watch.runId}/${call.key}`, () => `the key is ${call.idempotencyKey}`);
  const earlier = watch.calls.filter(({ key }) => key === call.key);
  const attempts = earlier.length + 1;
  watch.expect(call.attempt === attempts, () => `${call.key} is told attempt ${call.attempt}, and it is ${attempts}`);
  watch.expect(attempts <= draft.maxAttempts, () => `${call.key} is called ${attempts} times`);
  checkToolLimits(watch, call, draft);
  if (call.isUndo) return;
  checkStep(watch, call, { draft, earlier });
  checkRun(watch, call);
}

interface Called {
  readonly draft: ToolDraft;
  readonly earlier: readonly Call[];
}

function checkStep(watch: Watch, call: Call, { draft, earlier }: Called): void {
  const { key } = call;
  const state = watch.progress.get(key);
  const step = watch.stepOf(call.stepId);
  watch.expect(state?.stage === "running", () => `${key} is called and is ${state?.stage}`);
  watch.expect(isSame(state?.input ?? null, call.input), () => `${key} is called with ${JSON.stringify(call.input)}`);
  if (step === undefined) return;
  if (needsApproval(draft, step.flag)) {
    watch.expect(state?.approval === "approved", () => `${key} is called and is not approved: ${state?.approval}`);
  }
  const last = earlier.at(-1);
  if (last === undefined) return;
  if (effectOf(draft, step.flag) === "once") {
    watch.expect(last.settled === "threw-retryable", () => `${key} is called again after it ${last.settled}`);
  }
  const isOver = last.settled !== undefined || !isOccupied(watch, last);
  watch.expect(isOver, () => `${key} is called while its last attempt still has time`);
}

function checkRun(watch: Watch, { key, startMs }: Call): void {
  const { model, calls, legStartMs, cancelledExecution, execution } = watch;
  const made = calls.filter(({ isUndo }) => !isUndo).length + 1;
  watch.expect(made <= (model.budget ?? made), () => `${key} is call ${made} of ${model.budget}`);
  const latestMs = legStartMs + (model.timeoutMs ?? Number.POSITIVE_INFINITY);
  watch.expect(startMs <= latestMs, () => `${key} is called after the deadline`);
  watch.expect(cancelledExecution !== execution, () => `${key} is called after the run was cancelled`);
}

function isOccupied({ clock }: Watch, { settled, abortedMs }: Call): boolean {
  return settled === undefined && (abortedMs === undefined || clock.now() < abortedMs + abortGraceMs);
}

function checkToolLimits(watch: Watch, call: Call, { concurrency, rateLimit, circuitBreaker }: ToolDraft): void {
  const { tool, key, agent, startMs } = call;
  const others = watch.calls.filter((other) => other.tool === tool && other.agent === agent);
  if (concurrency !== undefined) {
    const busy = others.filter((other) => isOccupied(watch, other)).length + 1;
    watch.expect(busy <= concurrency, () => `${key} is call ${busy} of ${tool} at a time`);
  }
  const first = rateLimit && [...others, call].at(-1 - rateLimit.limit);
  if (rateLimit !== undefined && first !== undefined) {
    const isApart = startMs - first.startMs >= rateLimit.intervalMs;
    watch.expect(isApart, () => `${key} is one call of ${tool} too many within ${startMs - first.startMs} ms`);
  }
  const openedMs = watch.circuits.get(`${agent}/${tool}`);
  if (circuitBreaker !== undefined && openedMs !== undefined) {
    const isRefused = startMs > openedMs && startMs < openedMs + circuitBreaker.resetAfterMs;
    watch.expect(!isRefused, () => `${key} calls ${tool} while its circuit is open`);
  }
}
