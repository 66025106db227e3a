import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AgentError,
  createFallbackPlanner,
  createLlmPlanner,
  describeTool,
  type JsonObject,
  modelFailure,
} from "planwright";
import { createFakeTool, createManualClock, createScriptedModel, createScriptedPlanner } from "planwright/testing";
import { describe, expect, it } from "vitest";
import { createCliAgent } from "../../src/cli/cli-io.ts";
import { newFolder } from "../new-folder.ts";
import { call } from "./call-with-db.ts";
import { callCli, createFakeAgent, createFakeIo } from "./fake-io.ts";

const refusal = new AgentError("cannot-plan", 'The request cannot be planned: nothing fits "sing\n".', {
  details: { reason: "not-understood", examples: ["add milk", "list\u001b todos"] },
});

const down = modelFailure({ provider: "ollama", modelId: "qwen3" }, "unreachable", { message: "Nobody\nis there." });
const refusing = () => createFakeAgent({ planner: createScriptedPlanner([refusal]) });

describe("a request", () => {
  it("shows the plan, each step as it starts and ends, and the result", async () => {
    expect(await callCli(["add", "milk"])).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `Plan
  s1  Because it was asked
      Fake {"text":"add milk"}

Run
  > s1 Fake
  ✔ s1 Fake: Done so

Result
  Done so
`,
    });
  });

  it("shows what the README says", async () => {
    const readme = readFileSync("README.md", "utf8");
    const [, request = "", printed] = /^\$ npx planwright "(.*)"\n([^`]*)```/m.exec(readme) ?? [];
    const { agent } = await createCliAgent({ planner: { type: "rules" }, db: undefined });
    expect(await callCli([request], createFakeIo({ agent }))).toEqual({ exitCode: 0, stderr: "", stdout: printed });
  });

  it("shows the result of each step, and not what they only read for others", async () => {
    const resultOf = async (steps: readonly object[]) => {
      const outcomes = steps.map((_, index) => ({ returns: { title: `no ${index}` } }));
      const tools = [
        createFakeTool({ name: "Fake", effect: "pure", outcomes }),
        createFakeTool({ name: "Other", outcomes: [{ returns: "other" }] }),
      ];
      const planner = createScriptedPlanner([{ steps: steps as never }]);
      const { stdout } = await callCli(["add milk"], createFakeIo({ agent: createFakeAgent({ tools, planner }) }));
      return stdout.split("Result\n")[1];
    };
    const step = (id: string, more = {}) => ({ id, tool: "Fake", input: {}, dependsOn: [], ...more });
    expect(await resultOf([step("a"), step("b"), step("c")])).toBe("  no 0\n  no 1\n  no 2\n");
    expect(await resultOf([step("a"), step("b", { input: { text: "${a.title}" } })])).toBe("  no 1\n");
    expect(await resultOf([step("a"), step("b", { when: 'a.title == "no 0"' })])).toBe("  no 1\n");
    expect(await resultOf([step("a"), step("b", { when: 'a.title == "x"' })])).toBe("  no 0\n");
    expect(await resultOf([step("o", { tool: "Other" }), step("b")])).toBe("  other\n  no 0\n");
  });

  it("shows each retry with its delay, and how long a step took", async () => {
    const clock = createManualClock();
    const outcomes = [{ throws: new Error("the shop\nis closed") }, { returns: 7, afterMs: 2_000 }];
    const tools = [createFakeTool({ name: "Fake", clock, outcomes })];
    const io = createFakeIo({ agent: createFakeAgent({ tools, clock }) });
    const { exitCode, stdout } = await clock.runUntil(callCli(["add milk"], io));
    expect(exitCode).toBe(0);
    expect(stdout).toContain("  ↻ s1 Fake: attempt 1 failed: the shop\\nis closed; next in 1.0 s\n");
    expect(stdout).toContain("  ✔ s1 Fake: 7 (attempt 2) 3.0 s\n");
    expect(stdout).toMatch(/Result\n {2}7\n$/);
  });

  it("shows the same on a terminal without colours as elsewhere", async () => {
    const { stdout } = await callCli(["add milk"]);
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      expect((await callCli(["add milk"], createFakeIo({ isTTY: true, env }))).stdout).toBe(stdout);
    }
  });

  it("prints one JSON document and nothing else with --json", async () => {
    const { exitCode, stdout, stderr } = await callCli(["--json", "add milk"], createFakeIo({ isTTY: true }));
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "completed",
      output: { title: "Done so" },
      steps: [{ stepId: "s1" }],
    });
  });

  it("exits with 1 when the run fails, and prints the reason on stderr", async () => {
    const tools = [createFakeTool({ name: "Fake", retry: { maxAttempts: 1 }, outcomes: [{ throws: "no\u0007" }] })];
    const agent = createFakeAgent({ tools });
    const { exitCode, stdout, stderr } = await callCli(["add milk"], createFakeIo({ agent }));
    expect(exitCode).toBe(1);
    expect(stdout).toContain("  ✖ s1 Fake: failed\n");
    expect(stdout).not.toContain("Result");
    expect(stderr).toBe('planwright: Step "s1" (Fake) failed: no\\u0007\n');
  });

  it("shows which steps were skipped", async () => {
    const step = (id: string) => ({ id, tool: "Fake", input: {}, dependsOn: id === "s1" ? [] : ["s1"] });
    const tools = [createFakeTool({ name: "Fake", retry: { maxAttempts: 1 }, outcomes: [{ throws: "no" }] })];
    const planner = createScriptedPlanner([{ steps: [step("s1"), step("s2")] }]);
    const { stdout } = await callCli(["add milk"], createFakeIo({ agent: createFakeAgent({ tools, planner }) }));
    expect(stdout).toContain("  s2  Fake {}\n      after s1\n");
    expect(stdout).toContain("  - s2 Fake: skipped (dependency-failed)\n");
  });

  it("exits with 1 when a step is in doubt", async () => {
    const outcomes = [{ hangs: "until-aborted" }] as const;
    const tools = [createFakeTool({ name: "Fake", effect: "once", timeoutMs: 1, outcomes })];
    const { exitCode, stderr } = await callCli(["add milk"], createFakeIo({ agent: createFakeAgent({ tools }) }));
    expect(exitCode).toBe(1);
    expect(stderr).toBe("planwright: the run is suspended: it is not known whether s1 took effect\n");
  });

  it("prints warnings on stderr", async () => {
    const io = createFakeIo();
    const { createAgent } = io;
    io.createAgent = async (choice, warnings) => {
      const made = await createAgent(choice);
      made.agent.on("step-start", () => warnings?.onWarning({ message: "watch\nout" } as never));
      return made;
    };
    expect((await callCli(["add milk"], io)).stderr).toBe("planwright: watch\\nout\n");
  });
});

