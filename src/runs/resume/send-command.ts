import { Backoff } from "../../async/backoff.ts";
import { toTimestamp } from "../../async/clock.ts";
import { countPending } from "../../async/promises.ts";
import { type AgentError, type AgentErrorData, isAgentError } from "../../core/errors.ts";
import type { AgentEvent, EventInit } from "../../core/events.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { failOption } from "../../core/option-tables.ts";
import { failAnswer, maxAnswerLength, questionOf, toQuestionItem } from "../../core/question.ts";
import type { RunResult } from "../../core/run-result.ts";
import { openQuestionOf, type RunState, reduceRunState } from "../../core/run-state.ts";
import { type PostAnswer, type PostOptions, runNotFound } from "../../core/run-store.ts";
import { endedStatuses, isHold, isUnstarted, isWait } from "../../core/run-summary.ts";
import type { NamedEvent, UnreadAnswer } from "../commands/command-options.ts";
import {
  type CommandKind,
  type Commands,
  type CommandType,
  commands,
  keepsTooMany,
  maxDeliveries,
  mayAnswer,
  toDelivery,
} from "../commands/commands.ts";
import type { EngineSettings } from "../run/engine-settings.ts";
import { shownResult } from "../run/redaction.ts";
import { Run } from "../run/run.ts";
import { cancelledBy, interruptedBy, notWaiting } from "../run/run-errors.ts";
import type { CommandOptions } from "../run/run-options.ts";
import { pendingItems } from "../run/run-progress.ts";
import { evidenceOf, toStoreError } from "../run/run-recorder.ts";
import { secretsIfReadable, secretsOf } from "../run/run-secrets.ts";
import { loadWords, type SayEnd } from "../run/run-words.ts";
import { endingOf } from "../steps/end-run.ts";
import type { RecordedRun } from "../stored/parse-stored.ts";
import type { Opening, RunRegistry } from "../stored/run-registry.ts";
import { readExisting } from "../stored/stored-runs.ts";
import { continueStored, recordResume, restoreSettings, type StoredLease } from "./resume-run.ts";

export async function deliverEarly(runs: RunRegistry, runId: string, given: NamedEvent): Promise<boolean> {
  const message = { type: "deliver", ...(await toDelivery(runs.settings, given)) };
  const { number } = await post(runs, runId, message, { isEarly: true, maxKept: maxDeliveries });
  return number !== undefined;
}

export async function toAnswer(
  runs: RunRegistry,
  runId: string,
  { answer: given, thread, ...asked }: UnreadAnswer,
): Promise<Commands["answer"] | undefined> {
  const { settings, leases } = runs;
  const atMs = leases.toShared(settings.clock.now());
  await runs.whenStarted(runId);
  const { state } = await readExisting(settings, runId);
  if (thread !== undefined && state.thread !== thread) throw runNotFound(runId);
  const value = typeof given === "string" ? await readText(settings, state, { ...asked, text: given }) : given.answer;
  const step = state.steps.get(asked.stepId);
  if (typeof given === "string" && value === null && step && openQuestionOf(step) !== undefined) return undefined;
  const answer = { ...asked, value, atMs, ...(typeof given === "string" && { typed: true as const }) };
  mayAnswer(state, answer);
  return answer;
}

async function readText(
  { loadTurns, clock }: EngineSettings,
  { runId, steps, options }: RunState,
  { stepId, text }: { readonly stepId: string; readonly text: string },
): Promise<JsonValue> {
  const expected = "{ answer: … }: only an agent made by createAgent reads text";
  if (loadTurns === undefined) failOption("answer", text, expected, true);
  const step = steps.get(stepId);
  const question = step && questionOf(step);
  if (question === undefined) return null;
  if (text.length > maxAnswerLength) failAnswer(question, text);
  const item = toQuestionItem({ runId, stepId }, question, step?.wait?.until);
  const { readAnswer } = await countPending(loadTurns());
  const answer = readAnswer(item, text, { nowMs: clock.now(), timeZone: options?.timeZone ?? "UTC" });
  return answer === undefined ? failAnswer(question, text) : answer;
}

interface SentCommand<TType extends CommandType> extends Opening, CommandOptions {
  readonly type: TType;
  readonly command: Commands[TType];
}

/**
 * Acts on a run that is active here. Otherwise resumes the run, or posts the command to the process that owns it and
 * polls until the execution has ended or the owner has died. Without `resumes`, only records or posts the command.
 * `signal` only ends the wait. Repeating a command changes nothing.
 */
