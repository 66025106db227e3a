import type { RunDeliverEvent, WaitStartEvent } from "./events.ts";
import type { JsonValue } from "./json.ts";
import type { StepState } from "./step-state.ts";

/** The events that were delivered to a run, and the steps that wait for some. */
export interface Deliveries {
  /** Of all that were delivered. */
  readonly ids: Set<string>;
  /** The values that no step has taken, by name, in order. */
  readonly kept: Map<string, JsonValue[]>;
  /** How many those are. */
  keptCount: number;
  /** The steps that wait, by name, in order; some may wait no longer. */
  readonly waiting: Map<string, StepState[]>;
  /** The step that took the last one that was delivered; undefined if it is kept. */
  lastTakenBy?: string | undefined;
}

interface DeliveryState {
  isUnderWay?: boolean;
  readonly steps: ReadonlyMap<string, StepState>;
  deliveries?: Deliveries;
}

/** Folds an event about what steps wait for. */
export function reduceWait(state: DeliveryState, event: WaitStartEvent | RunDeliverEvent): void {
  if (event.type === "run-deliver") {
    reduceDeliver(state, event);
    return;
  }
  state.isUnderWay = true;
  reduceWaitStart(state, event);
}

/** The wait takes the earliest value that was delivered for its event. */
function reduceWaitStart(state: DeliveryState, { stepId, until, event }: WaitStartEvent): void {
  const step = state.steps.get(stepId);
  if (step === undefined) return;
  step.status = "waiting";
  delete step.error;
  step.wait = { ...(until !== undefined && { until }), ...(event !== undefined && { event }) };
  if (event === undefined) return;
  const deliveries = deliveriesOf(state);
  const values = deliveries.kept.get(event);
  const value = values?.shift();
  if (value === undefined) {
    listIn(deliveries.waiting, event).push(step);
  } else {
    deliveries.keptCount--;
    step.wait.received = { value };
  }
}

/** The step that has waited longest for it takes it, or it is kept. */
function reduceDeliver(state: DeliveryState, { name, value, id }: RunDeliverEvent): void {
  const deliveries = deliveriesOf(state);
  if (deliveries.ids.has(id)) return;
  deliveries.ids.add(id);
  deliveries.lastTakenBy = undefined;
  const waiting = deliveries.waiting.get(name);
  for (let step = waiting?.shift(); step !== undefined; step = waiting?.shift()) {
    // A replan may have removed it, and a time-out may have ended it.
    if (state.steps.get(step.stepId) !== step || step.status !== "waiting" || step.wait?.event !== name) continue;
    if (step.wait.received !== undefined) continue;
    step.wait.received = { value };
    deliveries.lastTakenBy = step.stepId;
    return;
  }
  listIn(deliveries.kept, name).push(value);
  deliveries.keptCount++;
}

function deliveriesOf(state: DeliveryState): Deliveries {
  state.deliveries ??= { ids: new Set(), kept: new Map(), keptCount: 0, waiting: new Map() };
  return state.deliveries;
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}
