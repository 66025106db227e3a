import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import * as z3 from "zod/v3";
import * as z from "zod/v4";
import { createAgent } from "../../src/agent.ts";
import { defineTool } from "../../src/core/define-tool.ts";
import type { PlanInput } from "../../src/core/plan.ts";
import type { Tool } from "../../src/core/tool.ts";
import { sensitive } from "../../src/core/tool-schemas.ts";
import { createManualClock } from "../../src/testing/manual-clock.ts";
import { recordTools, replayTools } from "../../src/testing/recorded-tools.ts";
import { newFolder } from "../new-folder.ts";
import { step } from "../scenario/plans.ts";
import { contextOf } from "./record.ts";

let path: string;

beforeEach(() => {
  path = join(newFolder(), "calls.json");
});

async function runWith(tools: readonly Tool[], plan: PlanInput) {
  const clock = createManualClock();
  const agent = createAgent({ tools, clock, random: () => 1, createId: () => "id" });
  return clock.runUntil(agent.execute(plan, { runId: "r1", undoOnFailure: true }));
}

/** The recorded calls, and the answers of functions among them. */
const allCallsOf = async () => JSON.parse(await readFile(path, "utf8")).calls;
const isAnswer = (call: object) => "effect" in call || "needsApproval" in call;
const callsOf = async () => (await allCallsOf()).filter((call: object) => !isAnswer(call));

const planted = 'pl"änted/7c1e';
const token = "tok-91fe-33";

const signIn = defineTool({
  name: "SignIn",
  description: "Signs in",
  inputSchema: z.object({ user: z.string(), password: sensitive(z.string()) }),
  outputSchema: z.object({ token: sensitive(z.string()), pin: sensitive(z.int()), note: z.string() }),
  execute: ({ user, password }) => ({
    token,
    pin: 48_151_623,
    note: `${user}: ${password}, ${encodeURIComponent(password)}`,
  }),
  undo: ({ output }) => {
    throw Object.assign(new Error(`No such session: ${output.token}`), { retryable: false });
  },
});
const fetchPage = defineTool({
  name: "Fetch",
  description: "Fetches a page",
  inputSchema: z.object({ authorization: z.string(), query: z.record(z.string(), z.unknown()) }),
  execute: ({ authorization }): unknown => {
    const cause = new RangeError(`in the cause: ${planted}`);
    const details = { [planted]: [authorization, { pin: 48_151_623 }] };
    throw Object.assign(new Error(`Rejected ${authorization}`, { cause }), { details, code: token, retryable: false });
  },
});
const planWith = (password: string): PlanInput => ({
  steps: [
    step("s1", "SignIn", { input: { user: "ada", password } }),
    step("s2", "Fetch", { input: { authorization: "Bearer ${s1.token}", query: { pin: { $ref: "s1.pin" }, q: "x" } } }),
  ],
});

