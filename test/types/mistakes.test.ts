import { describe, expect, it } from "vitest";
import { createCompiler, mark } from "./compiler.ts";

const head = `
import { createAgent, createMemoryRunStore, createOrchestrator, defineTool, type ToolContext } from "../../src/index.ts";
import * as z from "zod/v4";
const transfer = defineTool({
  name: "Transfer", description: "d", inputSchema: z.object({ to: z.string(), euros: z.number() }),
  outputSchema: z.object({ id: z.string() }), effect: "once", execute: () => ({ id: "t" }),
});
const say = defineTool({
  name: "Say", description: "d", inputSchema: z.object({ text: z.string() }), execute: ({ text }) => ({ said: text }),
});
const agent = createAgent({ tools: [transfer, say] });
const run = await agent.run("x");
const orchestrator = createOrchestrator({ tools: [say], store: createMemoryRunStore() });
`;

const tool = (members: string) => `defineTool({ name: "T", description: "d", ${members} });`;
const input = "inputSchema: z.object({ a: z.string(), unit: z.enum(['c', 'f']).optional() })";
const output = "outputSchema: z.object({ n: z.number(), m: z.string().optional() })";
const execute = "execute: ({ a }) => a";

const mistakes: readonly (readonly [what: string, code: string, at: string, says: string])[] = [
  ["an unknown option", tool(`${input}, efect: "pure", ${execute}`), "efect", "Did you mean to write 'effect'?"],
  [
    "an unknown option beside an output schema",
    tool(`${input}, ${output}, efect: "pure", execute: () => ({ n: 1 })`),
    "efect",
    "Did you mean to write 'effect'?",
  ],
  ["a wrong effect", tool(`${input}, effect: "twice", ${execute}`), "effect", `'"twice"' is not assignable`],
  [
    "a wrong effect of a function",
    tool(`${input}, ${output}, effect: ({ a }) => (a ? "never" : "pure"), execute: () => ({ n: 1 })`),
    "effect",
    `'"never"' is not assignable`,
  ],
  ["a wrong needsApproval", tool(`${input}, needsApproval: "yes", ${execute}`), "needsApproval", "'string'"],
  ["an unknown field", tool(`${input}, needsApproval: ({ b }) => b, ${execute}`), "b", "does not exist"],
  ["a wrong option of retry", tool(`${input}, retry: { attempts: 3 }, ${execute}`), "attempts", "'RetryOptions'"],
  ["a wrong time limit", tool(`${input}, timeoutMs: "5s", ${execute}`), "timeoutMs", "'string'"],
  ["a shape as schema", tool("inputSchema: { a: z.string() }, execute: () => 1"), "a", "'StandardSchema<"],
  ["a shape as output schema", tool(`${input}, outputSchema: { n: z.number() }, execute: () => 1`), "n", "Schema<"],
  ["an output of another type", tool(`${input}, ${output}, execute: ({ a }) => ({ n: a })`), "n", "'number'"],
  [
    "an output that lacks a field",
    tool(`${input}, ${output}, execute: ({ a }) => ({ m: a })`),
    "({ m: a })",
    "Property 'n' is missing",
  ],
  [
    "a later output of another type",
    tool(`${input}, ${output}, async execute({ a }) { return { n: a }; }`),
    "execute",
    "Types of property 'n' are incompatible",
  ],
  ["an unknown field in execute", tool(`${input}, ${output}, execute: ({ b }) => ({ n: b })`), "b", "'b'"],
  ["an unknown field in undo", tool(`${input}, ${execute}, undo: ({ output }) => output.x`), "x", "'x'"],
  ["a phrase that is no text", tool(`${input}, phrases: [5], ${execute}`), "5", "'number' is not assignable"],
  [
    "an unknown field in a phrase",
    tool(`${input}, phrases: ["a", { phrase: "b", input: { town: "c" } }], ${execute}`),
    "town",
    "'town' does not exist",
  ],
  [
    "an unknown option of a phrase",
    tool(`${input}, phrases: [{ phrase: "b", toInputs: () => undefined }], ${execute}`),
    "toInputs",
    "Did you mean to write 'toInput'?",
  ],
  [
    "an input of a phrase that lacks a field",
    tool(`${input}, phrases: [{ phrase: "b", toInput: () => ({ unit: "c" }) }], ${execute}`),
    "toInput",
    "Property 'a' is missing",
  ],
  [
    "a wrong literal in the input of a phrase",
    tool(`${input}, phrases: [{ phrase: "b", toInput: () => ({ a: "", unit: "k" }) }], ${execute}`),
    "toInput",
    `Type '"k"' is not assignable`,
  ],
  ["an unknown option of an agent", "createAgent({ tools: [say], plannr: undefined });", "plannr", "'planner'?"],
  [
    "an unknown tool in a plan",
    'agent.execute({ steps: [{ id: "a", tool: "Transfr", input: { to: "Ada", euros: 5 } }] });',
    "tool",
    `Did you mean '"Transfer"'?`,
  ],
  [
    "an unknown tool in a plan that is started",
    'agent.start({ steps: [{ id: "a", tool: "Transfr", input: { to: "Ada", euros: 5 } }] });',
    "tool",
    `Did you mean '"Transfer"'?`,
  ],
  ["an unknown tool in the options", 'agent.run("x", { tools: ["Transfr"] });', '"Transfr"', `'"Transfer"'?`],
  [
    "a field of another type in a plan",
    'agent.execute({ steps: [{ id: "a", tool: "Transfer", input: { to: "Ada", euros: "5" } }] });',
    "euros",
    "'Referable<number>'",
  ],
  ["an id in place of options", 'agent.run("x", "pay-7");', '"pay-7"', "'RunOptions<"],
  ["an id in place of options of a plan", 'agent.execute({ steps: [] }, "pay-7");', '"pay-7"', "'RunOptions<"],
  ["a request in place of a plan", 'agent.execute("send 20 euros");', '"send 20 euros"', "PlanInput<"],
  ["a request for an orchestrator", 'orchestrator.start("x");', '"x"', "PlanInput<"],
  ["an output that not all tools have", 'if (run.status === "completed") run.output.id;', "id", "'id' does not exist"],
];

