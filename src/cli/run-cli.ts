import { existsSync } from "node:fs";
import { describeTool } from "../core/define-tool.ts";
import { AgentError, isAgentError } from "../core/errors.ts";
import { jsonLines, printable } from "../core/text.ts";
import { describePlan } from "../describe-plan.ts";
import { loadPhrases } from "../planners/rules/say.ts";
import { chooseProposal } from "./choose-proposal.ts";
import { type AgentWarnings, type CliCall, type CliIo, exitCodes, getExitCode } from "./cli-io.ts";
import { followRun, reportFallbacks } from "./follow-run.ts";
import { parseArguments, type RequestArguments } from "./parse-arguments.ts";
import { Printer } from "./printer.ts";
import { renderError } from "./render-run.ts";
import { describeNoCommand, type Performers, runCommands, verifyFile, type Work } from "./run-commands.ts";

export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  try {
    const parsed = parseArguments(argv, io);
    return parsed.type === "exit" ? parsed.exitCode : await workWithAgent(parsed, io);
  } catch (thrown) {
    new Printer(io.stderr).print(renderError(thrown));
    return exitCodes.failed;
  }
}

async function workWithAgent(work: Work, io: CliIo): Promise<number> {
  const { options } = work;
  const { stdout, env } = io;
  const isWanted = options.color && !env.NO_COLOR && env.TERM !== "dumb";
  const out = new Printer(stdout, isWanted && (stdout.isTTY === true || Boolean(env.FORCE_COLOR)));
  const err = new Printer(io.stderr);
  const warnings: AgentWarnings = {
    onWarning: ({ message }) => err.print([`planwright: ${message}`]),
    onListenerError: (error) => err.print(renderError(error)),
  };
  try {
    if (work.type === "verify") return await verifyFile({ options, out }, work);
    const db = fileOf(work);
    const toolFile = "tools" in work ? work.tools : undefined;
    const given = toolFile === undefined ? undefined : await (await import("./load-tools.ts")).loadTools(toolFile);
    const ofAgent = work.type === "chat" ? { tools: given } : undefined;
    const { agent, store, close } = await io.createAgent({ planner: options.planner, db, ...ofAgent }, warnings);
    try {
      const tools = given ?? agent.tools;
      if (!["tools", "delete", "prune"].includes(work.type)) await loadPhrases(tools);
      return await perform(work, { agent, tools, store, options, io, out, err });
    } finally {
      await agent.close({ timeoutMs: 0 });
      close();
    }
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    if (options.json) out.print(jsonLines({ error: thrown }));
    err.print(renderError(thrown));
    const { code } = thrown;
    return getExitCode(code === "cancelled" || code === "interrupted" ? code : "failed", thrown.toJSON());
  }
}

type WorkWithAgent = Exclude<Work, { type: "verify" }>;

function perform(work: WorkWithAgent, call: CliCall): Promise<number> {
  return (performers[work.type] as (work: Work, call: CliCall) => Promise<number>)(work, call);
}

const performers: Performers<WorkWithAgent["type"]> = {
  request: performRequest,
  tools: (_, call) => listTools(call),
  chat: async ({ thread }, call) => (await import("./chat.ts")).chat(call, thread),
  explain: async (work, call) => (await import("./explain-request.ts")).explainRequest(call, work),
  ...runCommands,
};

async function performRequest({ request, ifRun }: RequestArguments, call: CliCall): Promise<number> {
  const { agent, io, err, options } = call;
  const { db } = options;
  if (options.planOnly) return showPlan(call, request);
  if (ifRun !== undefined && db !== undefined && (await agent.getRun(ifRun.runId)) !== undefined) {
    return perform({ ...ifRun, options }, call);
  }
  const { signal } = io;
  const { exitCode, run } = await followRun(call, { go: () => agent.run(request, { signal }) });
  const chosen = options.json || run.error === undefined ? undefined : await chooseProposal(run.error, io);
  if (chosen !== undefined) return (await followRun(call, { go: () => agent.execute(chosen, { signal }) })).exitCode;
  if (ifRun !== undefined && exitCode === exitCodes.usage) err.print([describeNoCommand(ifRun, db)]);
  return exitCode;
}

async function showPlan(call: CliCall, request: string): Promise<number> {
  const { agent, tools, options, io, out } = call;
  reportFallbacks(call);
  const plan = await agent.plan(request, { signal: io.signal });
  out.print(options.json ? jsonLines(plan) : describePlan(plan, { tools }).split("\n"));
  return exitCodes.completed;
}

function fileOf({ type, options }: WorkWithAgent): string | undefined {
  const { db, planOnly } = options;
  if (type === "tools" || type === "explain" || planOnly) return undefined;
  if (type === "request" || type === "chat" || db === undefined || existsSync(db)) return db;
  const details = { runId: "", operation: "open", reason: "there is no file" } as const;
  throw new AgentError("store-failed", `There is no file "${db}", so there are no stored runs.`, { details });
}

async function listTools({ agent, options, out }: CliCall): Promise<number> {
  const tools = await Promise.all(agent.tools.map((tool) => describeTool(tool)));
  const { bold, dim } = out.colors;
  const lines = tools.flatMap(({ name, effect, description }) => [
    `${bold(printable(name))} ${dim(`(${effect})`)}`,
    `  ${printable(description)}`,
  ]);
  out.print(options.json ? jsonLines({ tools }) : lines);
  return exitCodes.completed;
}
