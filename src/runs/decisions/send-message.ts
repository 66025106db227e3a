import { type Abortable, AbortSource } from "../../async/abort-source.ts";
import { sleep } from "../../async/clock.ts";
import { AgentError, isAgentError } from "../../core/errors.ts";
import type { RunSettleEvent } from "../../core/events.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { PostAnswer, PostOptions } from "../../core/run-store.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import type { StepRef } from "../../core/step-ref.ts";
import { type Keyed, wrongKeyOf } from "../event-shapes.ts";
import { type Continuation, continueStored } from "../resume/continue-run.ts";
import { beginStopped } from "../resume/resume-run.ts";
import type { Run } from "../run.ts";
import { cancelledBy, interruptedBy } from "../run-errors.ts";
import type { ResumeOptions } from "../run-options.ts";
import { toStoreError } from "../run-recorder.ts";
import type { Opening, RunRegistry } from "../run-registry.ts";
import { secretsOfStored } from "../secrets/secrets-of-run.ts";
import { readExisting } from "../stored-runs.ts";
import type { Decision } from "./decision.ts";

/** The time between two polls of a run that another process is running: at first, and at most. It doubles each time. */
const firstPollMs = 20;
const maxPollMs = 1_000;
const noReason = "no reason given";
/** The most delivered events that a run keeps until a step takes them. */
export const maxDeliveries = 100;

/** A request to a run, whichever process is running it. */
interface Sending extends Opening {
  readonly options: ResumeOptions;
  /** Does it here; rejects with `run-owned-elsewhere` if another process is running the run. */
  readonly here: () => Promise<RunResult>;
  /** The message for the other process. */
  readonly message: () => RunMessage | Promise<RunMessage>;
  /** Throws if the record of a run, once its execution has ended, shows that it had no effect. */
  readonly check?: (run: Pick<Run, "state" | "secrets">) => void;
  readonly isCancel?: true;
}

/**
 * Does something here, or has the process do it that owns the run. That process is sent a message, and the run is
 * polled until its execution has ended; if the process dies, the run resumes here. `signal` ends the waiting and takes
 * nothing back; whoever cancels the run meanwhile cancels it there. Rejects as `here` does, except with
 * `run-owned-elsewhere`; also with `cancelled` by the signal, or `interrupted` once the agent is closed.
 */
export function doOrSend(runs: RunRegistry, sending: Sending): Promise<RunResult> {
  return runs.track(doHereOrThere(runs, sending));
}

async function doHereOrThere(runs: RunRegistry, sending: Sending): Promise<RunResult> {
  try {
    return await sending.here();
  } catch (thrown) {
    if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
  }
  const { runId, cancelling, message } = sending;
  await post(runs, runId, await message());
  const continuation = takingOver(sending);
  let isCancelled = sending.isCancel === true;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(2 * pollMs, maxPollMs)) {
    await pause(runs, sending, { pollMs, isCancelled });
    if (cancelling?.aborted && !isCancelled) {
      isCancelled = true;
      await post(runs, runId, await cancelMessage(runs, runId, reasonOf(cancelling)));
    }
    // Somebody else in this process may have taken it over, and receives the message like any owner.
    if (runs.has(runId)) continue;
    try {
      const result = await continueStored(runs, continuation);
      await requireDone(runs, sending);
      return result;
    } catch (thrown) {
      if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
    }
  }
}

/** Whoever owned the run may have refused the message, which only its record shows. */
async function requireDone({ settings }: RunRegistry, { runId, check }: Sending): Promise<void> {
  if (check === undefined) return;
  const { state } = await readExisting(settings, runId);
  check({ state, secrets: await secretsOfStored(settings, state) });
}

/** A request to cancel as it is posted, without secrets in it: until it is received, it is in the store. */
export async function cancelMessage({ settings }: RunRegistry, runId: string, reason: string): Promise<RunMessage> {
  const { state } = await readExisting(settings, runId);
  try {
    const secrets = await secretsOfStored(settings, state);
    return { type: "cancel", ...(secrets?.hideIn({ reason }) ?? { reason }) };
  } catch (thrown) {
    if (!isAgentError(thrown, "secret-unreadable")) throw thrown;
    return { type: "cancel", reason: noReason };
  }
}

/** Takes the run over: whoever claims it acts on what was posted. */
function takingOver({ runId, startedMs, channel, cancelling, options, isCancel }: Sending): Continuation {
  return {
    ...{ runId, startedMs, options },
    ...(channel && { channel }),
    ...(cancelling && { cancelling }),
    ...(isCancel && { isCancel }),
    known: {},
    looksForPosted: true,
    mayResume: ({ status }) => !endedStatuses.has(status) && status !== "suspended",
    begin: beginStopped,
  };
}

/**
 * Posts a message to a run; without a number, the run has ended. Rejects with `limit-exceeded` if the run keeps as many as
 * it may, `run-not-found` or `store-failed`.
 */
export async function post(
  { settings, leases }: RunRegistry,
  runId: string,
  message: RunMessage,
  options: PostOptions = {},
): Promise<PostAnswer> {
  const askedMs = settings.clock.now();
  try {
    const answer = (await settings.store.post(runId, messageToJson(message), options)) ?? {};
    leases.readTime(answer, askedMs);
    if (answer.isFull !== true) return answer;
  } catch (thrown) {
    if (isAgentError(thrown, "run-not-found")) throw thrown;
    throw toStoreError(thrown, { runId, operation: "post" });
  }
  throw keepsTooMany(runId);
}

