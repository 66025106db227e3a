import { isThenable } from "../../async/thenable.ts";
import { type JsonValue, toJson } from "../../core/json.ts";
import { failOption } from "../../core/options.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import { parseWith } from "../../core/schema.ts";
import { isAwaited } from "../../core/wait-step.ts";
import type { EngineSettings } from "../options.ts";
import { continueStored } from "../resume/continue-run.ts";
import type { NamedEvent } from "../resume/resume-options.ts";
import { beginStopped } from "../resume/resume-run.ts";
import type { Run } from "../run.ts";
import { notWaiting } from "../run-errors.ts";
import type { ResumeOptions } from "../run-options.ts";
import type { Opening, RunRegistry } from "../run-registry.ts";
import { leaveMessage } from "./leave-message.ts";
import { doOrSend, keepsTooMany, maxDeliveries, post, type RunMessage } from "./send-message.ts";

/** The largest value, in bytes of JSON. */
const maxValueBytes = 1_048_576;

/** An event for a run. */
export interface Delivery {
  readonly name: string;
  readonly value: JsonValue;
  readonly id: string;
}

/**
 * An event as it is posted; `isChecked` if the schemas of an agent have let it through, `isCounted` if it was accepted as
 * one of those that the run may keep.
 */
export type PostedDelivery = Delivery & { readonly isChecked?: true; readonly isCounted?: true };

/** A delivery on its way to a run. */
interface Delivering extends Opening {
  readonly given: NamedEvent;
  /** False if no step may run here: unless the run is active here, the event is left for its owner. */
  readonly resumes: boolean;
  readonly options: ResumeOptions;
}

/**
 * Delivers an event to a run: to one that is active here or elsewhere, else the run is resumed with it. Resolves to how
 * its execution ends; the same id again changes nothing. Rejects with `run-not-found`, `run-conflict` if the run has
 * ended, `limit-exceeded` if it keeps too many, `invalid-options` for a value that does not fit, and as
 * `continueStored` does.
 */
export async function deliverEvent(runs: RunRegistry, { given, ...opening }: Delivering): Promise<RunResult> {
  const delivery = { ...given, value: await checkValue(runs.settings, given) };
  return doOrSend(runs, {
    ...opening,
    here: () => deliverHere(runs, { ...opening, delivery }),
    message: () => messageOf(runs, delivery),
    check: ({ state }) => void mayTake(state, delivery),
  });
}

/**
 * Leaves an event for a run that has yet to start, whoever starts it. Returns whether it was left: not if the run has
 * ended by now. Rejects with `run-not-found` if the store cannot keep it, `limit-exceeded`, `invalid-options` or
 * `store-failed`.
 */
export async function deliverEarly(runs: RunRegistry, runId: string, given: NamedEvent): Promise<boolean> {
  const delivery = { ...given, value: await checkValue(runs.settings, given) };
  const message = messageOf(runs, delivery, { isCounted: true });
  const { number } = await post(runs, runId, message, { isEarly: true, maxKept: maxDeliveries });
  return number !== undefined;
}

function messageOf(
  { settings }: RunRegistry,
  delivery: Delivery,
  counted: Pick<PostedDelivery, "isCounted"> = {},
): RunMessage {
  return { type: "deliver", ...delivery, ...(settings.events !== undefined && { isChecked: true }), ...counted };
}

/** A value as JSON after its schema, if the agent has schemas. Throws `invalid-options`. */
async function checkValue({ events }: EngineSettings, { name, value }: Delivering["given"]): Promise<JsonValue> {
  let checked = value;
  if (events !== undefined) {
    const schema = events.get(name);
    if (schema === undefined) failOption("name", name, `an event of the agent: ${[...events.keys()].join(", ")}`);
    const parsing = parseWith(schema, value);
    const parsed = isThenable(parsing) ? await parsing : parsing;
    if (!parsed.ok) {
      const issues = parsed.issues.map(({ path, message }) => [...path, message].join(": "));
      failOption("value", value, `one that fits the schema of "${name}": ${issues.join("; ")}`);
    }
    checked = parsed.value;
  }
  const json = toJson(checked, { maxBytes: maxValueBytes });
  if (!json.ok) failOption("value", checked, `JSON of at most 1 MiB: ${json.issue.message}`);
  return json.value;
}

