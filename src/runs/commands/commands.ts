import { settleOrAbort } from "../../async/promises.ts";
import { AgentError, type AgentErrorData } from "../../core/errors.ts";
import { type EventInit, findWrongKey, type Keyed, type RunSettleEvent } from "../../core/events.ts";
import { canonicalJson, isRecord, type JsonValue, toJson } from "../../core/json.ts";
import { failOption } from "../../core/option-tables.ts";
import { checkAnswer, questionId, questionOf } from "../../core/question.ts";
import type { RunResult } from "../../core/run-result.ts";
import { instanceAt, isAwaited, isWaitOver, type RunState, type StepState } from "../../core/run-state.ts";
import type { PostedMessage } from "../../core/run-store.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import { parseWith } from "../../core/schema.ts";
import { describeStepRef, type StepRef, stepRefOf } from "../../core/step.ts";
import { describeThrown } from "../../core/text.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import { type Run, type RunCaller, whenStarted } from "../run/run.ts";
import { cancelledBy, notWaiting } from "../run/run-errors.ts";
import { needsKeyToCancel, opened, secretsOf } from "../run/run-secrets.ts";
import { invalidOutput, taskOfPart } from "../run/step-call.ts";
import {
  type ApprovalOutcome,
  approvalEnd,
  changeCall,
  decisionOutcome,
  notPending,
  recordDecision,
  requireAsked,
  requireFirst,
  type StoredRun,
  sealChange,
} from "./approvals.ts";
import type { Decision, NamedEvent, Settlement } from "./command-options.ts";

export interface Commands {
  readonly cancel: { readonly reason: string };
  readonly decide: { readonly decision: Decision; readonly outcome?: ApprovalOutcome };
  readonly settle: {
    readonly ref: StepRef;
    readonly settlement?: Settlement;
    readonly outcome?: RunSettleEvent["outcome"];
  };
  readonly deliver: {
    readonly name: string;
    readonly value: JsonValue;
    readonly id: string;
    readonly isChecked?: true;
    readonly isCounted?: true;
  };
  readonly answer: {
    readonly stepId: string;
    readonly value: JsonValue;
    readonly id: string;
    readonly atMs: number;
    readonly typed?: true;
  };
}

export type CommandType = keyof Commands;

export interface CommandKind<TCommand> {
  /** Throws the reason if the message is invalid, as a store may return anything. */
  parse(message: Keyed): TCommand;
  toMessage?(command: TCommand, run: StoredRun): object | Promise<object>;
  isUnprepared?(command: TCommand): boolean;
  prepare?(
    command: TCommand,
    { settings, state, resumes }: { settings: EngineSettings; state: RunState; resumes: boolean },
  ): Promise<TCommand>;
  /** Returns false if there is nothing left to do. Throws if the command can no longer take effect. */
  check(run: StoredRun, command: TCommand, posted?: readonly PostedMessage[]): boolean;
  isRecordedAtOnce?: true;
  isAnswered?: true;
  needsSecrets?(command: TCommand): boolean;
  /** Throws if the record of an ended execution shows that the command had no effect. */
  checkEnded?(run: StoredRun, command: TCommand): void;
  maxKept?(state: RunState, command: TCommand): number;
  events(command: TCommand): readonly EventInit[];
  /** Resolves to false if this execution cannot act on the command. Rejects if no execution can. */
  act(run: Run, command: TCommand, source: CommandSource): Promise<boolean>;
}

interface CommandSource {
  readonly caller?: RunCaller & { readonly result: Promise<RunResult> };
  readonly message?: number;
  readonly isResuming?: boolean;
}

const cancel: CommandKind<Commands["cancel"]> = {
  parse({ reason }) {
    requireThat(typeof reason === "string", "its reason is not text");
    return { reason };
  },

  toMessage: ({ reason }, { secrets }) => secrets?.hideIn({ reason }) ?? { reason },
  check: ({ state }) => !endedStatuses.has(state.status),
  events: () => [],

  async act(run, { reason }, { caller }) {
    if (caller === undefined) run.inbox.hasUnread = true;
    run.abort(cancelledBy(reason));
    if (caller === undefined) return true;
    const ended = await caller.result.catch(() => undefined);
    // False if the run was suspending when it was aborted, or was only looked up.
    return run.state.sequence > 0 && ended?.status !== "suspended";
  },
};

