import {
  type Agent,
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  type RunHandle,
  type RunResult,
  type RunStore,
  type Tool,
  type ToolContext,
  type ToolStep,
} from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { createFaultyRunStore, createManualClock, type FaultyRunStore, type RunStoreFaults } from "planwright/testing";
import * as z from "zod/v4";
import { answerLater } from "../scenario/answer-later.ts";
import { describeResult, describeThrown, placeOf, startMs, Trace, toJson, traceStore } from "./trace.ts";

/** `later` is in memory, and answers by promises, as a database does. */
export type StoreKind = "memory" | "sqlite" | "later";

/** A run of one kind, from its start to its end, and all that is done around it. */
export type GoldenRun = (world: World) => Promise<void>;

/** A call of a tool: it takes `afterMs`, then returns or throws. */
export interface Call {
  readonly afterMs?: number;
  /** It reports these before that. */
  readonly progress?: readonly unknown[];
  /** If it is a function, it gets the input. */
  readonly returns?: unknown;
  readonly throws?: unknown;
  /** It never ends by itself. */
  readonly hangs?: true;
  /** It rejects with the reason of its signal when that aborts. */
  readonly stops?: true;
}

type ToolExtras = Partial<Omit<Tool, "name" | "execute" | "undo">> & { undo?: readonly Call[] };

/** A process: an agent, and its store as it reaches it. */
export interface Process {
  readonly agent: Agent;
  readonly store: FaultyRunStore;
}

type WorldAgentOptions = Partial<Omit<AgentOptions, "tools" | "store">>;

/** One store, the processes that share it, and the trace of what they do. */
export class World {
  clock = createManualClock({ nowMs: startMs });
  readonly trace: Trace;
  readonly store: RunStore;
  private agents = 0;
  private ids = 0;

  constructor(readonly kind: StoreKind) {
    this.trace = new Trace(() => this.clock.now() - startMs);
    const now = () => this.clock.now();
    const store = kind === "sqlite" ? createSqliteRunStore({ path: ":memory:", now }) : createMemoryRunStore({ now });
    this.store = kind === "later" ? answerLater(store) : store;
  }

  /** A tool that takes any input, and does at each call what the next item says; the last one is repeated. */
  tool(name: string, calls: readonly Call[] = [{}], { undo, ...extras }: ToolExtras = {}): Tool {
    const [execute, undoing] = [this.script(calls), undo && this.script(undo)];
    return {
      name,
      description: `Does ${name}`,
      inputSchema: z.looseObject({}),
      effect: "idempotent",
      ...extras,
      execute,
      ...(undoing && { undo: ({ input }, context) => undoing(input, context) }),
    };
  }

  /** An agent of a process of its own. */
  agent(tools: readonly Tool[], options: WorldAgentOptions = {}): Agent {
    return this.process(tools, options).agent;
  }

  /** A process whose store has faults. */
  process(tools: readonly Tool[], options: WorldAgentOptions = {}, faults: RunStoreFaults = {}): Process {
    const letter = String.fromCharCode(65 + this.agents++);
    const { trace } = this;
    const store = createFaultyRunStore(traceStore(this.store, { trace, agent: letter }), faults);
    const tell = (line: string) => {
      // Code of a dead process is still running, as in no real one.
      if (!store.hasCrashed) trace.add(`${letter} ${line}`);
    };
    const agent = createAgent({
      clock: this.clock,
      random: () => 1,
      createId: () => `gid${++this.ids}gid`,
      recordStacks: false,
      onWarning: ({ code, message }) => tell(`warning ${code}: ${message}`),
      onListenerError: (error) => tell(`listener failed: ${describeThrown(error)}`),
      ...options,
      tools: tools.map((tool) => traceTool(tool, tell)),
      store,
    });
    agent.subscribe((event) => {
      if (!store.hasCrashed) trace.addEmitted(letter, event);
    });
    return { agent, store };
  }

  /** Adds what somebody does, or what is to be seen. */
  note(text: string): void {
    this.trace.add(`-- ${text}`);
  }