export function sendCommand<TType extends CommandType>(
  runs: RunRegistry,
  sent: SentCommand<TType>,
): Promise<RunResult> {
  return runs.track(actOrPost(runs, sent));
}

async function actOrPost<TType extends CommandType>(
  runs: RunRegistry,
  { type, command: given, ...sending }: SentCommand<TType>,
): Promise<RunResult> {
  const { settings } = runs;
  const { runId, resumes, thread, cancelling, onRecorded } = sending;
  if (thread !== undefined) await runs.requireInThread(runId, thread);
  const kind: CommandKind<Commands[TType]> = commands[type];
  const known: { recorded?: RecordedRun } = {};
  let command = given;
  let isCancelled = type === "cancel";
  let isPrepared = false;
  let postedAs: number | undefined;
  const continuation = { ...sending, ...(isCancelled && { isCancel: true as const }), known };

  const readState = async (): Promise<RunState> => {
    known.recorded = await readExisting(settings, runId, known.recorded);
    return known.recorded.state;
  };

  const readRun = async () => {
    const state = await readState();
    const isNeeded = kind.needsSecrets?.(command) ?? false;
    return { state, secrets: await (isNeeded ? secretsOf : secretsIfReadable)(settings, { state }) };
  };

  const toMessage = async (): Promise<object> => ({
    type,
    ...(kind.toMessage === undefined ? command : await kind.toMessage(command, await readRun())),
  });

  const postOnly = async (): Promise<RunResult> => {
    for (;;) {
      const run = await readRun();
      if (kind.check(run, command)) {
        const message = await toMessage();
        const { number } = await post(runs, runId, message, { maxKept: kind.maxKept?.(run.state, command) });
        if (number === undefined) continue;
      }
      onRecorded?.();
      return resultNow(runs, run.state);
    }
  };

  const actHere = () =>
    runs.withRun(runId, {
      whenActive: async ({ run, result }) => {
        const hasActed = await kind.act(run, command, { caller: { ...sending, result } });
        return hasActed ? result : undefined;
      },
      whenStored: async () => {
        if (!isPrepared && kind.isUnprepared?.(command)) {
          const state = await readState();
          if (runs.has(runId)) return undefined;
          command = (await kind.prepare?.(command, { settings, state, resumes })) ?? command;
          isPrepared = true;
          return undefined;
        }
        if (!resumes && kind.isRecordedAtOnce !== true) return postOnly();
        const result = await continueStored(runs, {
          ...continuation,
          isCompared: kind.needsSecrets?.(command) ?? false,
          mayResume: (state, secrets, posted) => kind.check({ state, secrets }, command, posted),
          // The resumption and the command are recorded together or not at all.
          events: kind.events(command),
          ...(!resumes && { record }),
        });
        if (!resumes) onRecorded?.();
        return result;
      },
    });

  const record = async (state: RunState, { fence, posted }: StoredLease): Promise<RunResult> => {
    if (kind.isUnprepared?.(command) !== true)
      return resultNow(runs, await recordSuspended(runs, sending, { state, fence, events: kind.events(command) }));
    const isKept = posted.some(({ number }) => number === postedAs);
    if (postedAs !== undefined && !isKept) throw notWaiting(runId, "the process that executed it refused the command");
    if (!isKept) await post(runs, runId, await toMessage());
    return resultNow(runs, state);
  };

  const poll = async (look: () => Promise<RunResult | undefined>): Promise<RunResult> => {
    const { clock, leaseMs, store } = settings;
    const { signal } = sending.options;
    const backoff = new Backoff({ clock, firstMs: 20, maxMs: Math.min(1_000, leaseMs / 3) });
    const stopWatching = store.watch?.(runId, backoff.wake);
    try {
      for (;;) {
        await backoff.pause(runs.stopping, signal, isCancelled ? undefined : cancelling);
        if (runs.stopping.aborted) throw interruptedBy("the agent was closed");
        if (signal?.aborted) throw cancelledBy(signal.reason);
        const result = await look();
        if (result !== undefined) return result;
      }
    } finally {
      stopWatching?.();
    }
  };

  const resultIfTaken = async (): Promise<RunResult | undefined> => {
    const run = await readRun();
    if (kind.check(run, command)) return undefined;
    onRecorded?.();
    return resultNow(runs, run.state);
  };

  const askOwner = async (): Promise<RunResult> => {
    const taken = await resultIfTaken();
    if (taken !== undefined) return taken;
    let isPosted = false;
    // Pauses first: if another decision holds the run, it does so only for a moment.
    return poll(async () => {
      const result = (await actHere().catch(requireOwned)) ?? (await resultIfTaken());
      if (result !== undefined || isPosted) return result;
      isPosted = true;
      postedAs = (await post(runs, runId, await toMessage())).number;
      return undefined;
    });
  };

  const actThere = async (): Promise<RunResult> => {
    const { number } = await post(runs, runId, await toMessage());
    if (number !== undefined) onRecorded?.();
    return poll(async () => {
      if (cancelling?.aborted && !isCancelled) {
        isCancelled = true;
        const { reason } = (cancelling.reason as AgentError<"cancelled">).details;
        const message = await commands.cancel.toMessage?.({ reason }, await readRun());
        await post(runs, runId, { type: "cancel", ...message });
      }
      // Another caller in this process may own the run now, and then receives the message.
      if (runs.has(runId)) return undefined;
      const result = await continueStored(runs, {
        ...continuation,
        looksForPosted: true,
        mayResume: ({ status }) => !endedStatuses.has(status) && status !== "suspended",
      }).catch(requireOwned);
      // Only the record of the run shows that the owner refused the message.
      if (result !== undefined) kind.checkEnded?.(await readRun(), command);
      return result;
    });
  };

  const acted = await actHere().catch(requireOwned);
  if (acted !== undefined) return acted;
  if (known.recorded !== undefined && isUnstarted(known.recorded.state)) return postOnly();
  return resumes ? actThere() : kind.isAnswered === true ? askOwner() : postOnly();
}