const decide: CommandKind<Commands["decide"]> = {
  parse: ({ decision }) => ({ decision: parseDecision(decision) }),

  async toMessage({ decision: { ref: place, ...decision } }, { state, secrets }) {
    if (secrets === undefined) return { decision: { ...decision, place } };
    const { input, by, comment, reason } = decision;
    const step = place && instanceAt(state.steps, place);
    // The comment may repeat a value of the input, which is therefore sealed first.
    const sealed = input && step && (await sealChange(secrets, step, input));
    const hidden = secrets.hideIn({ reason, ...(by && { by }), ...(comment && { comment }) });
    return { decision: { ...decision, ...hidden, ...(sealed && { input: sealed }), place } };
  },

  isUnprepared: ({ decision, outcome }) => decision.input !== undefined && outcome === undefined,

  async prepare(command, { settings, state, resumes }) {
    const { decision } = command;
    const tool = decision.ref && instanceAt(state.steps, decision.ref)?.tool;
    // If this process neither resumes the run nor has the tool, another process checks the input.
    if (!resumes && !settings.toolsByName.has(tool ?? "")) return command;
    const secrets = await secretsOf(settings, { state });
    return { ...command, outcome: await changeOf(settings, { state, secrets }, decision) };
  },

  check(run, { decision }, posted = []) {
    if (!requireAsked(run, decision)) return false;
    if (endedStatuses.has(run.state.status)) throw notPending(run.state, decision);
    const earlier = posted.flatMap(({ message }) => acceptable(run, message));
    requireFirst(run, decision, earlier);
    return true;
  },
  isRecordedAtOnce: true,
  isAnswered: true,

  needsSecrets: ({ decision }) => decision.input !== undefined,
  checkEnded: (run, { decision }) => void requireAsked(run, decision),
  events: ({ decision, outcome = decisionOutcome(decision) }) => [approvalEnd(decision.ref, outcome)],

  async act(run, { decision }, { caller, message }) {
    const { ref, input } = decision;
    const tool = ref && instanceAt(run.state.steps, ref)?.tool;
    if (message !== undefined && input !== undefined && tool !== undefined)
      await run.secrets?.loadIn(tool, "input", input);
    return run.inTurn(async () => {
      // The run may turn out to be only a lookup in the store.
      if (run.phase !== "open" || run.state.status !== "running") return false;
      const isNew = requireAsked(run, decision);
      if (caller !== undefined) run.join(caller);
      if (isNew) {
        const outcome = input === undefined ? decisionOutcome(decision) : await changedOutcome(run, decision);
        await recordDecision(run, { ref, outcome, message });
      } else if (message !== undefined) run.recorder.acknowledge(message);
      if (run.recorder.failure === undefined) caller?.onRecorded?.();
      return true;
    });
  },
};

function acceptable(run: StoredRun, message: JsonValue): readonly Decision[] {
  try {
    const decision = parseDecision(toKeyed(message, "it is not an object").decision);
    return requireAsked(run, decision) ? [decision] : [];
  } catch {
    return [];
  }
}

async function changeOf(settings: EngineSettings, run: StoredRun, decision: Decision): Promise<ApprovalOutcome> {
  const { ref, hash, input } = decision;
  const isNew = requireAsked(run, decision);
  if (!isNew || ref === undefined || input === undefined) return decisionOutcome(decision);
  return decisionOutcome(decision, await changeCall(settings, run, { ref, hash, input }));
}

function changedOutcome(run: Run, decision: Decision): Promise<ApprovalOutcome> {
  const source = run.openSource();
  const changing = changeOf(run.engine, run, decision);
  return settleOrAbort(changing, source).finally(() => run.closeSource(source));
}

function parseDecision(found: unknown): Decision {
  const decision = toKeyed(found, "its decision is not an object");
  const { verdict, hash, reason, atMs, place, ...note } = decision;
  requireThat(verdict === "approve" || verdict === "reject", 'its verdict is neither "approve" nor "reject"');
  requireThat(typeof hash === "string" && typeof reason === "string", "its hash or its reason is not a string");
  for (const key of ["by", "comment"])
    requireThat(["undefined", "string"].includes(typeof note[key]), `its ${key} is not a string`);
  if (note.input !== undefined) toKeyed(note.input, "its input is not an object");
  const ref = place === undefined ? undefined : parseStepRef(place);
  requireThat(typeof atMs === "number", "its time is not a number");
  return { ...note, verdict, hash, reason, atMs, ref };
}

