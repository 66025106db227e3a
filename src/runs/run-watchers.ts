import type { EventSink } from "../async/event-channel.ts";
import type { AgentEvent } from "../core/events.ts";
import type { Run } from "./run.ts";

/** All watchers of one run. */
class Audience implements EventSink<AgentEvent> {
  readonly sinks = new Set<EventSink<AgentEvent>>();

  push(event: AgentEvent): void {
    for (const sink of this.sinks) sink.push(event);
  }
}

/** Who watches which runs, whether a run is active here now or later. A run that nobody watches costs nothing. */
export class RunWatchers {
  private readonly byId = new Map<string, Audience>();

  /** Sends a sink the events of a run from now on; `run` is the one that is active here. Returns what stops it. */
  watch(runId: string, sink: EventSink<AgentEvent>, run: Run | undefined): () => void {
    const audience = this.byId.get(runId) ?? new Audience();
    this.byId.set(runId, audience);
    audience.sinks.add(sink);
    if (run !== undefined) run.audience = audience;
    return () => {
      audience.sinks.delete(sink);
      if (audience.sinks.size === 0 && this.byId.get(runId) === audience) this.byId.delete(runId);
    };
  }

  /** The watchers of a run receive its events from here on. */
  follow(run: Run): void {
    const audience = this.byId.get(run.runId);
    if (audience !== undefined) run.audience = audience;
  }
}
