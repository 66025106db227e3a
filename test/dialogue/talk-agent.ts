import {
  type AgentOptions,
  createAgent,
  createCalculator,
  createNotes,
  createTodoStore,
  type RunResult,
} from "planwright";
import { createManualClock } from "planwright/testing";

/** Thursday, 26 November 2026, 10:00 UTC. */
export const nowMs = Date.UTC(2026, 10, 26, 10);

/** A clock that moves on by a millisecond each time it is read. */
export function createTickingClock() {
  let ticks = 0;
  const clock = createManualClock({ nowMs });
  return { ...clock, now: () => clock.now() + ticks++ };
}

/** An agent that approves everything, and keeps its clock, so that others can share it. */
export function createTalkAgent(options: AgentOptions) {
  const clock = createTickingClock();
  const agent = createAgent({ clock, onWarning() {}, requestApproval: async () => "approve" as const, ...options });
  const say = (line: string, more: object = {}): Promise<RunResult> =>
    agent.run(line, { thread: "talk", timeZone: "UTC", ...more }) as Promise<RunResult>;
  return { agent, clock, say };
}

/** The built-in tools, with ids that count from 1. To use them again is to spare their phrases being read again. */
export function createBuiltInTools({ scope = () => "all" }: { readonly scope?: () => string } = {}) {
  let ids = 0;
  const now = () => nowMs;
  return [
    createCalculator(),
    createTodoStore({ now, scope, createId: () => `t${++ids}` }),
    createNotes({ now, scope, createId: () => `n${++ids}` }),
  ] as const;
}