const settle: CommandKind<Commands["settle"]> = {
  parse({ place, outcome }) {
    const ref = parseStepRef(place);
    const wrong = findWrongKey({ type: "run-settle", ...ref, outcome });
    requireThat(wrong === undefined, `its ${wrong} is invalid`);
    return { ref, outcome: outcome as RunSettleEvent["outcome"] };
  },

  async toMessage({ ref, outcome }, { state, secrets }) {
    const event = settlementOf({ ref, outcome });
    const sealed = secrets === undefined ? event : await secrets.sealEvent(state, event);
    return { place: ref, outcome: (sealed as RunSettleEvent).outcome };
  },

  isUnprepared: ({ outcome }) => outcome === undefined,

  async prepare({ ref, settlement }, { settings, state }) {
    const part = requireUnknown(state, ref);
    return { ref, outcome: await toOutcome(settings, part, settlement as Settlement) };
  },

  check: ({ state }, { ref }) => requireUnknown(state, ref) !== undefined,
  isRecordedAtOnce: true,
  needsSecrets: ({ outcome }) => outcome?.status === "completed",

  checkEnded({ state, secrets }, { ref, outcome }) {
    if (outcome === undefined || outcome.status === "retry") return;
    const { status, output = null } = instanceAt(state.steps, ref) ?? {};
    if (status === "unknown") return;
    const isSame =
      outcome.status === "failed"
        ? status === "failed"
        : (status === "completed" || status === "undone") &&
          canonicalJson(opened({ secrets }, output)) === canonicalJson(outcome.output as JsonValue);
    if (!isSame) throw notWaiting(state.runId, `step "${describeStepRef(ref)}" was settled differently`);
  },

  events: (command) => [settlementOf(command)],

  async act(run, command, { message, isResuming }) {
    // The run may still settle the step itself, or suspend to wait for this command.
    if (message === undefined) return false;
    const status = instanceAt(run.state.steps, command.ref)?.status;
    if (status !== "unknown") throw new Error(`step "${describeStepRef(command.ref)}" has no unknown outcome`);
    if (!isResuming) return false;
    const event = settlementOf(command);
    const sealed = run.secrets === undefined ? event : await run.secrets.sealEvent(run.state, event);
    run.recorder.acknowledge(message);
    await run.emit(sealed);
    return true;
  },
};

function settlementOf({ ref, outcome }: Commands["settle"]): EventInit {
  return { type: "run-settle", ...ref, outcome: outcome as RunSettleEvent["outcome"] };
}

function requireUnknown(state: RunState, ref: StepRef): StepState {
  const { runId, status } = state;
  const part = instanceAt(state.steps, ref);
  const name = `step "${describeStepRef(ref)}"`;
  if (part === undefined) throw notWaiting(runId, `it has no ${name}`);
  if (part.iterations !== undefined) {
    const last = part.iterations.states.length - 1;
    throw notWaiting(runId, `${name} has iterations: give the number of one, from 0 to ${last}`);
  }
  if (part.status === "running") throw notWaiting(runId, `${name} has not ended: resume the run first`);
  if (part.status !== "unknown") throw notWaiting(runId, `the status of ${name} is ${part.status}, not unknown`);
  if (endedStatuses.has(status)) throw notWaiting(runId, `its status is ${status}`);
  return part;
}

async function toOutcome(
  { toolsByName, maxOutputBytes }: EngineSettings,
  part: StepState,
  settlement: Settlement,
): Promise<RunSettleEvent["outcome"]> {
  if ("retry" in settlement) return { status: "retry" };
  const ref = stepRefOf(part);
  if ("failed" in settlement) {
    const { failed: message } = settlement;
    const errors = [{ name: "Error", message }];
    const error = new AgentError("tool-failed", message, { details: { tool: part.tool, ...ref, attempts: 1, errors } });
    return { status: "failed", error: error.toJSON() as AgentErrorData };
  }
  const task = taskOfPart(part);
  const schema = toolsByName.get(part.tool)?.outputSchema;
  let { output } = settlement;
  if (schema !== undefined) {
    const parsed = await parseWith(schema, output);
    if (!parsed.ok) throw invalidOutput(task, parsed.issues);
    output = parsed.value;
  }
  const json = toJson(output, { maxBytes: maxOutputBytes });
  if (!json.ok) throw invalidOutput(task, [json.issue]);
  return { status: "completed", output: json.value };
}

