import { AbortSource } from "./async/abort.ts";
import { monotonicNow } from "./async/clock.ts";
import { EventChannel } from "./async/event-channel.ts";
import { EventHub } from "./async/event-hub.ts";
import { countPending } from "./async/promises.ts";
import { saysEffect } from "./core/define-tool.ts";
import { type ErrorData, toErrorData } from "./core/error-data.ts";
import { fromErrorData, isAgentError } from "./core/errors.ts";
import { type AgentEvent, checkedEventType, isTransient } from "./core/events.ts";
import { toJson } from "./core/json.ts";
import { checkOption, failOption, readOptions } from "./core/option-tables.ts";
import { maxPlanBytes, type PlanInput } from "./core/plan.ts";
import type { RunResult } from "./core/run-result.ts";
import { isSensitiveTool } from "./core/tool-schemas.ts";
import { invalidPlan, plainIssues } from "./plan/validate-plan.ts";
import { type Agent, type Orchestrator, type RunHandle, type WorkedAgent, workerKey } from "./runs/agent-interface.ts";
import { readAnswer, readDecision, readDelivery, readSettleOptions } from "./runs/commands/command-options.ts";
import type { RunTarget } from "./runs/planning/run-target.ts";
import type { EngineSettings } from "./runs/run/engine-settings.ts";
import { agentClosed, cancelledBy, noReason, returnOrThrow, runActiveHere } from "./runs/run/run-errors.ts";
import {
  checkName,
  decidingOptions,
  type EventsWanted,
  eventsOptions,
  forkOptions,
  getRunOptions,
  type OptionsUse,
  type ResumeOptions,
  type RunSettings,
  readCloseOptions,
  resolveRunOptions,
  resumeOptions,
  undoOptions,
} from "./runs/run/run-options.ts";
import type { Opening, RunRegistry } from "./runs/stored/run-registry.ts";
import type { DeleteWithin } from "./runs/stored/stored-runs.ts";

const eventCapacity = 1_000;

type Runtime = typeof import("./runs/runtime.ts");
let loadedRuntime: Runtime | undefined;

async function loadRuntime(): Promise<Runtime> {
  loadedRuntime ??= await countPending(import("./runs/runtime.ts"));
  return loadedRuntime;
}

type OpenRun = (parts: Runtime, runs: RunRegistry, opening: Opening) => Promise<RunResult>;

type AnyRunOptions = Parameters<typeof resolveRunOptions>[0];