  /** Moves time until a run, or something asked of it, has ended, and adds its result. */
  async end(ending: RunHandle | Promise<unknown>): Promise<RunResult> {
    const promise = "result" in ending ? ending.result : (ending as Promise<RunResult>);
    try {
      const result = await this.inTime(promise);
      this.note(isResult(result) ? describeResult(result) : toJson(result));
      return result;
    } catch (thrown) {
      this.note(`rejected: ${describeThrown(thrown)}`);
      return undefined as unknown as RunResult;
    }
  }

  /** The process dies; the next ones have a clock of their own, with no timers of the dead one. */
  async died({ store }: Process): Promise<void> {
    await this.inTime(store.crashed);
    this.clock = createManualClock({ nowMs: this.clock.now() });
    this.note("the process is dead");
  }

  /** Moves time until a promise settles, at most an hour: a run that never ends shows as that. */
  async inTime<T>(promise: Promise<T>): Promise<T> {
    const { clock } = this;
    let timer: unknown;
    const late = new Promise<never>((_resolve, reject) => {
      timer = clock.setTimeout(() => reject(new Error("it has not ended within an hour")), 3_600_000);
    });
    return clock.runUntil(Promise.race([promise, late])).finally(() => clock.clearTimeout(timer));
  }

  private script(calls: readonly Call[]): (input: unknown, context: ToolContext) => Promise<unknown> {
    const { clock } = this;
    let count = 0;
    return async (input, { signal, progress }) => {
      const call = calls[Math.min(count++, calls.length - 1)] ?? {};
      for (const value of call.progress ?? []) progress(value);
      await new Promise<void>((resolve, reject) => {
        if (call.stops) signal.addEventListener("abort", () => reject(signal.reason));
        if (call.hangs) return;
        if (call.afterMs === undefined) resolve();
        else clock.setTimeout(resolve, call.afterMs);
      });
      if (call.throws !== undefined) throw call.throws;
      return typeof call.returns === "function" ? call.returns(input) : call.returns;
    };
  }
}

function isResult(value: unknown): value is RunResult {
  return typeof value === "object" && value !== null && "runId" in value && "status" in value && "steps" in value;
}

/** A tool that says when it is called, when its signal aborts, and how it ends. */
function traceTool(tool: Tool, tell: (line: string) => void): Tool {
  const traced = <TInput, TOutput>(
    verb: "call" | "undo",
    run: (input: TInput, context: ToolContext) => TOutput | Promise<TOutput>,
  ) => {
    return async (input: TInput, context: ToolContext): Promise<TOutput> => {
      const place = `${tool.name} ${placeOf(context)} #${context.attempt}`;
      tell(`${verb} ${place} ${toJson(input)}${unusual(verb, context)}`);
      const onAbort = () => tell(`abort ${place}: ${describeThrown(context.signal.reason)}`);
      context.signal.addEventListener("abort", onAbort);
      try {
        const output = await run(input, context);
        tell(`${verb === "call" ? "done" : "undone"} ${place} ${toJson(output)}`);
        return output;
      } catch (thrown) {
        tell(`threw ${place}: ${describeThrown(thrown)}`);
        throw thrown;
      } finally {
        context.signal.removeEventListener("abort", onAbort);
      }
    };
  };
  const { undo } = tool;
  return {
    ...tool,
    execute: traced("call", (input, context) => tool.execute(input, context)),
    ...(undo && {
      undo: traced("undo", (done: Parameters<typeof undo>[0], context) => undo.call(tool, done, context)),
    }),
  };
}

/** The parts of a context that most calls do not have, or that differ from those of most calls. */
function unusual(verb: "call" | "undo", context: ToolContext): string {
  const { runId, idempotencyKey, metadata, resources } = context;
  const usualKey = `${runId}/${placeOf(context)}${verb === "undo" ? "/undo" : ""}`;
  const parts = {
    ...(idempotencyKey !== usualKey && { idempotencyKey }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(resources !== undefined && { resources }),
    ...(context.signal.aborted && { aborted: true }),
  };
  return Object.keys(parts).length === 0 ? "" : ` with ${toJson(parts)}`;
}

/** A step of a plan. */
export function step(id: string, tool: string, more: Partial<ToolStep> = {}): ToolStep {
  return { id, tool, input: {}, ...more };
}

/** An error that says whether the call may be repeated. */
export function failure(message: string, retryable?: boolean): Error {
  return Object.assign(new Error(message), retryable === undefined ? {} : { retryable });
}
