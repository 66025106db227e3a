import * as planwright from "planwright";
import { createAgent, createMemoryRunStore, defineTool, isAgentError } from "planwright";
import { createRunLog } from "planwright/log";
import { createTelemetry } from "planwright/otel";
import { createSqliteRunStore } from "planwright/sqlite";
import { createScriptedModel, createScriptedPlanner } from "planwright/testing";
import { exportRun, toHtml, toMermaid, verifyRun } from "planwright/view";
import * as z from "zod/v4";
import { anything, group, hostileNames, type Play, settle } from "./group.ts";

const tool = defineTool({
  name: "t",
  description: "d",
  inputSchema: z.object({}),
  effect: "idempotent",
  execute: () => 1,
});

const pem =
  "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----";
const url = "postgres://admin:hunter2secret@db.example.com/app";
const token = "sk-live-4eC39HqLyjWDarjtT1zdp7dc";

/** The options of each function that takes some, with the rest of the call. */
const calls: Readonly<
  Record<string, { readonly keys: string; readonly call: (options: never) => unknown; readonly valid?: object }>
> = {
  createAgent: {
    keys: "planner store retry stepTimeoutMs abortGraceMs maxSteps maxOutputBytes recordStacks needsApproval requestApproval approvalTtlMs leaseMs events secrets redact evidence observers onListenerError onToolError onWarning clock random createId plannerTimeoutMs maxRequestLength",
    call: createAgent,
    valid: { tools: [tool] },
  },
  defineTool: {
    keys: "name description inputSchema outputSchema effect retry timeoutMs concurrency rateLimit circuitBreaker needsApproval undo phrases execute",
    call: defineTool,
    valid: { name: "t", description: "d", inputSchema: z.object({}), effect: "idempotent", execute: () => 1 },
  },
  run: {
    keys: "context tools metadata resources maxSteps runId signal timeoutMs concurrency timeZone budget onStepFailure undoOnFailure maxReplans throwOnFailure approvedHash",
    call: (options) =>
      createAgent({ tools: [tool], onWarning: () => {} }).execute(
        { steps: [{ id: "a", tool: "t", input: {} }] },
        options,
      ),
  },
  start: {
    keys: "context tools metadata runId signal timeoutMs concurrency timeZone",
    call: async (options) => {
      const handle = createAgent({ tools: [tool], onWarning: () => {} }).start("x", options);
      await handle.result;
    },
  },
  listRuns: {
    keys: "status resumable pending since until metadata limit cursor",
    call: (options) => createAgent({ tools: [tool] }).listRuns(options),
  },
  prune: {
    keys: "before status olderThanMs endedBefore limit",
    call: (options) => createAgent({ tools: [tool] }).prune(options),
  },
  resumeAll: {
    keys: "concurrency signal limit onError",
    call: (options) => createAgent({ tools: [tool] }).resumeAll(options),
  },
  createOllamaModel: {
    keys: "model host url apiKey headers fetch retry timeoutMs contextTokens think keepAlive",
    call: planwright.createOllamaModel as never,
    valid: { model: "m" },
  },
  createLlmPlanner: {
    keys: "model tools cache instructions examples minCertainty maxAttempts",
    call: planwright.createLlmPlanner,
    valid: { model: createScriptedModel([]) },
  },
  createTodoStore: { keys: "name storage scope now", call: planwright.createTodoStore as never },
  createNotes: { keys: "name storage scope", call: planwright.createNotes as never },
  createWebSearch: {
    keys: "name search maxResults",
    call: planwright.createWebSearch as never,
    valid: { search: () => [] },
  },
  createRulePlanner: { keys: "explain locale now", call: planwright.createRulePlanner as never },
  createSqliteRunStore: {
    keys: "path database driver busyTimeoutMs",
    call: (options) => {
      const { path } = Object(options) as { path?: unknown };
      // A text would be a file.
      if (typeof path === "string") return;
      createSqliteRunStore(options).close();
    },
    valid: { path: ":memory:" },
  },
  createTelemetry: { keys: "tracerProvider meterProvider content provider", call: createTelemetry as never },
  exportRun: { keys: "store runId key", call: exportRun, valid: { store: createMemoryRunStore(), runId: "r" } },
  validatePlan: {
    keys: "tools events maxSteps",
    call: (options) => planwright.validatePlan({ steps: [] }, options),
    valid: { tools: [tool] },
  },
};

const isFine = (error: unknown) => error === undefined || isAgentError(error);