/** Only records the events; this needs no tools or keys. The process that resumes the run acts on the events. */
async function recordSuspended(
  runs: RunRegistry,
  { runId, channel }: Opening,
  { state, fence, events }: { state: RunState; fence: number | undefined; events: readonly EventInit[] },
): Promise<RunState> {
  if (endingOf(state) !== undefined) throw notWaiting(runId, "it was ending when its process died; resume it first");
  const run = new Run(runId, runs, restoreSettings(runs.settings, state, { isCancel: true }), state);
  run.watchers = runs.watchers.get(runId);
  run.secrets = await secretsIfReadable(runs.settings, { state });
  run.evidence = await evidenceOf(runs.settings, state);
  run.fence = fence;
  if (channel !== undefined) run.addChannel(channel);
  const loading = loadWords(run);
  const say = loading && (await loading);
  await recordResume(run, [], events, (before) => suspensionAfter(run, before, say));
  return run.state;
}

function suspensionAfter(run: Run, events: readonly EventInit[], say: SayEnd | undefined): EventInit {
  const { runId, state, settings } = run;
  const after = structuredClone(state);
  for (const event of events)
    reduceRunState(after, { ...event, runId, sequence: after.sequence + 1, timestamp: "" } as AgentEvent);
  const holds = (state.pending ?? []).filter(isHold);
  const items = pendingItems({ state: after, settings }).filter((item) => holds.length === 0 || !isWait(item));
  const resumeAt = holds.length === 0 ? { resumeAt: toTimestamp(run.sharedNow()) } : {};
  const pending = [...holds, ...items];
  return { type: "run-suspend", pending, ...resumeAt, ...say?.(after, { status: "suspended", pending }) };
}

function requireOwned(thrown: unknown): undefined {
  if (!isAgentError(thrown, "run-owned-elsewhere")) throw thrown;
}

function resultNow({ settings }: RunRegistry, state: RunState): RunResult {
  if (state.status !== "planning" && state.status !== "running") return shownResult(state, settings);
  const error = interruptedBy("another process is executing the run or will execute it").toJSON() as AgentErrorData;
  return shownResult({ ...state, status: "interrupted", error }, settings);
}

async function post(
  { settings, leases }: RunRegistry,
  runId: string,
  message: object,
  options: PostOptions = {},
): Promise<PostAnswer> {
  const askedMs = settings.clock.now();
  const counted = { ...message, ...(options.maxKept !== undefined && { isCounted: true }) };
  try {
    const json = JSON.parse(JSON.stringify(counted)) as JsonObject;
    const answer = (await settings.store.post(runId, json, options)) ?? {};
    leases.readTime(answer, askedMs);
    if (answer.isFull !== true) return answer;
  } catch (thrown) {
    if (isAgentError(thrown, "run-not-found")) throw thrown;
    throw toStoreError(thrown, { runId, operation: "post" });
  }
  throw keepsTooMany(runId);
}
