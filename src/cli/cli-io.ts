import { createInterface } from "node:readline/promises";
import { createOllamaModel } from "../adapters/ollama/ollama-model.ts";
import { driverPlaces } from "../adapters/sqlite/sql-database.ts";
import { type AgentErrorData, isAgentError } from "../core/errors.ts";
import type { Planner } from "../core/planner.ts";
import type { RunStore } from "../core/run-store.ts";
import type { RunStatus } from "../core/run-summary.ts";
import type { Tool } from "../core/tool.ts";
import { type AgentOptions, createAgent } from "../create-agent.ts";
import { createFallbackPlanner } from "../planners/fallback-planner.ts";
import { createLlmPlanner } from "../planners/llm/llm-planner.ts";
import { createRulePlanner } from "../planners/rules/rule-planner.ts";
import type { Agent } from "../runs/agent-interface.ts";
import { createCalculator } from "../tools/calculator/calculator.ts";
import { createNotes } from "../tools/notes/notes.ts";
import { createTodoStore } from "../tools/todo-store/todo-store.ts";
import { type CliOutput, Printer } from "./printer.ts";

export interface CliIo {
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly version: string;
  ask?(question: string): Promise<string>;
  onTerminate(listener: () => void): () => void;
  createAgent(choice: AgentChoice, warnings?: AgentWarnings): Promise<CliAgent>;
}

export type AgentWarnings = Required<Pick<AgentOptions, "onWarning" | "onListenerError">>;

export interface AgentChoice {
  readonly planner: PlannerChoice;
  readonly db: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
}

export interface CliAgent {
  readonly agent: Agent;
  readonly store?: Pick<RunStore, "read">;
  close(): void;
}

export type PlannerChoice =
  | { readonly type: "rules" }
  | { readonly type: "ollama"; readonly model: string; readonly host: string | undefined };

export interface CliOptions extends AgentChoice {
  readonly planOnly: boolean;
  readonly json: boolean;
  readonly color: boolean;
}

export interface CliCall {
  readonly agent: Agent;
  readonly tools: readonly Tool[];
  readonly store: CliAgent["store"];
  readonly options: CliOptions;
  readonly io: CliIo;
  readonly out: Printer;
  readonly err: Printer;
}

export const exitCodes = { completed: 0, failed: 1, usage: 2, cancelled: 130, terminated: 143 } as const;

export function getExitCode(status: RunStatus, error?: AgentErrorData): number {
  if (status === "completed") return exitCodes.completed;
  if (status === "cancelled") return exitCodes.cancelled;
  if (status === "interrupted") return exitCodes.terminated;
  return isUsageError(error) ? exitCodes.usage : exitCodes.failed;
}

const usageErrors = ["cannot-plan", "invalid-request", "invalid-options"];
const unanswered = ["model-failed", "planning-failed", "timeout", "limit-exceeded"];

function isUsageError(error: AgentErrorData | undefined): boolean {
  if (!isAgentError(error, "planning-failed")) return usageErrors.includes(error?.code ?? "");
  const { failures = [] } = error.details;
  return failures.length > 0 && !failures.some(({ code }) => unanswered.includes(code));
}

interface CliProcess {
  readonly stdin?: NodeJS.ReadStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  exitCode?: number | string | null | undefined;
  once(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(event: "SIGTERM", listener: () => void): unknown;
}

interface CliStream extends CliOutput {
  on(event: "error", listener: (error: { code?: string; message?: string }) => void): unknown;
}

/** Listens once, so that a second Ctrl-C or `SIGTERM` ends the process as usual. */
export function createProcessIo(host: CliProcess): Omit<CliIo, "version" | "createAgent"> {
  const controller = new AbortController();
  host.once("SIGINT", () => controller.abort("Ctrl-C was pressed"));
  reportLostOutput(host);
  const onTerminate = (listener: () => void) => {
    host.once("SIGTERM", listener);
    return () => void host.off("SIGTERM", listener);
  };
  const { stdin, stdout, stderr, env } = host;
  const isTerminal = [stdin, stdout, stderr].every((stream) => stream?.isTTY === true);
  const ask = async (question: string) => {
    const lines = createInterface({ input: stdin as NodeJS.ReadStream, output: stderr as never });
    try {
      return await lines.question(question, { signal: controller.signal });
    } catch {
      // Ctrl-C cancelled the question.
      return "";
    } finally {
      lines.close();
    }
  };
  const streams = { stdout, stderr, ...(stdin && { stdin }) };
  return { ...streams, env, signal: controller.signal, onTerminate, ...(isTerminal && { ask }) };
}

/** A run continues if its output is lost. A full disk is reported, but not a closed pipe (`| head`). */
function reportLostOutput(host: CliProcess): void {
  let isTold = false;
  for (const stream of [host.stdout, host.stderr]) {
    stream.on("error", ({ code, message }) => {
      if (code === "EPIPE") return;
      host.exitCode = exitCodes.failed;
      if (isTold) return;
      isTold = true;
      new Printer(host.stderr).print([`planwright: the output cannot be written: ${message ?? String(code)}`]);
    });
  }
}

export async function createCliAgent(choice: AgentChoice, warnings?: AgentWarnings): Promise<CliAgent> {
  const planner = createPlanner(choice.planner);
  const { todos, notes, store } = choice.db === undefined ? {} : await openDatabase(choice.db);
  const close = () => {
    for (const each of [todos, notes, store]) each?.close();
  };
  try {
    const own = [createCalculator(), createTodoStore({ storage: todos }), createNotes({ storage: notes })];
    const tools: readonly Tool[] = choice.tools ?? own;
    return { agent: createAgent({ tools, planner, store, evidence: store !== undefined, ...warnings }), store, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function openDatabase(path: string) {
  const sqlite = await import("../adapters/sqlite/index.ts");
  // "npm install" puts a driver here, even if the command was installed elsewhere by npx or "npm install -g".
  driverPlaces[0] = `${process.cwd()}/planwright`;
  const todos = withoutWarnings(() => sqlite.createSqliteTodos({ path }));
  try {
    return { todos, notes: sqlite.createSqliteNotes({ path }), store: sqlite.createSqliteRunStore({ path }) };
  } catch (error) {
    todos.close();
    throw error;
  }
}

/** Hides the warning of Node 22 that its driver is experimental, because users of the command cannot act on it. */
function withoutWarnings<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

export function createPlanner(choice: PlannerChoice): Planner {
  const rules = createRulePlanner();
  if (choice.type === "rules") return rules;
  const { model, host } = choice;
  // `OLLAMA_HOST` may be 0.0.0.0, on which a server can listen, but to which not every system can connect.
  const llm = createLlmPlanner({ model: createOllamaModel({ model, host: host?.replace("0.0.0.0", "127.0.0.1") }) });
  return createFallbackPlanner([rules, llm]);
}
