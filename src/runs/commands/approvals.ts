import { maxTimerMs } from "../../async/clock.ts";
import { isThenable, settleOrAbort } from "../../async/promises.ts";
import {
  type ApprovalAnswer,
  type ApprovalDecision,
  type ApprovalQuestion,
  type ApprovalReason,
  type ApprovalRequest,
  type ApprovalSubject,
  type ApprovedCall,
  type ChangedCall,
  hashCall,
  jsonOfParsed,
  toShownInput,
} from "../../core/approval.ts";
import { toErrorData } from "../../core/error-data.ts";
import { AgentError, fromErrorData } from "../../core/errors.ts";
import type { ApprovalEndEvent, EventInit, PendingItem } from "../../core/events.ts";
import {
  canonicalJson,
  copyContainers,
  copyJson,
  isSealed,
  type JsonObject,
  type JsonPath,
  type JsonValue,
} from "../../core/json.ts";
import { findUnknownKeys } from "../../core/json-schema.ts";
import { checkKeys, checkOption, defined } from "../../core/option-tables.ts";
import type { Plan } from "../../core/plan.ts";
import { type ApprovalState, instanceAt, instancesOf, type RunState, type StepState } from "../../core/run-state.ts";
import { parseWith, type SchemaIssue } from "../../core/schema.ts";
import { describeStepRef, describeSubject, type StepRef, stepRefOf } from "../../core/step.ts";
import type { DefinedTool, ToolEffect } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { hashPlan } from "../../plan/hash-plan.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import { showIn } from "../run/redaction.ts";
import type { Run } from "../run/run.ts";
import { type Decided, missingTool, notWaiting, resumeMismatch } from "../run/run-errors.ts";
import { opened, type RunSecrets } from "../run/run-secrets.ts";
import {
  countOf,
  effectOf,
  type FailedTask,
  invalidInput,
  refOfTask,
  type StepCall,
  taskOfPart,
  toolFailed,
} from "../run/step-call.ts";
import { type Decision, readInput, readNote } from "./command-options.ts";

type ApprovalStatus = "approved" | "rejected" | "waiting";

export function mayNeedApproval(run: Run, call: StepCall): boolean {
  if (call.tool.needsApproval !== undefined || run.engine.needsApproval !== undefined) return true;
  if (reasonsFor(run, call) !== undefined) return true;
  return run.isContinued && run.approvalOf(refOfTask(call)) !== undefined;
}

function reasonsFor({ state }: Run, { step, effect }: StepCall): readonly ApprovalReason[] | undefined {
  if (state.firstPlan === undefined || effect === "pure") return undefined;
  return state.steps.get(step.id)?.approvalReasons;
}

export async function askAboutStep(
  run: Run,
  call: StepCall,
): Promise<ApprovalStatus | AgentError<"invalid-tool-input">> {
  const { step, tool, effect, parsed } = call;
  const { reasoning } = step;
  const ref = refOfTask(call);
  const known = run.approvalOf(ref);
  if (known?.status === "rejected") return "rejected";
  const reasons = reasonsFor(run, call);
  const mustAsk =
    known !== undefined ||
    reasons !== undefined ||
    (await asks(run, ref, () => tool.needsApproval?.(copyContainers(parsed)) ?? false));
  if (!mustAsk && run.engine.needsApproval === undefined) return "approved";
  const shown = toShownInput(await parsedJson(run, call), call.input);
  const base = {
    kind: "step",
    ...ref,
    ...countOf(call.iteration),
    tool: tool.name,
    ...shown,
    effect,
    ...(reasoning && { reasoning }),
  } as const;
  if (!mustAsk && !(await asks(run, ref, () => isAskedFor(run, { runId: run.runId, ...base })))) return "approved";
  const hash = await hashOf(run, { ...ref, tool: tool.name, effect, input: shown.input });
  if (!run.canStart()) return "waiting";
  if (known?.status === "approved" && known.isAskedAgain && (known.changed ?? known).hash !== hash)
    return unstableInput(call, known, shown.input);
  const request = { ...base, hash, ...(reasons && { reasons }) };
  return recallOrAsk(run, { ref, hash, subject: request, request: { runId: run.runId, ...request } });
}

export function mayNeedPlanApproval(run: Run): boolean {
  if (run.approvalOf(undefined) !== undefined) return true;
  return run.engine.needsApproval !== undefined && run.settings.stored.approvedHash === undefined;
}

