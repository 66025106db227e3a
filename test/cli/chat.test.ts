import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { type Agent, AgentError, createAgent, defineTool, sensitive } from "planwright";
import { createFakeTool, createScriptedPlanner, type FakeTool } from "planwright/testing";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/v4";
import { newFolder } from "../new-folder.ts";
import { call, converse, fakeIo } from "./call-with-db.ts";
import { callCli, createFakeAgent, createFakeIo, type FakeIo } from "./fake-io.ts";

const pipe = (...lines: readonly string[]) => Readable.from([lines.map((line) => `${line}\n`).join("")]);

/** Rings people, after an approval, and tells how often. */
function createBell() {
  const rung: string[] = [];
  const bell = defineTool({
    name: "Bell",
    description: "Rings somebody",
    inputSchema: z.object({ name: z.string() }),
    outputSchema: z.object({ rung: z.string() }),
    effect: "idempotent",
    needsApproval: true,
    phrases: ["ring {name}"],
    execute({ name }) {
      rung.push(name);
      return { rung: name };
    },
  });
  return { bell, rung };
}

/** Plans one step of the tool "Fake" for each line. */
function createFaker(tool: FakeTool): Agent {
  const plan = { steps: [{ id: "s1", tool: "Fake", input: {}, dependsOn: [] }] };
  return createAgent({ tools: [tool], planner: createScriptedPlanner([plan, plan, plan]) });
}

