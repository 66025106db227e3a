import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type AgentWarning,
  createAgent,
  createMemoryRunStore,
  type PlanInput,
  type RunHandle,
  type RunOptions,
  type RunResult,
  type RunStore,
  type Tool,
} from "planwright";
import { createManualClock, type ManualClock } from "planwright/testing";
import { expect } from "vitest";
import { indexTools } from "../../src/core/define-tool.ts";
import { toolFingerprint } from "../../src/core/tool-schemas.ts";
import { answerLater } from "./answer-later.ts";
import { checkInvariants } from "./invariants.ts";
import { resumeEverywhere } from "./resume-everywhere.ts";
import { scenarioDatabase, scenarioStore } from "./scenario-store.ts";
import { checkSpans, outlineOf, recordSpans } from "./span-recorder.ts";

export { checkInvariants };

/** One run, and what happens around it. */
export interface Scenario extends Partial<Omit<AgentOptions, "tools">> {
  tools: readonly Tool[];
  /** Either a plan or a request. */
  plan?: PlanInput;
  request?: string;
  options?: RunOptions;
  /** Runs while the run is executing; the clock moves only here until it returns. */
  act?: (around: Around) => Promise<void> | void;
  /** Resume the run each time that it is suspended, mostly by a decision of the new agent. */
  executions?: readonly ((around: AroundExecution) => RunHandle)[];
  /** Timers that may remain, such as those of a tool that ignores its signal. */
  leftoverTimers?: number;
  /**
   * Whether its process is also killed after each event, and must end the same. False if answers of its parts depend
   * on how often they were asked, or somebody outside acts on the run. @default unless there is an `act`
   */
  isResumable?: boolean;
}

/** A run while it is executing. */
export interface Around {
  readonly handle: RunHandle;
  readonly agent: Agent;
  readonly clock: ManualClock;
  readonly events: readonly AgentEvent[];
}

/** A suspended run, as another process finds it: its store returns events that went through JSON. */
export interface AroundExecution extends Pick<Around, "clock" | "events"> {
  readonly runId: string;
  /** How the previous execution has ended. */
  readonly result: RunResult;
  /** Another agent with the same store, created like the first one except for some options. */
  another(options?: Partial<AgentOptions>): Agent;
}

/** The outcome of a run. */
export interface Played {
  readonly result: RunResult;
  /** As they were emitted. */
  readonly events: readonly AgentEvent[];
  readonly recorded: readonly AgentEvent[];
  readonly warnings: readonly AgentWarning[];
  readonly clock: ManualClock;
}

/** Larger runs take too long to be killed after each of their events. */
const maxCuts = 100;

/**
 * Plays a scenario with a store that answers at once, or a database, and again with one that answers by promises, and
 * checks the invariants of every run each time, and that it has the spans that the snapshot has. The scenario is created
 * again for each, as its tools remember their calls.
 */
export async function runScenario(create: (clock: ManualClock) => Scenario): Promise<Played> {
  const played = await play(create, throughJson(await scenarioStore()));
  if (played.outline !== "") expect(played.outline).toMatchSnapshot("spans");
  const slow = await play(create, answerLater(throughJson(createMemoryRunStore())));
  // Steps that run at once have another order if a database takes its time.
  const typesOf = ({ recorded }: Played) => {
    const types = recorded.map(({ type }) => type);
    return scenarioDatabase() === undefined ? types : types.sort();
  };
  expect(typesOf(slow)).toEqual(typesOf(played));
  expect(slow.result.status).toBe(played.result.status);
  if (slow.isResumable && played.recorded.length <= maxCuts) await resumeEverywhere(create, played);
  return played;
}

/** One try of a scenario, whether to resume it, and its spans. */
type Tried = Played & { readonly isResumable: boolean; readonly outline: string };

async function play(create: (clock: ManualClock) => Scenario, store: RunStore): Promise<Tried> {
  const clock = createManualClock();
  const {
    plan,
    request,
    options,
    act,
    executions = [],
    leftoverTimers = 0,
    isResumable,
    ...agentOptions
  } = create(clock);
  const { tools } = agentOptions;
  // Hashes take real time, in which a manual clock must not run ahead.
  await Promise.all([...indexTools(tools).values()].map(toolFingerprint));
  const warnings: AgentWarning[] = [];
  const events: AgentEvent[] = [];
  const onWarning = (warning: AgentWarning) => warnings.push(warning);
  let ids = 0;
  const createId = () => `${++ids}`;
  const recorder = recordSpans();
  const observers = [recorder.observer];
  const base = {
    observers,
    store,
    clock,
    random: () => 1,
    createId,
    onWarning,
    ...agentOptions,
  };
  const another = (others: Partial<AgentOptions> = {}): Agent => {
    const agent = createAgent({ ...base, ...others });
    agent.subscribe((event) => events.push(event));
    return agent;
  };
  const agent = another();
  let handle = agent.start(plan ?? request ?? "", options);
  await act?.({ handle, agent, clock, events });
  let result = await clock.runUntil(handle.result);
  const { runId } = handle;
  for (const startExecution of executions) {
    expect(result.status).toBe("suspended");
    handle = startExecution({ runId, result, clock, events, another });
    result = await clock.runUntil(handle.result);
  }
  const recorded = await store.read(runId);
  expect(clock.pendingTimers).toBe(leftoverTimers);
  checkInvariants({ events, recorded, result });
  if (agentOptions.observers === undefined) checkSpans(recorder, events);
  return {
    result,
    events,
    recorded,
    warnings,
    clock,
    isResumable: isResumable ?? act === undefined,
    outline: outlineOf(recorder.spans),
  };
}

/** A store that returns its events as a database would. */
function throughJson(store: RunStore): RunStore {
  const read: RunStore["read"] = async (...args) =>
    JSON.parse(JSON.stringify(await store.read(...args))) as readonly AgentEvent[];
  return Object.assign(Object.create(store) as RunStore, {
    append: (...args: Parameters<RunStore["append"]>) => store.append(...args),
    read,
  });
}
