import {
  AgentError,
  createAgent,
  createCalculator,
  createFallbackPlanner,
  createLlmPlanner,
  createOllamaModel,
  createRoutingPlanner,
  createRulePlanner,
  createTodoStore,
  defineTool,
  escapeTemplate,
  explainRequest,
  modelFailure,
  type Proposal,
  toPlan,
} from "planwright";
import { createAiSdkModel } from "planwright/ai-sdk";
import { createFakeTool, createRecordedModel, createScriptedModel, createScriptedPlanner } from "planwright/testing";
import { z } from "zod/v4";
import { estimateComplexity } from "../../../src/planners/request-complexity.ts";
import { fakeV4 } from "../../adapters/ai-sdk/fake-models.ts";
import { open, planTools } from "../../fixtures/plan-tools.ts";
import { requestOf } from "../../planners/rules/plan-for.ts";

/** What a public function does with a text, by its name. */
export type TextSubjects = Readonly<Record<string, (text: string) => unknown>>;

const builtIn = [createCalculator(), createTodoStore()];
const agent = createAgent({ tools: builtIn });
const noGenerate = () => Promise.reject(new Error("nobody asks it"));

/** Planning by rules. */
export const ruleSubjects: TextSubjects = {
  "agent.plan, by rules": (text) => agent.plan(text),
  "createRulePlanner().plan": (text) => createAgent({ tools: builtIn, planner: createRulePlanner() }).plan(text),
  explainRequest: (text) => explainRequest(requestOf(text, { tools: builtIn })),
  "defineTool, phrases": (text) =>
    createAgent({
      tools: [
        defineTool({
          name: "Own",
          description: "Own",
          inputSchema: z.object({ text: z.string() }),
          effect: "idempotent",
          phrases: [text.slice(0, text.length), "do {text}", "do {text} with {text}"],
          execute: () => null,
        }),
      ],
    }).plan("do this with that"),
};

const failed = { details: { planner: "x" } } as never;
const planner = (answer: string, request = "Add milk") => {
  const model = createScriptedModel([{ text: answer }, { text: answer }]);
  const planning = createAgent({ tools: planTools, planner: createLlmPlanner({ model }) });
  return planning.plan(request);
};
const step = (title: string) => JSON.stringify({ steps: [{ do: "Note", title }] });

/** Planning by models: what they answer, and what is typed. */
export const modelSubjects: TextSubjects = {
  "createLlmPlanner, the answer": (text) => planner(text),
  "createLlmPlanner, a broken answer": (text) => planner(`{"steps":[${text}`),
  "createLlmPlanner, a text in the answer": (text) => planner(step(text)),
  "createLlmPlanner, the request": (text) => planner(step(text), text),
  "createLlmPlanner, answer and request have templates": (text) => planner(step(`${text}\${`), `\${ $ref ${text}`),
  "createLlmPlanner, the answer in pieces": (text) => {
    const reply = { text, deltas: text.match(/[\s\S]{1,20}/g) ?? [] };
    const model = createScriptedModel([reply, reply]);
    const planning = createAgent({ tools: planTools, planner: createLlmPlanner({ model }) });
    return planning.run("Add milk");
  },
  createFallbackPlanner: (text) => {
    const failing = () => createScriptedPlanner([new Error(text)]);
    return createAgent({ tools: planTools, planner: createFallbackPlanner([failing(), failing()]) }).plan(text);
  },
  createRoutingPlanner: (text) => {
    const failing = () => createScriptedPlanner([new AgentError("planning-failed", text, failed)]);
    const routing = createRoutingPlanner({ simple: failing(), moderate: failing(), complex: failing() });
    return createAgent({ tools: planTools, planner: routing }).plan(text);
  },
  estimateComplexity: (text) => estimateComplexity({ request: text, tools: planTools }),
  "createAiSdkModel, a stream": (text) => askAiSdk(async () => ({ stream: partsOf(text) }) as never),
  "createAiSdkModel, an error": (text) => askAiSdk(() => Promise.reject(new Error(text))),
  "createAiSdkModel, an error of a status": (text) =>
    askAiSdk(() => Promise.reject(Object.assign(new Error(text), { statusCode: 400, code: text, name: text }))),
  "createAiSdkModel, a retry-after": (text) =>
    askAiSdk(() => Promise.reject(Object.assign(new Error("x"), { responseHeaders: { "retry-after": text } }))),
  "createOllamaModel, the host": (text) => createOllamaModel({ model: "m", host: text }),
  "createOllamaModel, an error": (text) => askOllama(Response.json({ error: text }, { status: 400 })),
  "createOllamaModel, a page": (text) => askOllama(new Response(text, { status: 502 })),
  "createOllamaModel, lines": (text) => askOllama(new Response(text)),
  "createOllamaModel, an answer": (text) =>
    askOllama(new Response(`${JSON.stringify({ message: { role: "assistant", content: text }, done: true })}\n`)),
  modelFailure: (text) => modelFailure({ provider: "p", modelId: text }, "busy", { message: text }).toJSON(),
};