/** At a terminal: types the next keys each time a prompt is shown. */
async function typeAt(
  keys: readonly string[],
  {
    agent,
    db,
    atStart = [],
  }: { readonly agent?: Agent; readonly db?: string; readonly atStart?: readonly string[] } = {},
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const io: FakeIo = createFakeIo({ ...(agent && { agent }), isTTY: true, stdin });
  const [left, leftAtStart] = [[...keys], [...atStart]];
  agent?.on("step-start", () => setImmediate(() => stdin.write(leftAtStart.shift() ?? "")));
  const write = (text: string) => {
    io.written.stdout += text;
    if (text === "> " || text === "y/n> ") setImmediate(() => stdin.write(left.shift() ?? "\u0004"));
  };
  const stdout = Object.assign(new PassThrough(), { isTTY: true, write });
  Object.assign(io, { stdout });
  const { exitCode, stderr } = await callCli(["chat", "--no-color", ...(db === undefined ? [] : ["--db", db])], io);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the line editor moves the cursor
  const shown = io.written.stdout.replace(/\u001b\[\d*[GJ]/g, "").replaceAll("\r\n", "\n");
  return { exitCode, stderr, stdout: shown };
}

describe("planwright chat in a pipe", () => {
  it("answers each line, asks with numbers, and reads the answer", async () => {
    const said = ["add milk and eggs", "make it high", "", "2", "sing", "add bread"];
    expect(await converse(said)).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `Added "milk".
Added "eggs".
Which one?
1 milk
2 eggs
Changed "eggs", high priority.
The request cannot be planned: no phrase of any tool fits "sing"; the nearest phrase is "{list} list" of TodoStore.
For example: "2 + 3" or "show todo".
Added "bread".
`,
    });
  });

  it("approves only after y, and refuses after n", async () => {
    for (const [answer, times, said] of [
      ["y", 1, "rung: Ada"],
      ["YES", 1, "rung: Ada"],
      ["n", 0, 'Step "s1" was refused'],
      ["no", 0, 'Step "s1" was refused'],
    ] as const) {
      const { bell, rung } = createBell();
      const agent = createAgent({ tools: [bell] });
      const { exitCode, stdout } = await callCli(["chat"], createFakeIo({ agent, stdin: pipe("ring Ada", answer) }));
      expect([exitCode, rung.length]).toEqual([0, times]);
      expect(stdout).toContain(`Needs approval: ring Ada.\n${said}`);
    }
  });

  it("keeps an approval open for any other line, and asks again", async () => {
    const { bell, rung } = createBell();
    const agent = createAgent({ tools: [bell] });
    const stdin = pipe("ring Ada", "ring Bob", "yes please", "y", "n");
    const { stdout } = await callCli(["chat"], createFakeIo({ agent, stdin }));
    expect(rung).toEqual(["Bob"]);
    const asked = stdout.split("\n").filter((line) => line.startsWith("Needs approval"));
    expect(asked.map((line) => line.slice(-4))).toEqual(["Ada.", "Bob.", "Bob.", "Ada."]);
  });

  it("undoes the last runs that changed something, one after the other", async () => {
    const lines = ["add milk", "add eggs", ...Array(9).fill("show my list"), "/undo", "/undo", "/undo", "show my list"];
    const { stdout } = await converse(lines);
    expect(stdout.split("\n").slice(-5)).toEqual([
      'Undone: add the todo "eggs".',
      'Undone: add the todo "milk".',
      "There is nothing to undo.",
      "No todos.",
      "",
    ]);
    const agent = createFaker(createFakeTool({ name: "Fake", outcomes: [{ returns: 1 }] }));
    const io = createFakeIo({ agent, stdin: pipe("do it", "/undo") });
    expect((await callCli(["chat"], io)).stdout).toBe("1\nThat cannot be undone.\n");
  });

  it("forgets the thread, and lists its commands", async () => {
    const { stdout } = await converse(["add milk", "/forget", "what was the second one", "/undo", "/help", "/x"]);
    expect(stdout).toMatch(/^Added "milk"\.\nDeleted 1 run\.\n(?!.*milk)/s);
    expect(stdout).toContain("\nThere is nothing to undo.\n");
    expect(stdout.match(/ {2}\/forget /g)).toHaveLength(2);
  });

  it("prints one JSON object a line with --json", async () => {
    const { stdout } = await converse(["add milk and eggs", "make it high", "milk", "/undo", "/help"], "--json");
    const [added, asks, answered, undone, help, ...rest] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(added).toEqual({ runId: expect.any(String), status: "completed", text: 'Added "milk".\nAdded "eggs".' });
    const { runId, pending } = asks;
    expect(asks).toMatchObject({ status: "suspended", pending: [{ kind: "question", message: "Which one?" }] });
    expect(answered).toMatchObject({ runId, status: "completed", answered: { runId, stepId: pending[0].stepId } });
    expect(undone).toMatchObject({ runId, status: "cancelled" });
    expect(help).toEqual({ text: expect.stringContaining("/undo") });
    expect(rest).toEqual([]);
  });

  it("shows the error of a line, and goes on", async () => {
    const failing = createFakeTool({ name: "Fake", retry: { maxAttempts: 1 }, outcomes: [{ throws: "no\u0007" }] });
    const agent = createFaker(failing);
    const shown = await callCli(["chat"], createFakeIo({ agent, stdin: pipe("add milk", "add eggs") }));
    expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
    expect(shown.stdout.match(/no\\u0007/g)).toHaveLength(2);
    const refusing: Agent = {
      ...createFakeAgent(),
      run: () => Promise.reject(new AgentError("invalid-options", "Not so.", { details: { option: "x" } as never })),
    };
    const refused = await callCli(["chat"], createFakeIo({ agent: refusing, stdin: pipe("a", "b", "/help") }));
    expect(refused).toMatchObject({ exitCode: 0, stderr: "planwright: Not so.\nplanwright: Not so.\n" });
    const json = await callCli(["chat", "--json"], createFakeIo({ agent: refusing, stdin: pipe("a") }));
    expect([JSON.parse(json.stdout).error.code, json.stderr]).toEqual(["invalid-options", ""]);
    const long = await converse(["x".repeat(1_000_000), "add milk"]);
    expect(long.exitCode).toBe(0);
    expect(long.stdout).toMatch(/^A request must be text of 1 to .*\nAdded "milk"\.\n$/);
  });

  it("ends with 130 when Ctrl-C cancels a run, and with 143 when it is told to end", async () => {
    for (const [exitCode, outcome, end] of [
      [130, { hangs: "until-aborted" }, (io: FakeIo) => io.controller.abort("Ctrl-C was pressed")],
      [143, { returns: 1 }, (io: FakeIo) => io.terminators.forEach((terminate) => void terminate())],
    ] as const) {
      const tool = createFakeTool({ name: "Fake", outcomes: [outcome] });
      const agent = createFaker(tool);
      let count = 0;
      agent.on("run-start", () => count++);
      const io = createFakeIo({ agent, stdin: pipe("add milk", "add eggs") });
      agent.on("step-start", () => queueMicrotask(() => end(io)));
      expect((await callCli(["chat", "--db", "x.db"], io)).exitCode).toBe(exitCode);
      expect([count, io.terminators.size, io.closed]).toEqual([1, 0, 1]);
    }
  });
});