export async function askAboutPlan(run: Run, plan: Plan): Promise<ApprovalStatus> {
  const { runId } = run;
  const isAsked = run.approvalOf(undefined) !== undefined;
  const needsIt = isAsked || (await asks(run, undefined, () => isAskedFor(run, { kind: "plan", runId, plan })));
  if (!needsIt) return "approved";
  const hash = await hashOfPlan(run, plan);
  if (!run.canContinue()) return "waiting";
  const subject = { kind: "plan", hash } as const;
  return recallOrAsk(run, { ref: undefined, hash, subject, request: { runId, ...subject, plan } });
}

function isAskedFor(run: Run, question: ApprovalQuestion): boolean | Promise<boolean> {
  return run.engine.needsApproval?.(showIn(run, question)) ?? false;
}

async function parsedJson(
  { secrets }: Pick<Run, "secrets">,
  { tool, input: given, parsed }: Pick<StepCall, "tool" | "input" | "parsed">,
): Promise<JsonValue> {
  const input = jsonOfParsed(parsed, opened({ secrets }, given));
  return secrets?.concerns({ tool }) ? secrets.sealParsed(tool.name, input, given) : input;
}

function unstableInput(
  call: StepCall,
  { input = call.input, changed }: ApprovalState,
  now: JsonValue,
): AgentError<"invalid-tool-input"> {
  const path = changed === undefined ? firstDifference(input, now) : [];
  const message =
    "the schema parsed the approved input to a different value for the second time: " +
    "remove clocks, counters and look-ups from the transforms and defaults of the schema";
  return invalidInput(call, [{ path, message }]);
}

function firstDifference(one: unknown, other: unknown): JsonPath {
  if (!isHolder(one) || !isHolder(other)) return [];
  const keys = Object.keys({ ...one, ...other });
  const partOf = (holder: JsonObject, name: string) =>
    Object.hasOwn(holder, name) ? canonicalJson(holder[name] as JsonValue) : undefined;
  const key = keys.find((name) => partOf(one, name) !== partOf(other, name));
  if (key === undefined) return [];
  return [Array.isArray(one) ? Number(key) : key, ...firstDifference(one[key], other[key])];
}

function isHolder(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !isSealed(value);
}

/** Reuses the recorded hash if it still matches, as the key may have changed since. */
async function hashOf({ secrets, state }: StoredRun, part: Omit<ApprovedCall, "runId">): Promise<string> {
  const call = { runId: state.runId, ...part };
  if (!secrets?.isIn(call.input)) return hashCall(call);
  const { approval } = instanceAt(state.steps, call) ?? {};
  return secrets.hashCall(call, (approval?.changed ?? approval)?.hash);
}

async function hashOfPlan({ secrets, state }: Run, plan: Plan): Promise<string> {
  if (!secrets?.isIn(plan)) return hashPlan(plan);
  return state.planApproval?.hash ?? secrets.hashPlan(plan);
}

/** A policy that fails requires approval. A policy that never answers must not hold up an aborted run. */
async function asks(run: Run, ref: StepRef | undefined, ask: () => boolean | Promise<boolean>): Promise<boolean> {
  const source = ref === undefined ? run.openSource() : run.openWaiting();
  try {
    const answer = ask();
    return isThenable(answer) ? await settleOrAbort(Promise.resolve(answer), source) : answer;
  } catch (thrown) {
    if (!source.aborted)
      warnOf(run, ref, `needsApproval failed, so approval is required: ${toErrorData(thrown).message}`);
    return true;
  } finally {
    run.closeSource(source);
  }
}

async function recallOrAsk(run: Run, asked: Undecided): Promise<ApprovalStatus> {
  const { ref, hash, subject } = asked;
  const known = run.approvalOf(ref);
  if (known !== undefined && (known.changed ?? known).hash === hash && known.status !== "withdrawn")
    return statusOf(known);
  const { approvalTtlMs } = run.engine;
  const isEndless = approvalTtlMs === Number.POSITIVE_INFINITY;
  const expiry = isEndless ? {} : { expiresAt: new Date(run.sharedNow() + approvalTtlMs).toISOString() };
  await run.emit({ type: "approval-request", ...subject, ...expiry });
  if (run.recorder.failure !== undefined) return "waiting";
  // A listener may have decided at once.
  await run.commandsRecorded();
  const isOpen = () => run.approvalOf(ref)?.status === "requested";
  if (run.engine.requestApproval !== undefined && isOpen()) {
    const outcome = await askInline(run, { ...asked, request: { ...asked.request, ...expiry } });
    await run.inTurn(async () => {
      if (outcome !== undefined && isOpen() && run.abortReason === undefined)
        await recordDecision(run, { ref, outcome });
    });
  }
  return statusOf(run.approvalOf(ref));
}

