import { type Agent, type AgentEvent, type AgentOptions, createAgent, type RunStore, type Tool } from "planwright";
import { createManualClock, type ManualClock } from "planwright/testing";
import { indexTools } from "../../src/core/define-tool.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { answerLater } from "./answer-later.ts";
import { storeOf } from "./resume-from.ts";
import { scenarioStore } from "./scenario-store.ts";

/** A store that outlives its processes, and their shared clock. */
export interface Shared {
  readonly clock: ManualClock;
  /** The store itself, without a process between. */
  readonly store: RunStore;
  /** An agent of another process, with the store as that process reaches it. */
  process(options?: Partial<AgentOptions>, reach?: (store: RunStore) => RunStore): Agent;
}

/** A store that claims to outlive its processes, so that leases on its runs expire. */
export async function share(
  tools: (clock: ManualClock) => readonly Tool[],
  { isSlow = false, recorded }: { isSlow?: boolean; recorded?: readonly AgentEvent[] } = {},
): Promise<Shared> {
  const clock = createManualClock();
  const stored = await scenarioStore({ now: () => clock.now() });
  const durable: RunStore = Object.assign(Object.create(stored) as RunStore, { isVolatile: false });
  const store = isSlow ? answerLater(durable) : durable;
  if (recorded !== undefined) await storeOf(recorded, store);
  await Promise.all([...indexTools(tools(clock)).values()].map(toolFingerprint));
  let processes = 0;
  const process = (options: Partial<AgentOptions> = {}, reach: (store: RunStore) => RunStore = (one) => one) => {
    const name = ++processes;
    let ids = 0;
    const createId = () => `${name}_${++ids}`;
    return createAgent({ tools: tools(clock), store: reach(store), clock, createId, leaseMs: 900, ...options });
  };
  return { clock, store, process };
}

/** A store with some methods replaced. */
export function withMethods(store: RunStore, methods: Partial<RunStore>): RunStore {
  return Object.assign(Object.create(store) as RunStore, methods);
}