export function createEngine(settings: EngineSettings): Agent & WorkedAgent {
  const hub = new EventHub<AgentEvent>(settings.onListenerError);
  let registry: RunRegistry | undefined;
  let hasTimers = true;
  const deletePlainly: DeleteWithin = async (deleteRuns) => void (await deleteRuns());
  let deleteWithin = deletePlainly;
  let closing: Promise<void> | undefined;
  if (settings.observers.length > 0) hub.subscribe(settings.tellObservers);

  warnOfSecrets(settings);
  warnOfMissingEffects(settings);
  const plainOptions = resolveRunOptions({}, settings);

  const optionsOf = (options: AnyRunOptions | undefined, use: OptionsUse = "run"): RunSettings =>
    options === undefined ? plainOptions : resolveRunOptions(options, settings, use);
  const createRunId = () => `run_${settings.createId()}`;
  const planAlone = async (request: string, chosen: RunSettings) => {
    const parts = await loadRuntime();
    const listThread: RunRegistry["listThread"] = (place) => parts.listThread(settings, place);
    return parts.planAlone({ settings, hub, listThread }, { runId: createRunId(), request, settings: chosen });
  };
  const startedNow = (runId: string) => ({ runId, startedMs: monotonicNow(settings.clock) });

  function toTarget(target: string | object): RunTarget {
    const isRequest = typeof target === "string" && settings.planner !== undefined;
    return isRequest ? { request: target } : { plan: target as PlanInput };
  }

  function runsOf(parts: Runtime): RunRegistry {
    registry ??= new parts.RunRegistry({ settings, hub, hasTimers: () => hasTimers, carryOut: parts.carryOut });
    return registry;
  }

  function requireOpen(): void {
    if (closing !== undefined) throw agentClosed();
  }

  async function open<T>(use: (parts: Runtime, runs: RunRegistry) => Promise<T>): Promise<T> {
    requireOpen();
    // Does not await a loaded runtime, so that the run starts in this turn and `close` waits for it.
    const parts = loadedRuntime ?? (await loadRuntime());
    // The agent may have been closed meanwhile.
    requireOpen();
    return use(parts, runsOf(parts));
  }

  function handOut(
    runId: string,
    options: Pick<ResumeOptions, "throwOnFailure">,
    use: OpenRun,
    onRefused?: (error: ErrorData) => void,
  ): RunHandle {
    const channel = new EventChannel<AgentEvent>({ capacity: eventCapacity, isExpendable: isTransient });
    const cancelling = new AbortSource();
    let onRecorded = () => {};
    const recording = new Promise<void>((resolve) => {
      onRecorded = resolve;
    });
    const opening = { channel, cancelling, onRecorded, ...startedNow(runId) };
    const running = open((parts, runs) => use(parts, runs, opening));
    const recorded = Promise.race([recording, running.then(requireRecorded)]);
    const result = running.then(
      (value) => {
        channel.close();
        return returnOrThrow(value, options);
      },
      (thrown) => {
        channel.fail(thrown);
        onRefused?.(toErrorData(thrown));
        throw thrown;
      },
    );
    // The caller may never read these promises, which must not cause an unhandled rejection.
    for (const unread of [recorded, result]) unread.catch(() => {});
    return { runId, recorded, events: channel, result, cancel: (reason) => cancelling.abort(cancelledBy(reason)) };
  }

  async function runToEnd(given: RunTarget, options?: AnyRunOptions): Promise<RunResult> {
    const chosen = optionsOf(options);
    const isNamed = options?.runId !== undefined;
    const target = snapshotOf(given, { waits: isNamed });
    const opening = { target, settings: chosen, isNamed, ...startedNow(options?.runId ?? createRunId()) };
    return returnOrThrow(await open((parts, runs) => parts.startRun(runs, opening)), chosen);
  }

  function decide(runId: string, { decision, ...how }: ReturnType<typeof readDecision>): RunHandle {
    checkName("runId", runId);
    const nowMs = settings.clock.now();
    return handOut(runId, how.options, (parts, runs, opening) => {
      const command = { decision: { ...decision, atMs: runs.leases.toShared(nowMs) } };
      return parts.sendCommand(runs, { ...opening, ...how, type: "decide", command });
    });
  }

  return {
    [workerKey]: {
      refuse: (refusal) => open((parts, runs) => runs.track(parts.refuseRun(runs, refusal))),
      deliverEarly(runId, name, value, options) {
        const { given } = readDelivery(runId, { name, value }, options);
        return open((parts, runs) => runs.track(parts.deliverEarly(runs, runId, given)));
      },
      stopTimers() {
        hasTimers = false;
      },
      isRecorded: async (runId) => (await loadRuntime()).isRecorded(settings.store, runId),
      deleteBy(within) {
        deleteWithin = within ?? deletePlainly;
      },
      async keys(name) {
        const { secretKeys } = settings;
        return secretKeys && new (await loadRuntime()).RunKeys(name, secretKeys);
      },
      leaseMs: settings.leaseMs,
      resume: (runId, { resources, ...how }) =>
        open((parts, runs) => parts.resumeRun(runs, { ...startedNow(runId), options: { resources }, ...how })),
      fits: (run) => open((parts, runs) => parts.fitsHere(runs, run)),
    },

    tools: settings.tools,
    on: (type, listener) => hub.on(checkedEventType(type), checkedListener(listener)),
    once: (type, listener) => hub.once(checkedEventType(type), checkedListener(listener)),
    off: (type, listener) => hub.off(checkedEventType(type), listener),
    listenerCount: (type) => hub.listenerCount(checkedEventType(type)),
    removeAllListeners: (type) => hub.removeAllListeners(type === undefined ? type : checkedEventType(type)),
    subscribe: (listener) => hub.subscribe(checkedListener(listener)),

    events(runId, options = {}) {
      checkName("runId", runId);
      const wanted = { runId, ...readOptions(eventsOptions, options) };
      return { [Symbol.asyncIterator]: () => readEvents(wanted) };
    },

    async getRun(runId, options = {}) {
      const { thread } = readOptions(getRunOptions, options);
      const parts = await loadRuntime();
      await registry?.whenStarted(runId);
      return parts.readRun(settings, runId, thread);
    },

    async listRuns(options = {}) {
      const parts = await loadRuntime();
      await registry?.whenAllStarted();
      return parts.showPage(await parts.listRuns(settings.store, options), settings);
    },

    async listPending(options) {
      const { tools, loadSpeech } = settings;
      const [{ sayCall }, speech] = await Promise.all([import("./describe-call.ts"), loadSpeech?.()]);
      await speech?.loadPhrases(tools);
      return (await loadRuntime()).listPending(settings, options, (call) => sayCall(call, tools, speech?.sayStep));
    },

    async plan(request, options) {
      const chosen = optionsOf(options, "plan");
      requireOpen();
      return planAlone(request, chosen);
    },

    async dryRun(given, options) {
      const chosen = optionsOf(options, "dryRun");
      const target = snapshotOf(toTarget(given), { waits: false });
      const plan = "plan" in target ? target.plan : await planAlone(target.request, chosen);
      return (await loadRuntime()).dryRun(settings, chosen, plan);
    },

    execute: (plan, options) => runToEnd({ plan: plan as PlanInput }, options),
    run: (request, options) => runToEnd({ request }, options),

    start(given, options) {
      const chosen = optionsOf(options);
      const isNamed = options?.runId !== undefined;
      const target = snapshotOf(toTarget(given), { waits: isNamed });
      const issues = "plan" in target ? plainIssues(target.plan, chosen.tools) : [];
      if (issues.length > 0) throw invalidPlan("The plan is invalid", issues);
      const runId = options?.runId ?? createRunId();
      const use: OpenRun = (parts, runs, opening) =>
        parts.startRun(runs, { target, settings: chosen, isNamed, ...opening });
      return handOut(runId, chosen, use, ({ message }) =>
        settings.onWarning({ code: "start-refused", runId, message: `Run "${runId}" was not started: ${message}` }),
      );
    },

    approve: (runId, item, options = {}) => decide(runId, readDecision("approve", item, options)),
    reject: (runId, item, options = {}) => decide(runId, readDecision("reject", item, options)),
    async resume(runId, resuming = {}) {
      const options = readOptions(resumeOptions, resuming);
      checkName("runId", runId);
      const opening = { ...startedNow(runId), options, retriesFailed: true };
      return open(async (parts, runs) => returnOrThrow(await parts.resumeRun(runs, opening), options));
    },

    async undo(runId, undoing = {}) {
      const { thread, ...options } = readOptions(undoOptions, undoing);
      checkName("runId", runId);
      const opening = { ...startedNow(runId), thread, options };
      return open(async (parts, runs) => parts.undoRun(runs, opening));
    },

    resumeAll: (options = {}) => open((parts, runs) => parts.resumeAll(runs, options)),

    fork(from, forking = {}) {
      const { after, runId = createRunId(), ...options } = readOptions(forkOptions, forking);
      checkName("runId", from);
      return handOut(runId, options, (parts, runs, opening) =>
        parts.forkRun(runs, { ...opening, from: { runId: from, after }, options }),
      );
    },

    settle(runId, stepId, options) {
      const { ref, settlement, ...how } = readSettleOptions(stepId, options);
      checkName("runId", runId);
      return handOut(runId, how.options, (parts, runs, opening) =>
        parts.sendCommand(runs, { ...opening, ...how, type: "settle", command: { ref, settlement } }),
      );
    },

    deliver(runId, name, value, options) {
      const { given, ...how } = readDelivery(runId, { name, value }, options);
      return handOut(runId, how.options, async (parts, runs, opening) => {
        const command = await parts.toDelivery(settings, given);
        return parts.sendCommand(runs, { ...opening, ...how, type: "deliver", command });
      });
    },

    answer(runId, item, answer, options = {}) {
      const { given, ...how } = readAnswer(runId, item, { answer, options });
      return handOut(runId, how.options, async (parts, runs, opening) => {
        const command = await parts.toAnswer(runs, runId, given);
        if (command !== undefined) return parts.sendCommand(runs, { ...opening, ...how, type: "answer", command });
        const reason = "the question was declined";
        opening.cancelling?.abort(cancelledBy(reason));
        return parts.sendCommand(runs, { ...opening, ...how, type: "cancel", command: { reason } });
      });
    },

    async cancel(runId, reason = noReason, options = {}) {
      checkOption({ type: "text" }, reason, "reason");
      const { resume: resumes, thread, ...resuming } = readOptions(decidingOptions, options);
      checkName("runId", runId);
      const cancelling = new AbortSource();
      const opening = { ...startedNow(runId), resumes, thread, options: resuming, cancelling };
      return open(async (parts, runs) => {
        cancelling.abort(cancelledBy(reason));
        const sent = { ...opening, type: "cancel", command: { reason } } as const;
        return returnOrThrow(await parts.sendCommand(runs, sent), resuming);
      });
    },

    async close(options = {}) {
      const timeoutMs = readCloseOptions(options);
      closing ??= registry?.stop(timeoutMs) ?? Promise.resolve();
      return closing;
    },

    async deleteRun(runId) {
      checkName("runId", runId);
      const parts = await loadRuntime();
      await deleteWithin(async () => {
        await parts.deleteRun(settings.store, runId).catch((thrown: unknown) => {
          const isHere = isAgentError(thrown, "run-owned-elsewhere") && registry?.active.has(runId);
          throw isHere ? runActiveHere(runId, thrown) : thrown;
        });
        return [runId];
      });
    },

    prune: async (options) => (await loadRuntime()).prune(settings.store, options, deleteWithin),
  };

  function readEvents(wanted: EventsWanted): AsyncIterator<AgentEvent, undefined> {
    const stopping = new AbortSource();
    const events = (async function* (): AsyncGenerator<AgentEvent, undefined> {
      const parts = await loadRuntime();
      return yield* parts.readEventsOf(runsOf(parts), wanted, stopping);
    })();
    return {
      next: () => events.next(),
      // A generator that waits for an event would otherwise end only with the next event.
      return: () => {
        stopping.abort(undefined);
        return events.return(undefined);
      },
    };
  }
}