function statusOf(state: ApprovalState | undefined): ApprovalStatus {
  return state?.status === "approved" || state?.status === "rejected" ? state.status : "waiting";
}

interface Undecided {
  readonly ref: StepRef | undefined;
  readonly hash: string;
  readonly subject: ApprovalSubject;
  readonly request: ApprovalRequest;
}

async function askInline(run: Run, asked: Undecided): Promise<ApprovalOutcome | undefined> {
  const { ref, request } = asked;
  const source = ref === undefined ? run.openSource() : run.openWaiting();
  const forget = run.onDecision((other) => {
    if (ref?.stepId === other?.stepId && ref?.iteration === other?.iteration) source.abort("decided");
  });
  const stopTimer = onExpiry(run, request, () => source.abort(expired));
  try {
    const asking = Promise.resolve(run.engine.requestApproval?.(showIn(run, request), { signal: source.signal }));
    const answer: unknown = await settleOrAbort(asking, source);
    if (isExpired(request, run.sharedNow())) return expiredOutcome(request, ref);
    const read = readAnswer(answer, request.kind);
    if (read !== undefined) return await outcomeOfAnswer(run, asked, read);
    const returned = String(answer).slice(0, 100);
    warnOf(run, ref, `requestApproval returned ${returned}: its decision must be "approve", "reject" or "suspend".`);
  } catch (thrown) {
    if (source.reason === expired) return expiredOutcome(request, ref);
    if (!source.aborted)
      warnOf(run, ref, `requestApproval failed, so the run is suspended: ${toErrorData(thrown).message}`);
  } finally {
    stopTimer();
    forget();
    run.closeSource(source);
  }
  return undefined;
}

const expired = Symbol("expired");

function onExpiry(run: Run, { expiresAt }: { readonly expiresAt?: string }, callback: () => void): () => void {
  const { clock } = run.engine;
  const leftMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - run.sharedNow();
  if (leftMs > maxTimerMs) return () => {};
  const timer = clock.setTimeout(callback, Math.max(0, leftMs));
  return () => clock.clearTimeout(timer);
}

async function outcomeOfAnswer(
  run: Run,
  { ref, hash }: Undecided,
  { decision, input, comment, reason = comment ?? "requestApproval rejected it", ...note }: ApprovalAnswer,
): Promise<ApprovalOutcome | undefined> {
  if (decision === "suspend") return undefined;
  const verdict = { verdict: decision, ref, reason, ...note, ...(comment !== undefined && { comment }) };
  if (input === undefined || ref === undefined) return decisionOutcome(verdict);
  return decisionOutcome(verdict, await changeCall(run.engine, run, { ref, hash, input }));
}

function warnOf(run: Run, ref: StepRef | undefined, message: string): void {
  run.warn({ code: "approval-failed", ...ref, message: `Run ${run.runId}, ${describeSubject(ref)}: ${message}` });
}

function readAnswer(answer: unknown, kind: "step" | "plan"): ApprovalAnswer | undefined {
  if (isDecision(answer)) return { decision: answer };
  const { decision } = (answer ?? {}) as { readonly decision?: unknown };
  if (!isDecision(decision)) return undefined;
  checkKeys("answer", answer, ["decision", "by", "comment", decision === "approve" ? "input" : "reason"]);
  const { by, comment, reason, input } = answer as ApprovalAnswer;
  checkOption({ type: "text" }, reason, "reason");
  return {
    decision,
    ...readNote({ by, comment }),
    ...(reason !== undefined && { reason }),
    ...(input !== undefined && { input: readInput(input, kind) }),
  };
}

function isDecision(value: unknown): value is ApprovalDecision {
  return value === "approve" || value === "reject" || value === "suspend";
}

export type ApprovalOutcome = ApprovalEndEvent["outcome"];

export function approvalEnd(ref: StepRef | undefined, outcome: ApprovalOutcome): EventInit {
  if (ref === undefined) return { type: "approval-end", kind: "plan", outcome };
  return { type: "approval-end", kind: "step", ...ref, outcome };
}