describe("a planner with a model", () => {
  const plan = '{"steps":[{"do":"Fake"}]}';
  const withModel = (answers: Parameters<typeof createScriptedModel>[0]) => {
    const llm = createLlmPlanner({ model: createScriptedModel(answers, { provider: "ollama", modelId: "qwen3" }) });
    const rules = createScriptedPlanner([
      { steps: [{ id: "s1", tool: "Fake", input: { text: "milk" }, dependsOn: [] }] },
    ]);
    return createFakeIo({ agent: createFakeAgent({ planner: createFallbackPlanner([llm, rules]) }) });
  };
  const notice = "planwright: Nobody\\nis there. (Planning with scripted instead.)\n";

  it("is named with the plan, and its usage with the result", async () => {
    const usage = { inputTokens: 100, outputTokens: 7 };
    const { stdout, exitCode } = await callCli(["fake it"], withModel([{ text: plan, usage }]));
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Plan by ollama/qwen3\n  s1  Fake {}\n");
    expect(stdout).toMatch(/Done so\n {2}\(1 model call: 100 tokens read, 7 written\)\n$/);
  });

  it("shows how often the model was asked", async () => {
    const { stdout } = await callCli(["fake it"], withModel(["no idea", plan]));
    expect(stdout).toContain("Plan by ollama/qwen3, in 2 tries\n");
    expect(stdout).toContain("(2 model calls: ");
  });

  it("explains in one line why it returned no plan, and names the next planner", async () => {
    const { stdout, stderr, exitCode } = await callCli(["add milk"], withModel([down]));
    expect([exitCode, stderr]).toEqual([0, notice]);
    expect(stdout).toMatch(/^Plan\n/);
  });

  it("refuses a wrong option, and exits with 2", async () => {
    const createAgent = () =>
      createCliAgent({ planner: { type: "ollama", model: "m", host: "ftp://x" }, db: undefined });
    const { exitCode, stderr } = await callCli(["add milk"], { ...createFakeIo(), createAgent });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Option "host"');
  });

  it("explains on stderr with --plan-only, and not at all with --json", async () => {
    const shown = await callCli(["--plan-only", "add milk"], withModel([down]));
    expect(shown).toMatchObject({ exitCode: 0, stderr: notice, stdout: 's1  Fake {"text":"milk"}\n' });
    const json = await callCli(["--plan-only", "--json", "add milk"], withModel([down]));
    expect(json.stderr).toBe("");
    expect(JSON.parse(json.stdout)).toMatchObject({ source: { planner: "scripted", failures: [{ planner: "llm" }] } });
  });
});