export function withoutPlanner(settings: EngineSettings): Orchestrator {
  const { plan: _plan, run: _run, ...methods } = createEngine(settings);
  return methods;
}

function requireRecorded({ error }: RunResult): void {
  if (error !== undefined && recordingEnds.has(error.code)) throw fromErrorData(error);
}

const recordingEnds = new Set<string>(["store-failed", "run-conflict", "run-owned-elsewhere", "interrupted"]);

function checkedListener<T>(listener: T): T {
  return typeof listener === "function" ? listener : failOption("listener", listener, "a function");
}

/** Copies the plan, because the caller may change it while the runtime loads or looks for a run. */
function snapshotOf(target: RunTarget, { waits }: { readonly waits: boolean }): RunTarget {
  if ("request" in target || (loadedRuntime !== undefined && !waits)) return target;
  const json = toJson(target.plan, { maxBytes: maxPlanBytes });
  return json.ok ? { plan: json.value as unknown as PlanInput } : target;
}

function warnOfSecrets(settings: EngineSettings): void {
  if (settings.sealing === undefined || settings.sealing.keys !== undefined) return;
  const names = [...settings.toolsByName.values()].filter(isSensitiveTool).map(({ name }) => name);
  const message =
    `The store outlives this process, and these tools have sensitive fields: ${names.join(", ")}. ` +
    "Give secrets: { keys }, or plans with such fields are refused.";
  settings.onWarning({ code: "no-secret-keys", message });
}

function warnOfMissingEffects(settings: EngineSettings): void {
  for (const tool of settings.toolsByName.values()) {
    if (tool.retry === undefined || saysEffect(tool)) continue;
    const message =
      `${tool.name} has \`retry\` but no \`effect\`, so it counts as "once" and is rarely retried: ` +
      'give it effect: "idempotent" or "pure" if it may run again, or effect: "once" if it must not.';
    settings.onWarning({ code: "effect-missing", message });
  }
}
