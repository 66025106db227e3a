import { AbortSource, onAbort } from "../../async/abort.ts";
import { sleep } from "../../async/clock.ts";
import { EventChannel, type EventSink } from "../../async/event-channel.ts";
import { type AgentEvent, isRecorded, isTransient } from "../../core/events.ts";
import { deepFreeze } from "../../core/json.ts";
import { runNotFound } from "../../core/run-store.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import { show } from "../run/redaction.ts";
import { cancelledBy } from "../run/run-errors.ts";
import type { EventsWanted } from "../run/run-options.ts";
import { parseEvents, type RecordedRun } from "./parse-stored.ts";
import type { RunRegistry } from "./run-registry.ts";
import { readEvents } from "./stored-runs.ts";

const pageSize = 100;

export async function* readEventsOf(
  runs: RunRegistry,
  wanted: EventsWanted,
  stopping: AbortSource,
): AsyncGenerator<AgentEvent, undefined> {
  const { runId, signal } = wanted;
  const reader = new EventReader(runs, wanted, stopping);
  const unwatch = runs.watch(runId, reader);
  const stopWatching = runs.settings.store.watch?.(runId, () => reader.look());
  const cancel = () => stopping.abort(cancelledBy(signal?.reason));
  const stopListening = signal && onAbort(signal, cancel);
  if (signal?.aborted) cancel();
  try {
    yield* reader.events();
    if (stopping.reason !== undefined) throw stopping.reason;
  } finally {
    unwatch();
    stopWatching?.();
    stopListening?.();
  }
}

class EventReader implements EventSink<AgentEvent> {
  readonly #live = new EventChannel<AgentEvent>({ capacity: 1_000, isExpendable: isTransient });
  #known: RecordedRun | undefined;
  #isLost = false;
  #waiting: AbortSource | undefined;
  #isTold = false;

  constructor(
    private readonly runs: RunRegistry,
    private readonly wanted: EventsWanted,
    private readonly stopping: AbortSource,
  ) {
    stopping.addEventListener("abort", () => this.#waiting?.abort("stopped"));
  }

  push(event: AgentEvent): void {
    this.#live.push(event);
    this.#waiting?.abort("event");
  }

  look(): void {
    this.#isTold = true;
    this.#waiting?.abort("told");
  }

  async *events(): AsyncGenerator<AgentEvent, undefined> {
    yield* this.#readStored();
    while (!this.stopping.aborted) {
      const event = this.#live.take();
      if (event !== undefined) {
        if (this.#isAhead(event)) yield* this.#readStored();
        if (this.#accept(event)) yield this.#shown(event);
      } else {
        if (this.#hasEnded()) return;
        if (await this.#isTimeToLook()) yield* this.#readStored();
      }
    }
  }

  #shown(event: AgentEvent): AgentEvent {
    const isSealed = this.#known?.state.mayBeSealed === true;
    return show(event, { runId: this.wanted.runId, isSealed, redact: this.runs.settings.redact });
  }

  get #sequence(): number {
    return this.#known?.state.sequence ?? 0;
  }

  #isHere(): boolean {
    return this.runs.isEmitting(this.wanted.runId);
  }

  async *#readStored(): AsyncGenerator<AgentEvent, undefined> {
    let isMore = true;
    while (isMore && !this.stopping.aborted) {
      const page = await this.#readPage();
      isMore = page.length >= pageSize;
      for (const event of page) {
        if (this.stopping.aborted) return;
        if (event.sequence > this.wanted.after) yield this.#shown(deepFreeze(event));
      }
    }
  }

  async #readPage(): Promise<readonly AgentEvent[]> {
    const [known, sequence] = [this.#known, this.#sequence];
    const { runId } = this.wanted;
    const { store } = this.runs.settings;
    const found = await readEvents(store, runId, { after: Math.max(0, sequence - 1), limit: pageSize + 1 });
    if (known === undefined) {
      const read = parseEvents(runId, found);
      if (read.events.length > 0) this.#known = read;
      else if (!this.#isHere()) throw runNotFound(runId);
      return read.events;
    }
    if (!Array.isArray(found) || found[0]?.timestamp !== known.state.updatedAt) throw runNotFound(runId);
    this.#known = parseEvents(runId, found.slice(1), known);
    return this.#known.events;
  }

  #isAhead(event: AgentEvent): boolean {
    return event.sequence > this.#sequence + Number(isRecorded(event));
  }

  #accept(event: AgentEvent): boolean {
    const { after, runId } = this.wanted;
    if (!isRecorded(event)) {
      const isNow = event.sequence === this.#sequence && event.sequence >= after;
      if (isNow && event.type === "run-end") this.#isLost = true;
      return isNow;
    }
    if (event.sequence !== this.#sequence + 1) return false;
    this.#isLost = false;
    this.#known = parseEvents(runId, [event], this.#known);
    return event.sequence > after;
  }

  #hasEnded(): boolean {
    if (this.#known === undefined || this.#isHere()) return false;
    const { status } = this.#known.state;
    if (endedStatuses.has(status)) return true;
    return !this.wanted.follow && (this.#isLost || status === "suspended" || status === "interrupted");
  }

  async #isTimeToLook(): Promise<boolean> {
    this.#waiting = new AbortSource();
    const { clock } = this.runs.settings;
    const isTime = this.#isTold || (await sleep(this.wanted.pollMs, { clock, signal: this.#waiting }));
    this.#waiting = undefined;
    const isTold = this.#isTold;
    this.#isTold = false;
    return (isTime || isTold) && !this.#isHere();
  }
}