const deliver: CommandKind<Commands["deliver"]> = {
  parse(message) {
    const wrong = findWrongKey({ ...message, type: "run-deliver" });
    requireThat(wrong === undefined, `its ${wrong} is invalid`);
    const { name, value, id, isChecked, isCounted } = message as Keyed & Commands["deliver"];
    requireThat(typeof name === "string", "its name is invalid");
    const marks = { ...(isChecked === true && { isChecked }), ...(isCounted === true && { isCounted }) };
    return { name, value, id, ...marks };
  },

  check: ({ state }, delivery) => mayTake(state, delivery),
  checkEnded: ({ state }, delivery) => void mayTake(state, delivery),
  maxKept: roomFor,
  events: (delivery) => [deliveryOf(delivery)],

  async act(run, delivery, { caller, message }) {
    if (caller !== undefined) await whenStarted(run, caller.result);
    const isChecked = message === undefined || delivery.isChecked;
    const checked = isChecked ? delivery : { ...delivery, value: await checkValue(run.engine, delivery) };
    return recordDelivery(run, { caller, message }, () => mayTake(run.state, checked) && deliveryOf(checked));
  },
};

const answer: CommandKind<Commands["answer"]> = {
  parse(message) {
    const wrong = findWrongKey({ ...message, type: "run-deliver" });
    requireThat(wrong === undefined, `its ${wrong} is invalid`);
    const { stepId, value, id, atMs, typed } = message as Keyed & Commands["answer"];
    requireThat(typeof stepId === "string" && typeof atMs === "number", "its step or its time is invalid");
    return { stepId, value, id, atMs, ...(typed && { typed }) };
  },

  check({ state }, given, posted = []) {
    if (!mayAnswer(state, given)) return false;
    const first = posted
      .map(({ message }) => message as Keyed)
      .find(({ type, id }) => type === "answer" && id === given.id);
    if (first !== undefined && canonicalJson(first.value as JsonValue) !== canonicalJson(given.value))
      throw notAsked(state.runId, `"${given.stepId}" was already answered differently`);
    return true;
  },
  isRecordedAtOnce: true,
  isAnswered: true,

  checkEnded: ({ state }, given) => void mayAnswer(state, given),
  events: (given) => [answerOf(given)],

  act: (run, given, source) => recordDelivery(run, source, () => mayAnswer(run.state, given) && answerOf(given)),
};

function recordDelivery(
  run: Run,
  { caller, message }: CommandSource,
  toEvent: () => EventInit | false,
): Promise<boolean> {
  return run.inTurn(async () => {
    const { phase, state } = run;
    const isTaking = state.status === "running" || (state.status === "planning" && state.sequence > 0);
    if (phase !== "open" || !isTaking) return false;
    const event = toEvent();
    if (caller !== undefined) run.join(caller);
    if (message !== undefined) run.recorder.acknowledge(message);
    if (event) await run.emit(event);
    if (run.recorder.failure === undefined) caller?.onRecorded?.();
    if (!event) return true;
    const stepId = "stepId" in event ? event.stepId : run.state.deliveries?.lastTakenBy;
    if (stepId !== undefined) run.notifyDecision({ stepId });
    return true;
  });
}

function answerOf({ stepId, value, id, typed }: Commands["answer"]): EventInit {
  return { type: "run-deliver", stepId, value, id, ...(typed && { typed }) };
}

export function mayAnswer(state: RunState, { stepId, value, id, atMs }: Commands["answer"]): boolean {
  const { runId, status } = state;
  const step = state.steps.get(stepId);
  const question = step && questionOf(step);
  if (step === undefined || question === undefined || id !== questionId(runId, stepId))
    throw notAsked(runId, `it has no question "${id}"`);
  const { received } = step.wait ?? {};
  if (received !== undefined) {
    if (canonicalJson(received.value) === canonicalJson(value)) return false;
    throw notAsked(runId, `"${stepId}" was already answered differently`);
  }
  if (!isAwaited(step)) throw notAsked(runId, `its status is ${status}, and that of "${stepId}" is ${step.status}`);
  if (isWaitOver(step, atMs)) throw notAsked(runId, `"${stepId}" expired at ${step.wait?.until}`);
  checkAnswer(question, value);
  return true;
}

function notAsked(runId: string, reason: string): AgentError<"run-conflict"> {
  return notWaiting(runId, reason, "is not waiting for this answer");
}

export const maxDeliveries = 100;

export async function toDelivery(settings: EngineSettings, given: NamedEvent): Promise<Commands["deliver"]> {
  const { name, id } = given;
  const value = await checkValue(settings, given);
  return { name, value, id, ...(settings.events !== undefined && { isChecked: true }) };
}