describe("a request that cannot be planned", () => {
  it("exits with 2, and prints the reason and example requests", async () => {
    const { exitCode, stdout, stderr } = await callCli(["sing"], createFakeIo({ agent: refusing() }));
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      'planwright: The request cannot be planned: nothing fits "sing\\n".\nRequests that can be planned, for example:\n  add milk\n  list\\u001b todos\n',
    );
  });

  it.each([
    [2, "has answered that nothing fits", ['{"steps":[{"do":"unclear"}]}']],
    [2, "has answered with no plan, twice", ["no idea", "none"]],
    [1, "is down", [down]],
  ])("exits with %i if rules refuse it and a model %s", async (expected, _, answers) => {
    const model = createScriptedModel(answers, { provider: "ollama", modelId: "qwen3" });
    const rules = { ...createScriptedPlanner([refusal]), usesModel: false };
    const planner = createFallbackPlanner([rules, createLlmPlanner({ model })]);
    const { exitCode } = await callCli(["sing"], createFakeIo({ agent: createFakeAgent({ planner }) }));
    expect(exitCode).toBe(expected);
  });

  it("prints what it may mean", async () => {
    const steps = [{ id: "s1", tool: "Fake", input: { text: "milk\u001b" }, dependsOn: [] }];
    const proposal = { steps, text: "fake milk\u001b", certainty: 0.4, unused: [] };
    const details = { reason: "unsure", examples: [], proposals: [proposal] } as const;
    const unsure = new AgentError("cannot-plan", "Not sure.", { details });
    const agent = createFakeAgent({ planner: createScriptedPlanner([unsure]) });
    const { exitCode, stderr } = await callCli(["milk it"], createFakeIo({ agent }));
    expect([exitCode, stderr]).toEqual([2, "planwright: Not sure.\nThe request may mean:\n  1  fake milk\\u001b\n"]);
  });

  describe("in a terminal", () => {
    const stepsOf = (input: JsonObject) => [{ id: "s1", tool: "Fake", input, dependsOn: [] }];
    const known = { steps: stepsOf({ text: "milk" }), text: "fake milk", certainty: 0.6, unused: ["quickly"] };
    const asks = { stepId: "s1", field: "text", type: "text", text: "Which text?" } as const;
    const open = { steps: stepsOf({}), text: "fake …", certainty: 0.3, unused: [], asks };
    const details = { reason: "unsure", examples: [], proposals: [known, open] } as const;
    const asking = (...answers: readonly string[]) => {
      const unsure = new AgentError("cannot-plan", "Not sure.", { details });
      const tool = createFakeTool({ name: "Fake", outcomes: [{ returns: "Done so" }] });
      return createFakeIo({
        agent: createFakeAgent({ tools: [tool], planner: createScriptedPlanner([unsure]) }),
        answers,
      });
    };

    it("asks which proposal is meant, and runs it", async () => {
      const { exitCode, stdout, stderr } = await callCli(["milk it quickly"], asking("1"));
      expect(stderr).toBe(
        'planwright: Not sure.\nThe request may mean:\n  1  fake milk, without "quickly"\n  2  fake …\nWhich one? (1, 2, or Enter for none) \n',
      );
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Fake {"text":"milk"}')]);
    });

    it("asks for the value that it lacks", async () => {
      const { exitCode, stdout, stderr } = await callCli(["milk it"], asking("2", "oats ${s1}"));
      expect(stderr).toContain("Which text? \n");
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Fake {"text":"oats ${$}{s1}"}')]);
    });

    it.each([[""], ["3"], ["no"], ["2", ""]])("runs nothing after %j", async (...answers) => {
      expect(await callCli(["milk it"], asking(...answers))).toMatchObject({ exitCode: 2, stdout: "" });
    });

    it("asks nothing with --json", async () => {
      const { exitCode, stderr } = await callCli(["--json", "milk it"], asking("1"));
      expect(exitCode).toBe(2);
      expect(stderr).not.toContain("Which one?");
    });
  });

  it("prints a failed result with --json", async () => {
    const { exitCode, stdout } = await callCli(["--json", "sing"], createFakeIo({ agent: refusing() }));
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ status: "failed", error: { code: "cannot-plan" } });
  });

  it("prints an error with --json and --plan-only", async () => {
    const { exitCode, stdout, stderr } = await callCli(
      ["--json", "--plan-only", "sing"],
      createFakeIo({ agent: refusing() }),
    );
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "cannot-plan" } });
    expect(stderr).toContain("nothing fits");
  });

  it("prints no examples if there are none", async () => {
    const bare = new AgentError("cannot-plan", "No tools.", { details: { reason: "not-understood", examples: [] } });
    const agent = createFakeAgent({ planner: createScriptedPlanner([bare]) });
    const { stderr } = await callCli(["--plan-only", "sing"], createFakeIo({ agent }));
    expect(stderr).toBe("planwright: No tools.\n");
  });

  it("can also be a request that is too long", async () => {
    const { exitCode, stderr } = await callCli(["x".repeat(1_000_000)]);
    expect(exitCode).toBe(2);
    expect(stderr.length).toBeLessThan(500);
  });
});