export function decisionOutcome(
  { verdict, ref, reason, by, comment }: Omit<Decision, "hash" | "atMs">,
  changed?: ChangedCall,
): ApprovalOutcome {
  const note = defined({ by, comment });
  if (verdict === "approve") return { status: "approved", ...note, ...(changed && { changed }) };
  const error = new AgentError("approval-rejected", `${describeAsked(ref)} was not approved: ${reason}`, {
    details: { ...ref, reason },
  });
  return { status: "rejected", error: error.toJSON(), ...note };
}

function describeAsked(ref: StepRef | undefined): string {
  return ref === undefined ? "The plan" : `Step "${describeStepRef(ref)}"`;
}

export type StoredRun = Pick<Run, "state" | "secrets">;

export function requireAsked({ state, secrets }: StoredRun, decision: Decision): boolean {
  const { ref, hash, verdict, atMs } = decision;
  const part = ref && instanceAt(state.steps, ref);
  const approval = ref === undefined ? state.planApproval : part?.approval;
  if (approval?.hash !== hash) throw notPending(state, decision);
  if (approval.error?.code === "approval-expired") throw fromErrorData(approval.error);
  if (approval.status === "requested" && isExpired(approval, atMs)) throw approvalExpired(approval, ref);
  if (approval.status === (verdict === "approve" ? "approved" : "rejected") && isSameInput(decision, part, secrets))
    return false;
  const isWaiting = ref === undefined || part?.status === "waiting";
  if (approval.status !== "requested" || !isWaiting) throw notPending(state, decision);
  return true;
}

function isSameInput({ input }: Decision, part: StepState | undefined, secrets: StoredRun["secrets"]): boolean {
  if (input === undefined) return part?.approval?.changed === undefined;
  if (part === undefined) return false;
  const given = secrets?.restore(input, part.input) ?? input;
  return canonicalJson(opened({ secrets }, given)) === canonicalJson(opened({ secrets }, part.input));
}

export function requireFirst({ state }: StoredRun, decision: Decision, earlier: readonly Decision[]): void {
  const contentOf = ({ verdict, input }: Decision) => canonicalJson({ verdict, input: input ?? null });
  const first = earlier.find(({ hash }) => hash === decision.hash);
  if (first === undefined || contentOf(first) === contentOf(decision)) return;
  const status = first.verdict === "approve" ? "approved" : "rejected";
  const decided = { status, decidedAt: new Date(first.atMs).toISOString(), ...defined({ by: first.by }) } as const;
  throw notWaiting(state.runId, describeDecided(decision.ref, decided), "is not waiting for this decision", decided);
}

export function notPending(state: RunState, decision: Decision): AgentError<"run-conflict"> {
  const decided = decidedBefore(state, decision);
  const reason = decided === undefined ? reasonOf(state, decision) : describeDecided(decision.ref, decided);
  return notWaiting(state.runId, reason, "is not waiting for this decision", decided);
}

function decidedBefore(state: RunState, { ref, hash }: Decision): Decided | undefined {
  const approval = ref === undefined ? state.planApproval : instanceAt(state.steps, ref)?.approval;
  const { status, decidedAt, by } = approval ?? {};
  if ((status !== "approved" && status !== "rejected") || decidedAt === undefined || approval?.hash !== hash)
    return undefined;
  return { status, decidedAt, ...defined({ by }) };
}

function describeDecided(ref: StepRef | undefined, { status, decidedAt, by }: Decided): string {
  return `${describeSubject(ref)} was ${status}${by === undefined ? "" : ` by ${by}`} at ${decidedAt}`;
}

function reasonOf({ status, steps, planApproval, pending = [] }: RunState, { ref, hash }: Decision): string {
  const what = describeSubject(ref);
  const iterations = ref && steps.get(ref.stepId)?.iterations;
  if (ref !== undefined && !steps.has(ref.stepId)) return `it has no ${what}`;
  if (iterations !== undefined && ref?.iteration === undefined)
    return `${what} has iterations: give the number of one, from 0 to ${iterations.states.length - 1}`;
  const approval = ref === undefined ? planApproval : instanceAt(steps, ref)?.approval;
  if (approval === undefined)
    return `no approval of ${what} was requested (pending items of the run: ${pending.length})`;
  if (approval.status === "withdrawn")
    return `the approval request for ${what} was withdrawn; resume the run to be asked again`;
  if (approval.hash !== hash) return `${what} has the hash ${approval.hash}, not ${hash}`;
  return `its status is ${status}`;
}