group("an option of any type is taken or refused with a code that names it", 25_000, async (play) => {
  const name = play.pick(Object.keys(calls));
  const { keys, call, valid = {} } = calls[name] as (typeof calls)[string];
  const key = play.int(12) === 0 ? play.pick(hostileNames) : play.pick(keys.split(" "));
  const options = { ...valid };
  Object.defineProperty(options, key, { value: anything(play), enumerable: true, configurable: true });
  const { error } = await settle(() => call(options as never));
  play.check(isFine(error), `${name}: ${key}`, () => [
    (options as never)[key],
    error instanceof Error ? error.stack : error,
  ]);
  if (isAgentError(error, "invalid-options"))
    play.check(
      error.message.length > 10 && typeof error.details.option === "string",
      "it is named",
      () => error.message,
    );
});

group("options that are no object are taken or refused with a code", 5_000, async (play) => {
  const name = play.pick(Object.keys(calls));
  const options = anything(play);
  const { error } = await settle(() => (calls[name] as (typeof calls)[string]).call(options as never));
  play.check(isFine(error), name, () => [options, error instanceof Error ? error.stack : error]);
});

const mayBeKeys =
  "planner store retry requestApproval events secrets redact observers onWarning clock random createId inputSchema outputSchema rateLimit circuitBreaker undo execute metadata resources signal budget headers apiKey fetch storage scope search database driver tracerProvider meterProvider key".split(
    " ",
  );

group("a key or password in the wrong option is not quoted", 6_000, async (play) => {
  const name = play.pick(Object.keys(calls));
  const { keys, call, valid = {} } = calls[name] as (typeof calls)[string];
  // Texts of other options are numbers, names and choices by mistake, and are shown.
  const key = play.pick(mayBeKeys.filter((one) => keys.split(" ").includes(one)));
  if (key === undefined) return;
  const secret = play.pick([pem, url, token]);
  const value = play.pick<unknown>([secret, [secret], { key: secret }, { keys: [{ id: "a", key: secret }] }]);
  const { error } = await settle(() => call({ ...valid, [key]: value } as never));
  if (error === undefined) return;
  const text = `${String(error)} ${JSON.stringify(error)} ${(error as Error).stack}`;
  play.check(!/MIIEv|hunter2|4eC39/.test(text), `${name}: ${key}`, () => text);
});

const agent = createAgent({ tools: [tool], onWarning: () => {}, onListenerError: () => {} });
const methods: Readonly<Record<string, (play: Play) => unknown>> = {
  getRun: (play) => agent.getRun(anything(play) as never),
  listRuns: (play) => agent.listRuns(anything(play) as never),
  resume: (play) => agent.resume(anything(play) as never, anything(play) as never),
  run: (play) => agent.run(anything(play) as never),
  plan: (play) => agent.plan(anything(play) as never),
  execute: (play) => agent.execute(anything(play) as never, anything(play) as never),
  dryRun: (play) => agent.dryRun(anything(play) as never),
  approve: (play) => agent.approve(anything(play) as never, anything(play) as never, anything(play) as never).result,
  reject: (play) => agent.reject(anything(play) as never, anything(play) as never, anything(play) as never).result,
  settle: (play) => agent.settle(anything(play) as never, anything(play) as never, anything(play) as never).result,
  deliver: (play) =>
    agent.deliver(anything(play) as never, anything(play) as never, anything(play) as never, anything(play) as never)
      .result,
  cancel: (play) => agent.cancel(anything(play) as never, anything(play) as never),
  fork: (play) => agent.fork(anything(play) as never, anything(play) as never),
  deleteRun: (play) => agent.deleteRun(anything(play) as never),
  on: (play) => agent.on(anything(play) as never, anything(play) as never),
  subscribe: (play) => agent.subscribe(anything(play) as never),
  toHtml: (play) => toHtml(anything(play) as never),
  toMermaid: (play) => toMermaid(anything(play) as never),
  verifyRun: (play) => verifyRun(anything(play) as never),
  hashPlan: (play) => planwright.hashPlan(anything(play) as never),
  describePlan: (play) => planwright.describePlan(anything(play) as never, anything(play) as never),
  describeTool: (play) => planwright.describeTool(anything(play) as never),
  explainRequest: (play) => planwright.explainRequest(anything(play) as never),
  createFallbackPlanner: (play) => planwright.createFallbackPlanner(anything(play) as never),
  createScriptedPlanner: (play) => createScriptedPlanner(anything(play) as never),
  createRunLog: (play) => createRunLog(anything(play) as never),
  isAgentError: (play) => isAgentError(anything(play)),
};

group("a method that gets anything returns, or refuses with a code", 25_000, async (play) => {
  const name = play.pick(Object.keys(methods));
  const { error } = await settle(() => (methods[name] as (play: Play) => unknown)(play));
  play.check(isFine(error), name, () => (error instanceof Error ? error.stack : error));
});
