import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  type Agent,
  AgentError,
  type AgentEvent,
  createFallbackPlanner,
  createMemoryRunStore,
  modelFailure,
} from "planwright";
import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { type CliIo, createCliAgent } from "../../src/cli/cli-io.ts";
import { newFolder } from "../new-folder.ts";
import { callCli, createFakeAgent, createFakeIo } from "./fake-io.ts";

/** What a terminal obeys: control characters but for the ends of our lines, and what turns text around. */
const obeyed = /[^\P{Cc}\n]|[\p{Bidi_C}\p{Zl}\p{Zp}]/u;
const colors = new RegExp(`${"\u001b"}\\[(1|2|22|31|32|33|39)m`, "g");
/** Without how long a step took. */
const untimed = (text: string) => text.replace(/ \d+\.\d s$/gm, "");

const hostilePieces = [
  "\u001b[31m", // a colour that we use ourselves
  "\u001b[2J\u001b[H", // clears the screen
  "\u001b]8;;http://evil.example\u0007text\u001b]8;;\u0007", // a link
  "\u001b]0;title\u001b\\",
  "\u001bc",
  "\u009b1A", // C1: one line up
  "\u0085",
  "\r",
  "\n",
  "\u0007",
  "\b\b",
  "\u007f",
  "\u0000",
  "\u202e\u2066", // turns what follows around
  "\u200f",
  "\u2028",
  "{x}",
  "plain",
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...hostilePieces), fc.string({ unit: "binary", maxLength: 3 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((pieces) => pieces.join(""));

/** Calls the command in each way a terminal may be, and expects that it shows all and obeys nothing but our own codes. */
async function expectHarmless(argv: readonly string[], createAgent: CliIo["createAgent"]) {
  const call = async (options: Parameters<typeof createFakeIo>[0]) => {
    const io = createFakeIo(options);
    const { stdout, stderr } = await callCli(argv, Object.assign(io, { createAgent }));
    return { stdout, stderr };
  };
  const plain = await call({});
  expect(plain.stdout + plain.stderr).not.toMatch(obeyed);
  const colored = await call({ env: { FORCE_COLOR: "1" } });
  expect(colored.stdout.replace(colors, "") + colored.stderr).not.toMatch(obeyed);
  // A colour that is not ours is shown here, too. (In JSON there are none, but ids and times.)
  if (!argv.includes("--json")) expect(untimed(colored.stdout.replace(colors, ""))).toBe(untimed(plain.stdout));
  const live = await call({ isTTY: true });
  expect(live.stdout.replace(colors, "") + live.stderr).not.toMatch(obeyed);
}

const withAgent = (create: () => Agent) => async () => ({ agent: create(), close: () => {} });

/** All of the pieces at once, then some of them. */
const check = (expectAll: (text: string) => Promise<void>) =>
  fc.assert(fc.asyncProperty(hostile, expectAll), { numRuns: 2, examples: [[hostilePieces.join("")]] });

describe("control characters never reach the terminal", () => {
  it("from arguments, or from what commander reports about them", async () => {
    await check(async (text) => {
      for (const argv of [
        [`--version=${text}`],
        [`--${text}`],
        [`-${text}`],
        ["add", "milk", `--json${text}`],
        ["--planner", text],
        ["--planner", "ollama", "--host", `ftp://${text}`, "--model", text, "add milk"],
        ["--model", text, "add milk"],
        ["--html", text, "add milk"],
        ["show", "run_1", "--html", text, "--json"],
        ["--db"],
        ["--db", `-${text}`, "runs"],
        ["runs", "--plan-only", text],
        ["resume", "x", "--plan-only", "--db", text],
        [text],
        ["--", text],
        ["show", text],
      ])
        await expectHarmless(argv, argv.includes("ollama") ? createCliAgent : withAgent(createFakeAgent));
    });
  });

  it("from file names", async () => {
    const folder = newFolder();
    await check(async (text) => {
      const db = join(folder, "none", text);
      for (const command of [["runs"], ["show", "run_1"], ["watch", "run_1"], ["add a todo to buy milk"]])
        await expectHarmless(["--db", db, ...command], createCliAgent);
    });
  });

  it("from requests, reasons, inputs, outputs and errors", async () => {
    await check(async (text) => {
      const plan = {
        steps: [{ id: "s1", tool: "Fake", input: { text, [text]: [text] }, dependsOn: [], reasoning: text }],
        source: { planner: "p", model: text },
      };
      const outputs = [text, { title: text, note: text }, { [text]: text }, { a: { [text]: text }, b: [text] }, [text]];
      const outcomes = [...outputs.map((returns) => ({ returns })), { throws: new Error(text) }, { throws: text }];
      for (const outcome of outcomes) {
        const tools = () => [createFakeTool({ name: "Fake", outcomes: [outcome], retry: { maxAttempts: 1 } })];
        const agent = () => createFakeAgent({ tools: tools(), planner: createScriptedPlanner([plan]) });
        await expectHarmless(["--", text], withAgent(agent));
        await expectHarmless(["--json", "--", text], withAgent(agent));
      }
    });
  });

  it("from errors of planners, or from warnings", async () => {
    const refusal = (text: string) =>
      new AgentError("cannot-plan", text, { details: { reason: "not-understood", examples: [text, `a ${text} {b}`] } });
    const failure = (text: string) => modelFailure({ provider: text, modelId: text }, "unreachable", { message: text });
    await check(async (text) => {
      for (const thrown of [refusal(text), failure(text), new Error(text)]) {
        const planner = () => createScriptedPlanner([thrown]);
        await expectHarmless(
          ["add milk"],
          withAgent(() => createFakeAgent({ planner: planner() })),
        );
        const inTurn = () => createFallbackPlanner([planner(), planner()]);
        await expectHarmless(
          ["add milk"],
          withAgent(() => createFakeAgent({ planner: inTurn() })),
        );
      }
      await expectHarmless(["add milk"], async (_choice, warnings) => {
        warnings?.onWarning({ message: text } as never);
        warnings?.onListenerError(new Error(text), {} as never);
        throw new AgentError("planning-failed", text, { details: { planner: text } } as never);
      });
    });
  });

  it("from the runs of a store, whatever they contain", async () => {
    const db = join(newFolder(), "runs\u001b[31m.db");
    writeFileSync(db, "");
    await check(async (text) => {
      const agent = () => createFakeAgent({ store: storeOf(text) });
      const io = Object.assign(createFakeIo(), { createAgent: withAgent(agent) });
      expect((await callCli(["show", "run_1", "--db", db], io)).stdout).toContain("\nRun\n");
      for (const command of [["runs"], ["show", "run_1"], ["watch", "run_1"], ["resume", "run_1"]]) {
        await expectHarmless(["--db", db, ...command], withAgent(agent));
        await expectHarmless(["--json", "--db", db, ...command], withAgent(agent));
      }
      for (const option of ["--mermaid", "--events"]) {
        await expectHarmless(["--db", db, "show", "run_1", option], withAgent(agent));
      }
      await expectHarmless(["--db", db, "runs", "--html", join(db, text)], withAgent(agent));
    });
  });
});

/** A store with a run whose every text is hostile, as one is whose file somebody else has written. */
function storeOf(text: string) {
  const store = createMemoryRunStore();
  const error = { code: "tool-failed", name: "AgentError", message: text, retryable: false, details: { [text]: text } };
  const step = (id: string, dependsOn: readonly string[] = []) => {
    return { id, tool: text, input: { text, [text]: text }, dependsOn, reasoning: text };
  };
  const plan = { version: 1, id: text, request: text, source: { planner: text, model: text }, createdAt: text };
  const said = { stepId: text, tool: text };
  const events = [
    {
      type: "run-start",
      version: 8,
      request: text,
      options: { maxSteps: 9, concurrency: 1, timeZone: text },
      tools: [],
      metadata: { [text]: text },
    },
    { type: "plan-start", planner: text },
    {
      type: "plan-end",
      outcome: { status: "completed", plan: { ...plan, steps: [step(text), step("s2", [text]), step("s3")] } },
    },
    { type: "step-start", ...said, input: { text }, effect: "pure", reasoning: text },
    { type: "step-retry", ...said, attempt: 1, delayMs: 1, error: { name: text, message: text } },
    { type: "step-end", ...said, attempts: 2, outcome: { status: "failed", error } },
    { type: "step-skip", stepId: "s2", tool: text, reason: "dependency-failed" },
    { type: "circuit-change", tool: text, state: "open" },
    { type: "run-end", outcome: { status: "failed", error } },
  ].map((event, index) => ({ ...event, runId: "run_1", sequence: index + 1, timestamp: "2026-01-01T00:00:00.000Z" }));
  void store.append("run_1", events as unknown as readonly AgentEvent[], { sequence: 1 });
  return store;
}