/** The error of an event that a run cannot keep. */
export function keepsTooMany(runId: string, used = maxDeliveries): AgentError<"limit-exceeded"> {
  const message = `Run "${runId}" already keeps ${used} delivered events that no step has taken; at most ${maxDeliveries} are kept.`;
  return new AgentError("limit-exceeded", message, { details: { limit: "deliveries", max: maxDeliveries, used } });
}

function reasonOf({ reason }: Abortable): string {
  return isAgentError(reason, "cancelled") ? reason.details.reason : noReason;
}

interface Pause {
  readonly pollMs: number;
  /** Whether its cancellation has been posted. */
  readonly isCancelled: boolean;
}

/** Waits until it is time to poll again. Rejects if nobody waits any more. */
async function pause(
  runs: RunRegistry,
  { options, cancelling }: Sending,
  { pollMs, isCancelled }: Pause,
): Promise<void> {
  const { clock, leaseMs } = runs.settings;
  const { signal } = options;
  const wakers: Abortable[] = [
    runs.stopping,
    ...(signal ? [signal] : []),
    ...(cancelling && !isCancelled ? [cancelling] : []),
  ];
  const waking = new AbortSource();
  const wake = () => waking.abort(undefined);
  for (const waker of wakers) waker.addEventListener("abort", wake);
  if (wakers.some(({ aborted }) => aborted)) wake();
  await sleep(Math.min(pollMs, leaseMs / 3), { clock, signal: waking });
  for (const waker of wakers) waker.removeEventListener("abort", wake);
  requireWaiting(runs, signal);
}

function requireWaiting({ stopping }: RunRegistry, signal: AbortSignal | undefined): void {
  if (stopping.aborted) throw interruptedBy("the agent was closed");
  if (signal?.aborted) throw cancelledBy(signal.reason);
}

/** A request to a run, whichever process has it, as JSON. */
export type RunMessage =
  | { readonly type: "cancel"; readonly reason: string }
  | { readonly type: "decide"; readonly decision: Decision }
  | { readonly type: "settle"; readonly ref: StepRef; readonly outcome: RunSettleEvent["outcome"] }
  | {
      readonly type: "deliver";
      readonly name: string;
      readonly value: JsonValue;
      readonly id: string;
      readonly isChecked?: true;
      readonly isCounted?: true;
    };

/** A message as a store keeps it: there a step ref is a `place`, as processes of other versions may read it. */
function messageToJson(message: RunMessage): JsonObject {
  return JSON.parse(
    JSON.stringify(message.type === "cancel" || message.type === "deliver" ? message : withPlace(message)),
  ) as JsonObject;
}

function withPlace(message: Exclude<RunMessage, { type: "cancel" | "deliver" }>): object {
  if (message.type === "settle") return { type: message.type, place: message.ref, outcome: message.outcome };
  const { ref: place, ...decision } = message.decision;
  return { type: message.type, decision: { ...decision, place } };
}

/** A message that a store returned, which may be anything. Throws, with the reason, if it is not a message. */
export function parseMessage(found: unknown): RunMessage {
  const message = keyed(found, "it is not an object");
  switch (message.type) {
    case "cancel":
      if (typeof message.reason !== "string") throw new TypeError("its reason is not a text");
      return { type: "cancel", reason: message.reason };
    case "decide":
      return { type: "decide", decision: parseDecision(message.decision) };
    case "deliver": {
      const wrong = wrongKeyOf["run-deliver"](message);
      if (wrong !== undefined) throw new TypeError(`its ${wrong} is invalid`);
      return message as RunMessage;
    }
    case "settle": {
      const ref = parseStepRef(message.place);
      const wrong = wrongKeyOf["run-settle"]({ ...ref, outcome: message.outcome });
      if (wrong !== undefined) throw new TypeError(`its ${wrong} is invalid`);
      return { type: "settle", ref, outcome: message.outcome as RunSettleEvent["outcome"] };
    }
    default:
      throw new TypeError(`there is no message of type ${JSON.stringify(message.type)}`);
  }
}

function parseDecision(found: unknown): Decision {
  const decision = keyed(found, "its decision is not an object");
  const { verdict, hash, reason, atMs, place, ...note } = decision;
  if (verdict !== "approve" && verdict !== "reject") throw new TypeError("its verdict is neither approve nor reject");
  if (typeof hash !== "string" || typeof reason !== "string")
    throw new TypeError("its hash or its reason is not a text");
  for (const key of ["by", "comment"])
    if (!["undefined", "string"].includes(typeof decision[key])) throw new TypeError(`its ${key} is not a text`);
  if (decision.input !== undefined) keyed(decision.input, "its input is not an object");
  const ref = place === undefined ? undefined : parseStepRef(place);
  if (typeof atMs !== "number") throw new TypeError("its time is not a number");
  return { ...note, verdict, hash, reason, atMs, ref };
}

function parseStepRef(found: unknown): StepRef {
  const { stepId, iteration } = keyed(found, "its place is not an object");
  const isIndex = iteration === undefined || (Number.isInteger(iteration) && (iteration as number) >= 0);
  if (typeof stepId !== "string" || !isIndex) throw new TypeError("its place is not that of a step");
  return { stepId, ...(iteration !== undefined && { iteration: iteration as number }) };
}

function keyed(value: unknown, why: string): Keyed {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError(why);
  return value as Keyed;
}