async function checkValue(
  { events }: EngineSettings,
  { name, value }: Pick<NamedEvent, "name" | "value">,
): Promise<JsonValue> {
  let checked = value;
  if (events !== undefined) {
    const schema = events.get(name);
    if (schema === undefined) failOption("name", name, `an event of the agent: ${[...events.keys()].join(", ")}`, true);
    const parsed = await parseWith(schema, value);
    if (!parsed.ok) {
      const issues = parsed.issues.map(({ path, message }) => [...path, message].join(": "));
      failOption("value", value, `a value that fits the schema of "${name}": ${issues.join("; ")}`);
    }
    checked = parsed.value;
  }
  const json = toJson(checked, { maxBytes: 1_048_576 });
  if (!json.ok) failOption("value", checked, `JSON of at most 1 MiB: ${json.issue.message}`);
  return json.value;
}

function deliveryOf({ name, value, id }: Commands["deliver"]): EventInit {
  return { type: "run-deliver", name, value, id };
}

function mayTake(state: RunState, delivery: Commands["deliver"]): boolean {
  const { runId, status, deliveries } = state;
  if (deliveries?.ids.has(delivery.id)) return false;
  if (endedStatuses.has(status)) throw notWaiting(runId, `its status is ${status}`);
  if (delivery.isCounted || roomFor(state, delivery) > 0) return true;
  throw keepsTooMany(runId, deliveries?.keptCount);
}

function roomFor({ deliveries }: RunState, { name }: Commands["deliver"]): number {
  const isAwaitedNow = deliveries?.waiting.get(name)?.some((step) => isAwaited(step)) ?? false;
  return isAwaitedNow ? maxDeliveries : maxDeliveries - (deliveries?.keptCount ?? 0);
}

export function keepsTooMany(runId: string, used = maxDeliveries): AgentError<"limit-exceeded"> {
  const message = `Run "${runId}" already keeps ${used} events that no step has taken; the limit is ${maxDeliveries}.`;
  return new AgentError("limit-exceeded", message, { details: { limit: "deliveries", max: maxDeliveries, used } });
}

export const commands: { readonly [TType in CommandType]: CommandKind<Commands[TType]> } = {
  cancel,
  decide,
  settle,
  deliver,
  answer,
};

/** Acts on each message once: the resulting event acknowledges it. Never rejects. */
export async function receivePosted(
  run: Run,
  posted: readonly PostedMessage[],
  { isResuming = false }: { readonly isResuming?: boolean } = {},
): Promise<void> {
  for (const { number, message } of posted) {
    if (number <= run.inbox.lastNumber) continue;
    run.inbox.lastNumber = number;
    try {
      if (!(await receive(run, message, { message: number, isResuming }))) run.inbox.hasUnread = true;
    } catch (thrown) {
      if (run.abortReason !== undefined || run.phase === "ending" || run.phase === "closed") {
        run.inbox.hasUnread = true;
        continue;
      }
      run.recorder.acknowledge(number);
      run.warn({
        code: "message-refused",
        message: `Run ${run.runId} received a message that it cannot act on: ${describeThrown(thrown)}`,
      });
    }
  }
}

function receive(run: Run, found: unknown, source: CommandSource): Promise<boolean> {
  const message = toKeyed(found, "it is not an object");
  const { type } = message;
  if (!isCommandType(type)) throw new TypeError(`its type ${JSON.stringify(type)} is unknown`);
  if (run.hold !== undefined && (type !== "cancel" || needsKeyToCancel(run))) return Promise.resolve(true);
  const kind: CommandKind<Commands[CommandType]> = commands[type];
  return kind.act(run, kind.parse(message), source);
}

function isCommandType(type: unknown): type is CommandType {
  return typeof type === "string" && Object.hasOwn(commands, type);
}

function parseStepRef(found: unknown): StepRef {
  const { stepId, iteration } = toKeyed(found, "its place is not an object");
  const isIndex = iteration === undefined || (Number.isInteger(iteration) && (iteration as number) >= 0);
  requireThat(typeof stepId === "string" && isIndex, "its place is not a step");
  return { stepId, ...(iteration !== undefined && { iteration: iteration as number }) };
}

function toKeyed(value: unknown, why: string): Keyed {
  requireThat(isRecord(value), why);
  return value;
}

function requireThat(condition: boolean, why: string): asserts condition {
  if (!condition) throw new TypeError(why);
}