describe("a secret", () => {
  it("is nowhere in the file: not in inputs, outputs, texts made from it, errors or causes", async () => {
    const live = await runWith(recordTools([signIn, fetchPage], path), planWith(planted));
    expect(live.error?.code).toBe("tool-failed");
    const text = await readFile(path, "utf8");
    for (const secret of [
      planted,
      JSON.stringify(planted).slice(1, -1),
      encodeURIComponent(planted),
      token,
      "48151623",
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/änted|7c1e|91fe/);
    expect(await callsOf()).toEqual([
      {
        tool: "SignIn",
        input: { user: "ada", password: "[secret 1]" },
        output: { token: "[secret 2]", pin: "[secret 3]", note: "ada: [secret 1], [secret 1]" },
      },
      {
        tool: "Fetch",
        input: { authorization: "Bearer [secret 2]", query: { pin: "[secret 3]", q: "x" } },
        error: {
          name: "Error",
          message: "Rejected Bearer [secret 2]",
          code: "[secret 2]",
          retryable: false,
          details: { "[secret 1]": ["Bearer [secret 2]", { pin: "[secret 3]" }] },
          cause: { name: "RangeError", message: "in the cause: [secret 1]" },
        },
      },
      {
        tool: "SignIn",
        input: { user: "ada", password: "[secret 1]" },
        undone: { token: "[secret 2]", pin: "[secret 3]", note: "ada: [secret 1], [secret 1]" },
        error: { name: "Error", message: "No such session: [secret 2]", retryable: false },
      },
    ]);
  });

  it.each([planted, "another one", "x", "[secret 1]"])("matches when replaying with %j", async (password) => {
    await runWith(recordTools([signIn, fetchPage], path), planWith(planted));
    for (const tools of [replayTools(path), replayTools(path, { tools: [signIn, fetchPage] })]) {
      const replayed = await runWith(tools, planWith(password));
      expect(replayed.steps.map(({ tool, status }) => [tool, status])).toEqual([
        ["SignIn", "completed"],
        ["Fetch", "failed"],
      ]);
      tools.assertComplete();
    }
  });

  it("is the same placeholder in every recording, whichever call ends first", async () => {
    const waiting: (() => void)[] = [];
    const login = defineTool({
      name: "Login",
      description: "Logs in",
      inputSchema: z3.object({ user: z3.string() }),
      outputSchema: z3.object({ token: sensitive(z3.string()) }),
      execute: ({ user }) =>
        new Promise<{ token: string }>((resolve) => waiting.push(() => resolve({ token: `token of ${user}` }))),
    });
    const users = ["a", "b", "c"];
    const steps = users.map((user) => step(user, "Login", { input: { user }, dependsOn: [] }));
    const texts: string[] = [];
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      const clock = createManualClock();
      const agent = createAgent({ tools: recordTools([login], path), clock });
      const running = agent.execute({ steps }, { concurrency: 3 });
      await clock.advance(1);
      for (const index of order) {
        waiting[index]?.();
        await clock.advance(1);
      }
      await running;
      waiting.length = 0;
      texts.push(await readFile(path, "utf8"));
    }
    expect(texts[1]).toBe(texts[0]);
    expect((await callsOf()).map(({ output }: { output: object }) => output)).toEqual([
      { token: "[secret 1]" },
      { token: "[secret 2]" },
      { token: "[secret 3]" },
    ]);
  });

  it("may be of any type, and is hidden as a whole", async () => {
    const keep = defineTool({
      name: "Keep",
      description: "Keeps",
      inputSchema: z.object({
        login: sensitive(z.object({ user: z.string(), pass: z.string() })),
        flag: sensitive(z.boolean()).optional(),
        list: z.array(sensitive(z.string().nullable())),
      }),
      effect: ({ list }) => (list.length > 1 ? "once" : "pure"),
      execute: ({ login }) => [login.pass, login.user],
    });
    const plan = (user: string) => ({
      steps: [
        step("s1", "Keep", {
          input: { login: { user, pass: "hunter22" }, flag: false, list: ["sesame", null, "sesame"] },
        }),
      ],
    });
    await runWith(recordTools([keep], path), plan("someone"));
    expect(await callsOf()).toEqual([
      {
        tool: "Keep",
        input: { login: "[secret 1]", flag: "[secret 2]", list: ["[secret 3]", "[secret 4]", "[secret 3]"] },
        output: ["[secret 1]", "[secret 1]"],
      },
    ]);
    const text = await readFile(path, "utf8");
    expect(text).not.toMatch(/hunter22|someone|sesame/);
    expect((await allCallsOf()).filter(isAnswer)).toEqual([
      {
        tool: "Keep",
        input: { login: "[secret]", flag: "[secret]", list: ["[secret]", "[secret]", "[secret]"] },
        effect: "once",
      },
    ]);
    const tools = replayTools(path);
    expect((await runWith(tools, plan("me"))).status).toBe("completed");
    tools.assertComplete();
  });

  it("may be a whole output", async () => {
    const create = defineTool({
      name: "Create",
      description: "Creates a password",
      inputSchema: z.object({}),
      outputSchema: sensitive(z.string()),
      execute: () => "hunter22",
    });
    const plan = { steps: [step("s1", "Create")] };
    await runWith(recordTools([create], path), plan);
    expect(await callsOf()).toEqual([{ tool: "Create", input: {}, output: "[secret 1]" }]);
    const tools = replayTools(path);
    expect((await runWith(tools, plan)).status).toBe("completed");
    tools.assertComplete();
  });

  it("that was the same in two calls has to be the same again", async () => {
    const plan = (...passwords: string[]): PlanInput => ({
      steps: passwords.map((password, index) => step(`s${index}`, "SignIn", { input: { user: "ada", password } })),
    });
    await runWith(recordTools([signIn], path), plan("first", "second", "first"));
    const passwordsOf = async () =>
      (await callsOf()).map(({ input }: { input: { password: string } }) => input.password);
    expect(await passwordsOf()).toEqual(["[secret 1]", "[secret 4]", "[secret 1]"]);

    const other = replayTools(path);
    expect((await runWith(other, plan("one", "two", "one"))).status).toBe("completed");
    other.assertComplete();
    const dummy = replayTools(path);
    expect((await runWith(dummy, plan("one", "one", "one"))).status).toBe("completed");
    dummy.assertComplete();
    const { error } = await runWith(replayTools(path), plan("one", "two", "three-333"));
    expect(error?.message).toContain(
      'its input is {"password":"[secret]","user":"ada"}. 3 calls of SignIn are recorded; the nearest, calls[0], which has been made, differs in input.password: "[another secret]", recorded "[secret 1]".',
    );
    expect(error?.message).not.toContain("three-333");
  });

  it("chooses among equal calls the one with the same placeholder", async () => {
    const read = defineTool({
      name: "Read",
      description: "Reads",
      inputSchema: z.object({ key: sensitive(z.string()) }),
      execute: ({ key }) => ({ length: key.length }),
    });
    const plan = (...keys: string[]): PlanInput => ({
      steps: keys.map((key, index) => step(`s${index}`, "Read", { input: { key } })),
    });
    await runWith(recordTools([read], path), plan("four", "sixsix", "four"));
    const tools = replayTools(path);
    const { steps } = await runWith(tools, plan("a", "a", "b"));
    expect(steps.map(({ output }) => output)).toEqual([{ length: 4 }, { length: 4 }, { length: 6 }]);
    tools.assertComplete();
  });

  it("may be part of other texts by chance", async () => {
    const say = defineTool({
      name: "Say",
      description: "Says",
      inputSchema: z.object({ key: sensitive(z.string()), text: z.string(), tags: z.record(z.string(), z.string()) }),
      effect: ({ text }) => (text === "" ? "once" : "pure"),
      execute: ({ text }) => text.length,
    });
    const plan = (key: string): PlanInput => ({
      steps: ["testing", `${key} = ${key}`].map((text, index) =>
        step(`s${index}`, "Say", { input: { key, text, tags: { test: text, [key]: "a test" } } }),
      ),
    });
    await runWith(recordTools([say], path), plan("ke$-(1"));
    expect((await callsOf())[1].input).toEqual({
      key: "[secret 1]",
      text: "[secret 1] = [secret 1]",
      tags: { test: "[secret 1] = [secret 1]", "[secret 1]": "a test" },
    });
    for (const tools of [replayTools(path), replayTools(path, { tools: [say] })]) {
      expect((await runWith(tools, plan("other"))).steps.map(({ output }) => output)).toEqual([7, 15]);
      tools.assertComplete();
    }
    const tools = replayTools(path, { tools: [say] });
    expect((await runWith(tools, plan("test"))).status).toBe("failed");
  });
});