/** Must be called within {@link Run.inTurn}. */
export async function recordDecision(
  run: Run,
  { ref, outcome, message }: { ref: StepRef | undefined; outcome: ApprovalOutcome; message?: number | undefined },
): Promise<void> {
  if (message !== undefined) run.recorder.acknowledge(message);
  await run.emit(approvalEnd(ref, outcome));
  run.notifyDecision(ref);
}

function isExpired({ expiresAt }: { readonly expiresAt?: string }, nowMs: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs;
}

export function waitsInVain({ pending = [] }: { readonly pending?: readonly PendingItem[] }, nowMs: number): boolean {
  return pending.some((item) => "hash" in item && isExpired(item, nowMs));
}

export async function rejectExpired(run: Run): Promise<void> {
  const { steps, planApproval } = run.state;
  const nowMs = run.sharedNow();
  const reject = (ref: StepRef | undefined) =>
    run.inTurn(async () => {
      const asked = run.approvalOf(ref);
      if (asked?.status !== "requested" || !isExpired(asked, nowMs)) return;
      await recordDecision(run, { ref, outcome: expiredOutcome(asked, ref) });
    });
  if (planApproval !== undefined) await reject(undefined);
  for (const part of instancesOf(steps.values()))
    if (part.status === "waiting" && part.approval !== undefined) await reject(stepRefOf(part));
}

function expiredOutcome(asked: Pick<ApprovalState, "expiresAt">, ref: StepRef | undefined): ApprovalOutcome {
  return { status: "rejected", error: approvalExpired(asked, ref).toJSON() };
}

function approvalExpired(
  { expiresAt = "" }: Pick<ApprovalState, "expiresAt">,
  ref: StepRef | undefined,
): AgentError<"approval-expired"> {
  const message = `${describeAsked(ref)} was not approved: no decision was made before ${expiresAt}.`;
  return new AgentError("approval-expired", message, { details: { ...ref, expiresAt } });
}

export async function changeCall(
  { toolsByName }: EngineSettings,
  { state, secrets }: StoredRun,
  { ref, hash, input: given }: { readonly ref: StepRef; readonly hash: string; readonly input: JsonObject },
): Promise<ChangedCall | undefined> {
  const step = instanceAt(state.steps, ref) as StepState;
  const reason = whyFixed(state, step);
  if (reason !== undefined) throw notWaiting(state.runId, `the input of step "${describeStepRef(ref)}" ${reason}`);
  const tool = toolsByName.get(step.tool);
  if (tool === undefined) throw resumeMismatch(state.runId, [missingTool(step.tool)]);
  const task = taskOfPart(step);
  const input = await sealChange(secrets, step, given);
  const called = opened({ secrets }, input);
  const parsed = await parseWith(tool.inputSchema, copyJson(called));
  const issues = parsed.ok ? await unknownKeys(tool, called) : parsed.issues;
  if (!parsed.ok || issues.length > 0) throw invalidInput(task, issues);
  const effect = readEffect(tool, { parsed: parsed.value, task });
  const shown = await parsedJson({ secrets }, { tool, input, parsed: parsed.value });
  const newHash = await hashOf({ secrets, state }, { ...ref, tool: tool.name, effect, input: shown });
  // Different inputs may parse to equal JSON.
  const isSame = newHash === hash && canonicalJson(called) === canonicalJson(opened({ secrets }, step.input));
  return isSame ? undefined : { input, effect, hash: newHash };
}

export async function sealChange(
  secrets: RunSecrets | undefined,
  step: StepState,
  input: JsonObject,
): Promise<JsonObject> {
  return secrets?.sealChange(step, input, (issues) => invalidInput(taskOfPart(step), issues)) ?? input;
}

function readEffect(tool: DefinedTool, { parsed, task }: { parsed: unknown; task: FailedTask }): ToolEffect {
  try {
    return effectOf(tool, parsed);
  } catch (thrown) {
    throw toolFailed(task, { cause: thrown });
  }
}

function whyFixed({ options }: RunState, { attempts }: StepState): string | undefined {
  if (options?.approvedHash !== undefined)
    return "was approved with the plan (approvedHash): approve the step unchanged, or reject it";
  if (attempts > 0) return "was already sent with the step's idempotencyKey: approve the step unchanged, or reject it";
  return undefined;
}

async function unknownKeys(tool: DefinedTool, input: JsonObject): Promise<readonly SchemaIssue[]> {
  const { input: schema } = await toolSchemas(tool);
  return findUnknownKeys(schema, input).map((path) => ({ path, message: `"${tool.name}" has no such input` }));
}