function partsOf(text: string): ReadableStream {
  const pieces = text.match(/[\s\S]{1,50}/g) ?? [];
  let next = 0;
  return new ReadableStream({
    // One by one: a stream of Node takes the square of what waits in it.
    pull(controller) {
      const delta = pieces[next++];
      if (delta === undefined) controller.close();
      else controller.enqueue({ type: "text-delta", id: "t", delta });
    },
  });
}

const asked = {
  messages: [{ role: "user", content: "x" }],
  responseFormat: { type: "json" },
  maxOutputTokens: 10,
  signal: new AbortController().signal,
} as const;

function askAiSdk(doStream: () => Promise<never>): unknown {
  return createAiSdkModel(fakeV4({ doStream, doGenerate: noGenerate }).model as never).generate(asked as never);
}

function askOllama(response: Response): unknown {
  const fetch = async () => response;
  return createOllamaModel({ model: "m", fetch: fetch as never, retry: { maxAttempts: 1 } } as never).generate(
    asked as never,
  );
}

const runOf = (text: string, step: object) =>
  createAgent({
    tools: [open, createFakeTool({ name: "Say", outcomes: [{ returns: { value: text, [text]: text } }] })],
  }).execute({ steps: [{ id: "s1", tool: "Say", input: {} }, step] } as never);

const asking: Proposal = {
  steps: [{ id: "s1", tool: "Mail", input: { to: "Ada" }, dependsOn: [] }],
  ...{ text: "mail Ada …", certainty: 0.5, unused: [] },
  asks: { stepId: "s1", field: "text", type: "text", text: "Which text?" },
};

/** The tools, and texts that runs carry. */
export const runSubjects: TextSubjects = {
  escapeTemplate,
  "toPlan, an answer": (text) => toPlan(asking, text),
  "createCalculator, an expression": (text) => createCalculator().execute({ expression: text } as never, {} as never),
  "createCalculator, a variable": (text) =>
    createCalculator().execute({ expression: "x", variables: { [text]: 1 } } as never, {} as never),
  "createTodoStore, a title": (text) => callTodos({ operation: "add", title: text }),
  "createTodoStore, a list": (text) => callTodos({ operation: "add", title: "x", list: text }),
  "createTodoStore, a search": (text) => callTodos({ operation: "search", query: text, text } as never),
  "createTodoStore, a title that is looked for": (text) => callTodos({ operation: "complete", title: text }),
  "createTodoStore, a date": (text) => callTodos({ operation: "add", title: "x", dueDate: text }),
  "a request that is stored": (text) => createAgent({ tools: [open], planner: createScriptedPlanner([]) }).run(text),
  "an output in a template": (text) => runOf(text, { id: "s2", tool: "Open", input: { a: "${s1.value}${s1.value}" } }),
  "an output in a condition": (text) =>
    runOf(text, { id: "s2", tool: "Open", input: {}, when: "s1.value.contains('aab') && size(s1.value) > 1" }),
  "an output in a loop": (text) =>
    runOf(text, { id: "s2", tool: "Open", input: { a: "${item}" }, forEach: "[s1.value, s1.value.lowerAscii()]" }),
  "a text in an input": (text) => runOf("", { id: "s2", tool: "Open", input: { a: text } }),
  "a condition": (text) => runOf("", { id: "s2", tool: "Open", input: {}, when: text }),
  "a reference": (text) => runOf("", { id: "s2", tool: "Open", input: { a: { $ref: `s1.${text}` } } }),
  "the id of a step": (text) => runOf("", { id: text, tool: "Open", input: {} }),
  "the name of a tool": (text) => runOf("", { id: "s2", tool: text, input: {} }),
  "an error of a tool": (text) =>
    createAgent({
      tools: [
        createFakeTool({
          name: "Say",
          retry: { maxAttempts: 2, minDelayMs: 0 },
          outcomes: [{ throws: new Error(text) }, { throws: text }],
        }),
      ],
    }).execute({ steps: [{ id: "s1", tool: "Say", input: {} }] } as never),
  "a retry-after of a tool": (text) =>
    createAgent({
      tools: [
        createFakeTool({
          name: "Say",
          retry: { maxAttempts: 2, minDelayMs: 0, maxTotalMs: 1 },
          outcomes: [{ throws: Object.assign(new Error("x"), { retryAfter: text }) }, { returns: 1 }],
        } as never),
      ],
    }).execute({ steps: [{ id: "s1", tool: "Say", input: {} }] } as never),
  "a run id": (text) => agent.getRun(text),
  "a cursor": (text) => agent.listRuns({ cursor: text }),
  "a time since": (text) => agent.listRuns({ since: text }),
  createRecordedModel: (text) =>
    createRecordedModel({ path: "/nonexistent", model: createScriptedModel([text]), mode: text } as never),
};

const context = {
  signal: new AbortController().signal,
  attempt: 1,
  idempotencyKey: "k",
  runId: "r",
  stepId: "s",
  resources: {},
  metadata: {},
  progress: () => {},
};
async function callTodos(input: object): Promise<unknown> {
  const todos = createTodoStore();
  const checked = await todos.inputSchema["~standard"].validate(input);
  return checked.issues === undefined ? todos.execute(checked.value as never, context as never) : checked.issues;
}