describe("secrets of parallel calls", () => {
  interface Made {
    readonly key?: string;
    readonly text?: unknown;
  }

  /** The recorded calls, if they are made in this order and end in the other. */
  async function record(inputs: readonly Made[], order: readonly number[] = inputs.map((_, place) => place)) {
    const waiting: (() => void)[] = [];
    const keep = defineTool({
      name: "Keep",
      description: "Keeps",
      inputSchema: z.object({ key: sensitive(z.string()).optional(), text: z.unknown() }),
      effect: ({ text }) => (text === "alpha" ? "once" : "pure"),
      execute: ({ text }) => new Promise((resolve) => waiting.push(() => resolve({ text }))),
    });
    const [tool] = recordTools([keep], path);
    const calls = inputs.map((input) => {
      if ("text" in input) tool.effect(input);
      return tool.execute(input, contextOf());
    });
    for (const place of order) {
      waiting[place]?.();
      await calls[place];
    }
    return allCallsOf();
  }

  it.each<[string, string, unknown]>([
    ["in JSON", 'a"b\\c', JSON.stringify({ inner: 'a"b\\c' })],
    ["in a URL", "a b/c", "?q=a%20b%2Fc"],
    ["as a key", "a-key", { "a-key": 1 }],
    ["as a number", "12345", 12_345],
    ["that contains a known one", "xxknownxx", "xxknownxx"],
    ["with half a surrogate pair", "abc\ud83d", "abc😀"],
  ])("are found in earlier calls %s", async (_, key, text) => {
    const calls = (await record([{ key: "known" }, { text }, { key }])).filter((call: object) => !isAnswer(call));
    expect(calls[1].input.text).not.toEqual(text);
    expect(JSON.stringify(calls[1].input)).toContain("[secret 2]");
    expect(JSON.stringify(calls[1].output)).toContain("[secret 2]");
  });

  it("are numbered in the order of the calls, whichever ends first", async () => {
    const text = fc.constantFrom("alpha", "beta-1", "xalphax", "gamma", "alpha gamma", "a");
    const input: fc.Arbitrary<Made> = fc.oneof(
      fc.record({ key: text, text }),
      fc.record({ text }),
      fc.record({ key: text }),
    );
    const scenario = fc.array(input, { minLength: 1, maxLength: 6 }).chain((inputs) => {
      const places = inputs.map((_, place) => place);
      return fc.tuple(fc.constant(inputs), fc.shuffledSubarray(places, { minLength: places.length }));
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ([inputs, order]) => {
        const calls = await record(inputs);
        expect(await record(inputs, order)).toEqual(calls);
        const secrets = JSON.stringify(calls.filter((call: object) => !isAnswer(call))).match(/\[secret \d+\]/g) ?? [];
        const keys = new Set(inputs.flatMap(({ key }) => key ?? []));
        expect(new Set(secrets).size).toBe(keys.size);
        for (const key of keys) if (key.length > 3) expect(JSON.stringify(calls)).not.toContain(key);
      }),
      { numRuns: 100 },
    );
  });
});