describe("planwright chat with a file", () => {
  it("goes on in the next process, and keeps threads apart", async () => {
    const db = join(newFolder(), "todo.db");
    await converse(["add milk and eggs", "make it high"], "--db", db);
    expect((await converse(["add ham", "make it low"], "--db", db, "--thread", "ben")).stdout).toMatch(/"ham", low/);
    expect((await converse(["eggs", "make it low"], "--db", db)).stdout).toBe(
      'Changed "eggs", high priority.\nChanged "eggs", low priority.\n',
    );
    expect((await converse(["/forget"], "--db", db)).stdout).toBe("Deleted 4 runs.\n");
    expect(JSON.parse((await call(db, "runs", "--json")).stdout).runs).toHaveLength(2);
    expect(existsSync(`${db}.history`)).toBe(false);
  });

  it("shows an approval of an earlier process before y approves it", async () => {
    const db = join(newFolder(), "bell.db");
    const { bell, rung } = createBell();
    const say = (id: string, ...lines: readonly string[]) => {
      const stdin = pipe(...lines);
      const planner = createScriptedPlanner([{ steps: [{ id: "s1", tool: "Bell", input: { name: "Ada" } }] } as never]);
      return callCli(["chat", "--db", db], { ...fakeIo(db, { tools: [bell], planner }, () => id), stdin });
    };
    await say("1", "ring her");
    const { stdout } = await say("2", "y");
    expect(stdout).toBe("Needs approval: ring Ada.\nrung: Ada\n");
    expect(rung).toEqual(["Ada"]);
  });

  it("has the tools of a file in place of its own", async () => {
    const file = join(newFolder(), "tools.mjs");
    const zod = JSON.stringify(import.meta.resolve("zod/v4"));
    writeFileSync(
      file,
      `import * as z from ${zod};
      export default [{ name: "Bell", description: "Rings", inputSchema: z.object({ name: z.string() }),
        phrases: ["ring {name}"], execute: ({ name }) => ({ name }) }];`,
    );
    expect((await converse(["ring Ada", "add milk"], "--tools", file)).stdout).toMatch(/^Ada\nThe request cannot/);
    expect(await converse([], "--tools", `${file}x`)).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("planwright chat at a terminal", () => {
  it("shows what was read, and marks what was done, asked and refused", async () => {
    const { bell } = createBell();
    const agent = createAgent({ tools: [bell] });
    const { exitCode, stdout, stderr } = await typeAt(["ring Ada\r", "y\r", "sing\r"], { agent });
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`> ring Ada
  s1 Bell {"name":"Ada"}
? Needs approval: ring Ada.
y/n> y
  s1 Bell {"name":"Ada"}
✔ rung: Ada
> sing
✖ The request cannot be planned: no phrase of any tool fits "sing".
  For example: "ring "name"".
> 
`);
  });

  it("shows what docs/dialogue.md says", async () => {
    const blocks = readFileSync("docs/dialogue.md", "utf8").matchAll(/^```console\n(?:\$ [^\n]*\n)?(.*?)^```$/gms);
    const talk = [...blocks].map(([, text]) => text).join("");
    const said = [...talk.matchAll(/^(?:y\/n)?> (.*)$/gm)].map(([, line]) => `${line}\r`);
    vi.stubEnv("TZ", "UTC");
    vi.setSystemTime("2026-11-26T10:00:00Z");
    // The bookings are those of the day on which the file is loaded.
    vi.resetModules();
    const { default: tools } = await import("../../examples/dialogue/bookings.ts");
    const shown = await typeAt(said, { agent: createAgent({ tools }) });
    vi.useRealTimers();
    vi.unstubAllEnvs();
    expect(said.length).toBeGreaterThan(8);
    expect(shown).toEqual({ exitCode: 0, stderr: "", stdout: `${talk}> \n` });
  });

  it("does not take a y for an approval that was typed before it was asked", async () => {
    const { bell, rung } = createBell();
    const { stdout } = await typeAt(["ring Ada\ry\r", "n\r"], { agent: createAgent({ tools: [bell] }) });
    expect(rung).toEqual([]);
    expect(stdout).toContain("was refused");
  });

  it("cancels a run by Ctrl-C and goes on, clears a line, and leaves after two at an empty prompt", async () => {
    const outcomes = [{ hangs: "until-aborted" }, { returns: "done" }] as const;
    const agent = createFaker(createFakeTool({ name: "Fake", outcomes }));
    const keys = ["one\r", "two\u0003", "three\r", "\u0003", "\u0003", "never\r"];
    const { exitCode, stdout } = await typeAt(keys, { agent, atStart: ["half\u0003"] });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("half\n✖ Cancelled: Ctrl-C was pressed\n> two\n> three\n");
    expect(stdout).toMatch(/✔ done\n> \nPress Ctrl-C again or Ctrl-D to leave\.\n> \n$/);
  });

  it("keeps the last 500 lines beside the file, for its owner alone, until they are forgotten", async () => {
    const db = join(newFolder(), "todo.db");
    const file = `${db}.history`;
    writeFileSync(file, Array.from({ length: 600 }, (_, index) => `line ${index}\n`).join(""), { mode: 0o644 });
    await typeAt(["hello\r"], { db });
    const kept = readFileSync(file, "utf8").trimEnd().split("\n");
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([500, "line 101", "hello"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { stdout } = await typeAt(["\u001b[A\u001b[A\r", "/forget\r"], { db });
    expect(stdout).toContain("> line 599\n");
    expect(readFileSync(file, "utf8")).toBe("");
  });

  it("says once a line if its history cannot be kept", async () => {
    const { exitCode, stdout, stderr } = await typeAt(["fake it\r"], { db: join(newFolder(), "missing", "todo.db") });
    expect([exitCode, stdout.includes("✔ Done so")]).toEqual([0, true]);
    expect(stderr).toMatch(
      /^planwright: The file ".*todo\.db\.history" cannot be written: no such file or folder\.\n$/,
    );
  });

  it("shows neither secrets nor what a terminal would obey", async () => {
    const tool = defineTool({
      name: "Safe",
      description: "Opens a safe",
      inputSchema: z.object({ name: z.string(), pin: sensitive(z.string()) }),
      needsApproval: true,
      execute: () => "open\u001b[2J\u202e",
    });
    const steps = [{ id: "s1", tool: "Safe", input: { name: "big\u009b1A", pin: "1234" } }];
    const agent = createAgent({ tools: [tool], planner: createScriptedPlanner([{ steps } as never]) });
    const { stdout } = await typeAt(["open it\r", "y\r"], { agent });
    expect(stdout).toContain("open\\u001b[2J\\u202e");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are obeyed
    expect(stdout).not.toMatch(/1234|[\u001b\u009b\u202e]/);
  });
});

it.each([
  [["chat", "--thread", ""], "It must be text of 1 to 200 characters."],
  [["chat", "--thread", "x".repeat(201)], "It must be text of 1 to 200 characters."],
  [["add milk", "--thread", "me"], "option '--thread' is for 'chat'"],
  [["chat", "--plan-only"], "option '--plan-only' is for a request"],
])("refuses %j", async (argv, message) => {
  const { exitCode, stdout, stderr } = await callCli(argv);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
});

it("reads a line that only begins with the name of the command as a request", async () => {
  expect((await callCli(["chat", "with", "Ada"])).stdout).toContain('Fake {"text":"chat with Ada"}');
});
