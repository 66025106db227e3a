import type { EventHub } from "../async/event-hub.ts";
import type { AgentEvent } from "../core/events.ts";
import type { PostedMessage } from "../core/run-store.ts";
import type { KeptResults } from "./kept-results.ts";
import type { Leases } from "./leases.ts";
import type { EngineSettings } from "./options.ts";
import type { Run } from "./run.ts";
import type { ToolGates } from "./tool-gate.ts";

/** What the runs of an agent have in common. */
export interface RunHost {
  readonly settings: EngineSettings;
  readonly hub: EventHub<AgentEvent>;
  /** The limits of tools, over all runs. */
  readonly gates: ToolGates;
  /** The kept results of tools with a `cache`, over all runs. */
  readonly results: KeptResults;
  readonly leases: Leases;
  /** Acts on what was posted to a run. Never rejects. */
  receive(run: Run, posted: readonly PostedMessage[], options?: { readonly isOpening?: boolean }): Promise<void>;
  /** How long an aborted tool may keep running: shorter than `abortGraceMs` once there is little time left. */
  graceMs: number;
}
