import { toTimestamp } from "../../async/clock.ts";
import { isThenable } from "../../async/promises.ts";
import { toErrorData } from "../../core/error-data.ts";
import { AgentError, isAgentError, type StoreOperation } from "../../core/errors.ts";
import { type AgentEvent, type EventInit, isDigested, isTransient } from "../../core/events.ts";
import { EvidenceChain } from "../../core/evidence.ts";
import { deepFreeze } from "../../core/json.ts";
import { initialRunState, type RunState, reduceRunState } from "../../core/run-state.ts";
import type { RunStore } from "../../core/run-store.ts";
import type { EngineSettings } from "./engine-settings.ts";

export interface RecorderOwner {
  readonly runId: string;
  readonly store?: RunStore;
  readonly fence?: number | undefined;
  /** Must be set before the first event. */
  readonly evidence?: EvidenceChain | undefined;
  now(): number;
  onRecorded(event: AgentEvent): void;
  onStoreFailure?(error: RecordingEnd): void;
}

export type StoreError = AgentError<"store-failed" | "run-conflict" | "run-owned-elsewhere">;

export type RecordingEnd = StoreError | AgentError<"interrupted">;

/** Numbers, records and emits events, and updates the state. `emit` never rejects, and awaits only an async store. */
export class RunRecorder {
  #storeError: RecordingEnd | undefined;
  #sequence: number;
  #acknowledged: number[] | undefined;
  #writing: Promise<void> | undefined;
  #queued: { readonly events: AgentEvent[]; readonly written: Promise<void> } | undefined;
  #deferred: AgentEvent[] | undefined;
  #isNotifying = false;

  constructor(
    private readonly owner: RecorderOwner,
    readonly state: RunState = initialRunState(owner.runId),
  ) {
    this.#sequence = state.sequence;
  }

  emit(init: EventInit): void | Promise<void> {
    if (this.#storeError !== undefined) return;
    return this.#record([isTransient(init) ? this.#number(init, this.#sequence) : this.#next(init)]);
  }

  /** Records all events, or none; no event may be transient. */
  emitTogether(inits: readonly EventInit[]): void | Promise<void> {
    if (this.#storeError !== undefined) return;
    return this.#record(inits.map((init) => this.#next(init)));
  }

  /** Must be called right before the event that answers the message is emitted. */
  acknowledge(number: number): void {
    this.#acknowledged ??= [];
    this.#acknowledged.push(number);
  }

  /** Must be called before the first event is emitted here. */
  restore(events: readonly AgentEvent[]): void {
    for (const event of events) reduceRunState(this.state, event);
    this.#sequence = this.state.sequence;
  }

  get failure(): RecordingEnd | undefined {
    return this.#storeError;
  }

  emitUnrecorded(init: EventInit): void {
    this.#accept(this.#unrecorded(init));
  }

  fold(init: EventInit): void {
    reduceRunState(this.state, this.#unrecorded(init));
  }

  #unrecorded(init: EventInit): AgentEvent {
    (init as EventInit & { recorded?: false }).recorded = false;
    return this.#number(init, this.state.sequence);
  }

  #next(init: EventInit): AgentEvent {
    return this.#number(init, ++this.#sequence, this.owner.evidence);
  }

  /** Mutates the event, as a copy would cost more than the rest of emitting it. */
  #number(init: EventInit, sequence: number, evidence?: EvidenceChain): AgentEvent {
    const event = init as EventInit & { runId: string; sequence: number; timestamp: string; digest?: string };
    event.runId = this.owner.runId;
    event.sequence = sequence;
    event.timestamp = toTimestamp(this.owner.now());
    if (evidence !== undefined) {
      evidence.add(event as AgentEvent);
      if (isDigested(event)) event.digest = evidence.close();
    }
    // Freezes the event for its listeners. Outputs and plans are frozen already.
    for (const key in event) {
      const value = event[key as keyof typeof event] as unknown;
      if (typeof value === "object") deepFreeze(value);
    }
    return Object.freeze(event) as AgentEvent;
  }

