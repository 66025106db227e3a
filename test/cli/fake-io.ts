import { type Agent, type AgentOptions, createAgent } from "planwright";
import { createFakeTool, createScriptedPlanner } from "planwright/testing";
import type { AgentChoice, CliIo } from "../../src/cli/cli-io.ts";
import { runCli } from "../../src/cli/run-cli.ts";

/** What a call of the command is given, and what it wrote. */
export interface FakeIo extends CliIo {
  readonly controller: AbortController;
  readonly written: { stdout: string; stderr: string };
  /** What listens to the process being told to end. */
  readonly terminators: Set<() => void>;
  /** What was chosen of each agent that was made. */
  readonly choices: AgentChoice[];
  /** How many of them were closed. */
  closed: number;
}

/** Streams that remember, and an agent that is made of what a test gives. */
export function createFakeIo({
  agent = createFakeAgent(),
  isTTY = false,
  env = {},
  answers,
  stdin,
}: {
  agent?: Agent;
  /** What a person answers, in this order. */
  answers?: readonly string[];
  isTTY?: boolean;
  stdin?: CliIo["stdin"];
  env?: CliIo["env"];
} = {}): FakeIo {
  const controller = new AbortController();
  const written = { stdout: "", stderr: "" };
  const terminators = new Set<() => void>();
  const choices: AgentChoice[] = [];
  const stream = (name: "stdout" | "stderr") => ({
    isTTY,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const left = [...(answers ?? [])];
  const ask = async (question: string) => {
    written.stderr += `${question}\n`;
    return left.shift() ?? "";
  };
  const io: FakeIo = {
    ...(answers && { ask }),
    ...(stdin && { stdin }),
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    env,
    signal: controller.signal,
    version: "1.2.3",
    onTerminate: (listener) => {
      terminators.add(listener);
      return () => void terminators.delete(listener);
    },
    createAgent: async (choice) => {
      choices.push(choice);
      return { agent, close: () => void io.closed++ };
    },
    controller,
    written,
    terminators,
    choices,
    closed: 0,
  };
  return io;
}

/** An agent with a tool "Fake" that answers with a title, and a planner that plans one step of it. */
export function createFakeAgent(options: Partial<AgentOptions> = {}): Agent {
  const planner = createScriptedPlanner([
    ({ request }) => ({
      steps: [{ id: "s1", tool: "Fake", input: { text: request }, dependsOn: [], reasoning: "Because it was asked" }],
    }),
  ]);
  const tools = [createFakeTool({ name: "Fake", outcomes: [{ returns: { title: "Done so" } }] })];
  return createAgent({ tools, planner, random: () => 1, ...options });
}

/** Runs the command and gives its exit code and what it wrote. */
export async function callCli(argv: readonly string[], io: FakeIo = createFakeIo()) {
  const exitCode = await runCli(argv, io);
  return { exitCode, ...io.written };
}