describe("--plan-only", () => {
  it("shows the plan and runs nothing", async () => {
    const tool = createFakeTool({ name: "Fake" });
    const { exitCode, stdout } = await callCli(
      ["--plan-only", "add milk"],
      createFakeIo({ agent: createFakeAgent({ tools: [tool] }) }),
    );
    expect(exitCode).toBe(0);
    expect(stdout).toBe('s1  Because it was asked\n    Fake {"text":"add milk"}\n');
    expect(tool.calls).toEqual([]);
  });

  it("prints the plan as JSON with --json", async () => {
    const { stdout } = await callCli(["--plan-only", "--json", "add milk"]);
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, request: "add milk", steps: [{ id: "s1" }] });
  });

  it("exits with 1 when the planner fails", async () => {
    const agent = createFakeAgent({ planner: createScriptedPlanner([new Error("out of order")]) });
    const { exitCode, stderr } = await callCli(["--plan-only", "add milk"], createFakeIo({ agent }));
    expect(exitCode).toBe(1);
    expect(stderr).toContain("out of order");
  });
});

describe("Ctrl-C", () => {
  it("cancels the run, and exits with 130", async () => {
    const tools = [createFakeTool({ name: "Fake", outcomes: [{ hangs: "until-aborted" }] })];
    const agent = createFakeAgent({ tools });
    const io = createFakeIo({ agent });
    agent.on("step-start", () => queueMicrotask(() => io.controller.abort("Ctrl-C was pressed")));
    const { exitCode, stdout, stderr } = await callCli(["add milk"], io);
    expect(exitCode).toBe(130);
    expect(stdout).toContain("✖ s1 Fake: cancelled");
    expect(stderr).toBe("planwright: Cancelled: Ctrl-C was pressed\n");
  });

  it("cancels before anything has started", async () => {
    for (const option of ["--json", "--plan-only"]) {
      const io = createFakeIo();
      io.controller.abort("Ctrl-C was pressed");
      expect(await callCli([option, "add milk"], io)).toMatchObject({ exitCode: 130 });
    }
  });
});

describe("colours", () => {
  const isColored = async (argv: readonly string[], isTTY: boolean, env: Record<string, string> = {}) => {
    const { stdout } = await callCli([...argv, "add milk"], createFakeIo({ isTTY, env }));
    return stdout.includes("\u001b[1m");
  };

  it("are for terminals only, unless an option or the environment says otherwise", async () => {
    expect(await isColored([], true)).toBe(true);
    expect(await isColored([], false)).toBe(false);
    expect(await isColored([], false, { FORCE_COLOR: "1" })).toBe(true);
    expect(await isColored(["--no-color"], true)).toBe(false);
    expect(await isColored([], true, { NO_COLOR: "1" })).toBe(false);
    expect(await isColored([], true, { NO_COLOR: "" })).toBe(true);
    expect(await isColored([], true, { TERM: "dumb" })).toBe(false);
  });
});

describe("an unexpected error", () => {
  it("is printed, and exits with 1", async () => {
    const io = {
      ...createFakeIo(),
      createAgent: () => {
        throw new Error("no agent\u001b");
      },
    };
    expect(await callCli(["add milk"], io)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "planwright: no agent\\u001b\n",
    });
    const throwing = {
      ...createFakeIo(),
      createAgent: () => {
        throw "text";
      },
    };
    expect(await callCli(["--plan-only", "add milk"], throwing)).toMatchObject({
      exitCode: 1,
      stderr: "planwright: text\n",
    });
  });
});

describe("planwright tools", () => {
  it("lists the name, the effect and the description of each tool", async () => {
    const tools = [
      createFakeTool({ name: "Fake", effect: "once" }),
      { ...createFakeTool({ name: "Other", effect: "pure" }), description: "clears\u001b[2J\nthe screen" },
    ];
    const { stdout, stderr, exitCode } = await callCli(["tools"], createFakeIo({ agent: createFakeAgent({ tools }) }));
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`Fake (once)\n  ${tools[0]?.description}\nOther (pure)\n  clears\\u001b[2J\\nthe screen\n`);
  });

  it("prints the full descriptions with --json, and creates no file", async () => {
    const folder = newFolder();
    const { stdout, exitCode } = await call(join(folder, "todo.db"), "--json", "tools");
    expect(exitCode).toBe(0);
    const { agent, close } = await createCliAgent({ planner: { type: "rules" }, db: undefined });
    expect(JSON.parse(stdout)).toEqual({ tools: await Promise.all(agent.tools.map((tool) => describeTool(tool))) });
    close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