  #record(events: AgentEvent[]): void | Promise<void> {
    if (this.#writing !== undefined) return this.#enqueue(events, this.#writing);
    const written = this.#write(events);
    if (written !== undefined) this.#keepWriting(written);
    return written;
  }

  #enqueue(events: AgentEvent[], writing: Promise<void>): Promise<void> {
    if (this.#queued !== undefined) {
      this.#queued.events.push(...events);
      return this.#queued.written;
    }
    const written = writing.then(() => {
      this.#queued = undefined;
      return this.#write(events);
    });
    this.#queued = { events, written };
    this.#keepWriting(written);
    return written;
  }

  #keepWriting(written: Promise<void>): void {
    this.#writing = written;
    written.then(() => {
      if (this.#writing === written) this.#writing = undefined;
    });
  }

  #write(events: readonly AgentEvent[]): void | Promise<void> {
    if (this.#storeError !== undefined) return;
    const { store, runId, fence } = this.owner;
    const recorded = events.some(isTransient) ? events.filter((event) => !isTransient(event)) : events;
    try {
      const [first] = recorded;
      const appended = first && store?.append(runId, recorded, this.#optionsOf(first.sequence, fence));
      if (!isThenable(appended)) return this.#acceptAll(events);
      return Promise.resolve(appended).then(
        () => this.#acceptAll(events),
        (thrown) => this.fail(toStoreError(thrown, { runId, operation: "append" })),
      );
    } catch (thrown) {
      this.fail(toStoreError(thrown, { runId, operation: "append" }));
    }
  }

  #optionsOf(sequence: number, fence: number | undefined): Parameters<RunStore["append"]>[2] {
    const acknowledged = this.#acknowledged;
    if (acknowledged === undefined) return fence === undefined ? { sequence } : { sequence, fence };
    this.#acknowledged = undefined;
    return { sequence, ...(fence !== undefined && { fence }), acknowledged };
  }

  #acceptAll(events: readonly AgentEvent[]): void {
    for (const event of events) this.#accept(event);
  }

  #accept(event: AgentEvent): void {
    if (!isTransient(event)) reduceRunState(this.state, event);
    // A listener may cause another event, which the others must receive after this one.
    if (this.#isNotifying) {
      this.#deferred ??= [];
      this.#deferred.push(event);
      return;
    }
    this.#isNotifying = true;
    this.owner.onRecorded(event);
    if (this.#deferred !== undefined) for (const next of this.#deferred) this.owner.onRecorded(next);
    this.#deferred = undefined;
    this.#isNotifying = false;
  }

  fail(error: RecordingEnd): void {
    if (this.#storeError !== undefined) return;
    this.#storeError = error;
    this.owner.onStoreFailure?.(error);
  }
}

export function toStoreError(
  thrown: unknown,
  { runId, operation }: { runId: string; operation: StoreOperation },
): StoreError {
  if (isAgentError(thrown, "run-conflict") || isAgentError(thrown, "run-owned-elsewhere")) {
    return new AgentError(thrown.code, thrown.message, { details: thrown.details, cause: thrown });
  }
  const reason = toErrorData(thrown).message;
  const problem = isAgentError(thrown, "store-failed") ? thrown.details.problem : undefined;
  return new AgentError("store-failed", `The run store failed to ${operation}: ${reason}`, {
    details: { runId, operation, reason, ...(problem && { problem }) },
    cause: thrown,
  });
}

export async function evidenceOf(
  { evidence, store }: Pick<EngineSettings, "evidence" | "store">,
  state?: RunState,
): Promise<EvidenceChain | undefined> {
  if (!evidence) return undefined;
  const chain = new EvidenceChain(state?.digest?.value);
  if (state === undefined) return chain;
  const { runId, digest } = state;
  try {
    for (const event of await store.read(runId, { after: digest?.sequence ?? 0 })) chain.add(event);
  } catch (thrown) {
    throw toStoreError(thrown, { runId, operation: "read" });
  }
  return chain;
}