/** What an editor shows, and words of it. */
const hovers: readonly (readonly [code: string, words: string])[] = [
  [`run.${mark}status;`, "`completed`, `failed` and `cancelled` are final"],
  [`run.${mark}error;`, "The error that ended it"],
  [`run.${mark}pending;`, "that a suspended run waits for"],
  [`if (run.status === "suspended") run.${mark}pending.length;`, "that a suspended run waits for"],
  [`if (run.status === "failed") run.${mark}error.code;`, "The error that ended it"],
  [`const { ${mark}status } = run; status;`, "are final"],
  [`(await agent.getRun("r"))?.${mark}status;`, "are final"],
  [`(await agent.listRuns()).runs[0]?.${mark}status;`, "The state of the run"],
  [`run.steps[0]?.${mark}status;`, "The state of the step"],
  [`run.steps[0]?.${mark}error;`, "The error that ended it"],
  [`run.steps[0]?.${mark}effect;`, "The effect of the tool"],
  [`agent.${mark}resume("r");`, "Resumes a stored run"],
  [`agent.settle("r", "a", { retry: true, ${mark}resume: false });`, "No step runs in this process"],
  [`agent.settle("r", "a", { retry: true, ${mark}resume: true });`, "no step runs in this process"],
  [`defineTool({ name: "T", description: "d", ${input}, ${mark}effect: "pure", ${execute} });`, "The effect of a call"],
  [`transfer.${mark}effect({});`, "The effect of running"],
  [`agent.on("approval-request", (e) => void (e.kind === "step" && e.${mark}effect));`, "The effect of the tool"],
  [`for (const item of run.pending ?? []) if (item.kind === "approval") item.${mark}effect;`, "The effect of its tool"],
  ...(
    [
      ["run-end", "The end of the run"],
      ["plan-end", "The plan, or the error"],
      ["plan-revise", "The plan with other steps"],
      ["step-end", "The end of the step"],
      ["step-late", "The outcome of the attempt"],
      ["model-end", "The end of the attempt"],
      ["approval-end", "The decision"],
      ["undo-end", "The end of the last attempt"],
      ["run-settle", "The outcome that a person gave it"],
    ] as const
  ).map(([type, words]) => [`agent.on("${type}", (event) => event.${mark}outcome);`, words] as const),
];

const compiler = createCompiler(head, [...mistakes.map(([, code]) => code), ...hovers.map(([code]) => code)]);

describe("a mistake is reported once, at its place:", () => {
  it.each(mistakes)("%s", (_what, code, at, says) => {
    const [first, ...others] = compiler.mistakesIn(code);
    expect(others).toEqual([]);
    expect(first).toEqual({ at, says: expect.stringContaining(says) });
    expect(first?.says).not.toContain("verload");
  });
});

describe("an editor explains", () => {
  it.each(hovers)("%s", (code, words) => {
    expect(compiler.mistakesIn(code)).toEqual([]);
    expect(compiler.hoverIn(code)).toContain(words);
  });
});