type Here = Omit<Delivering, "given"> & { readonly delivery: Delivery };

function deliverHere(runs: RunRegistry, { delivery, ...opening }: Here): Promise<RunResult> {
  return runs.withRun(opening.runId, {
    whenActive: async ({ run, result }) => {
      if (run.state.sequence === 0) await firstEvent(run, result);
      if (await takeInTurn(run, { delivery, isCounted: false, onTake: () => run.join(opening) })) return result;
      // This may fail for other callers, which does not affect this delivery.
      await result.catch(() => {});
      return undefined;
    },
    whenStored: () =>
      opening.resumes
        ? continueStored(runs, {
            ...opening,
            mayResume: (state) => mayTake(state, delivery),
            // Resumption and delivery are both recorded, or neither.
            begin: (state) => ({ events: [...beginStopped(state).events, { type: "run-deliver", ...delivery }] }),
          })
        : leaveMessage(runs, {
            runId: opening.runId,
            check: ({ state }) => mayTake(state, delivery),
            message: () => messageOf(runs, delivery, { isCounted: true }),
            maxKept: (state) => roomFor(state, delivery),
          }),
  });
}

/** Waits until a run that is active here records something, or turns out to be only a lookup in the store. */
async function firstEvent(run: Run, result: Promise<RunResult>): Promise<void> {
  const recorded = new Promise<void>((resolve) => {
    run.addChannel({ push: () => resolve() });
  });
  await Promise.race([recorded, result.catch(() => {})]);
}

/** Takes an event posted to a run that is active here. Returns whether this execution took it; throws if none can. */
export async function takePosted(
  run: Run,
  { isChecked, isCounted, ...posted }: PostedDelivery,
  message: number,
): Promise<boolean> {
  const delivery = isChecked ? posted : { ...posted, value: await checkValue(run.engine, posted) };
  return takeInTurn(run, { delivery, isCounted: isCounted === true, onTake: () => run.recorder.acknowledge(message) });
}

/** A delivery to a run that is active here. */
interface Taking {
  readonly delivery: Delivery;
  /** Whether it was counted when it was posted. */
  readonly isCounted: boolean;
  /** Called in the turn in which it is taken. */
  readonly onTake: () => void;
}

/**
 * Records a delivery after those before it, as these may fill what the run keeps. Returns whether this execution takes it;
 * throws if none can.
 */
function takeInTurn(run: Run, { delivery, isCounted, onTake }: Taking): Promise<boolean> {
  const take = async () => {
    await run.delivering;
    if (!isTaking(run)) return false;
    const isNew = mayTake(run.state, delivery, { isCounted });
    onTake();
    if (isNew) await record(run, delivery);
    return true;
  };
  const taking = take();
  run.delivering = taking.then(
    () => {},
    () => {},
  );
  return taking;
}

/** Not before it has recorded something: it may turn out to be only a lookup in the store. */
function isTaking({ phase, state }: Run): boolean {
  return phase === "open" && (state.status === "running" || (state.status === "planning" && state.sequence > 0));
}

async function record(run: Run, delivery: Delivery): Promise<void> {
  await run.emit({ type: "run-deliver", ...delivery });
  const stepId = run.state.deliveries?.lastTakenBy;
  if (stepId !== undefined) run.notifyDecision({ stepId });
}

/** Whether a run takes a delivery; false if it was taken before. Throws if it cannot. */
function mayTake(state: RunState, delivery: Delivery, { isCounted = false } = {}): boolean {
  const { runId, status, deliveries } = state;
  if (deliveries?.ids.has(delivery.id)) return false;
  if (endedStatuses.has(status)) throw notWaiting(runId, `it is ${status}`);
  if (isCounted || roomFor(state, delivery) > 0) return true;
  throw keepsTooMany(runId, deliveries?.keptCount);
}

/** How many more events a run may keep; an event that a step waits for is not kept. */
function roomFor({ deliveries }: RunState, { name }: Delivery): number {
  const isAwaitedNow = deliveries?.waiting.get(name)?.some((step) => isAwaited(step)) ?? false;
  return isAwaitedNow ? maxDeliveries : maxDeliveries - (deliveries?.keptCount ?? 0);
}
