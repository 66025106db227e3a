import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { isRunStatus, type RunStatus, runStatuses } from "../core/run-summary.ts";
import type { PruneOptions } from "../runs/retention.ts";
import { type CliIo, exitCodes, type PlannerChoice } from "./cli-io.ts";
import { Printer } from "./printer.ts";

/** What the command has to do; `exit` if that is already done, or the arguments are invalid. */
export type CliArguments =
  | { readonly type: "exit"; readonly exitCode: number }
  | RequestArguments
  | { readonly type: "tools"; readonly options: CliOptions }
  | ({ readonly options: CliOptions & { readonly db: string } } & StoredRunCommand);

/** A request. */
export interface RequestArguments {
  readonly type: "request";
  readonly request: string;
  readonly options: CliOptions;
  /** The run to show, if one has this id: "show tasks" is a request, but "show nightly" may mean a run. */
  readonly shownRunId?: string;
}

/** What to do with the runs of a database. */
export type StoredRunCommand =
  | { readonly type: "runs" }
  | { readonly type: "show" | "resume" | "delete"; readonly runId: string }
  | { readonly type: "prune"; readonly selection: PruneOptions };

/** The options of the command. */
export interface CliOptions {
  readonly planOnly: boolean;
  readonly json: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
  readonly planner: PlannerChoice;
  /** The file that keeps todos and runs. */
  readonly db: string | undefined;
}

/** The options as commander reads them: a planner has a name, and options of its own. */
interface ReadOptions {
  readonly planOnly?: boolean;
  readonly json?: boolean;
  readonly color: boolean;
  readonly planner: "rules" | "ollama";
  readonly model?: string;
  readonly host?: string;
  readonly db?: string;
  readonly before?: string;
  readonly keep?: number;
  readonly status?: readonly RunStatus[];
}

const moreHelp = `
Instead of a request (words after "--" are always one); the runs need --db:
  tools             list what it can do
  runs              list the runs, the newest first
  show <run id>     show the state of a run (any other word is a request)
  resume <run id>   resume a run that has stopped
  delete <run id>   delete a run
  prune             delete ended runs: --before <time>, --keep <n>, --status <s>
Example: planwright --db ./todo.db "Add a todo to buy milk, then list my tasks"
Exit codes: 0 done, 1 failed, 2 bad usage or no plan, 130 cancelled, 143 stopped`;

/** Reads the arguments that follow the command's name. Help and version go to stdout, complaints to stderr. */
export function parseArguments(argv: readonly string[], { stdout, stderr, env, version }: CliIo): CliArguments {
  const [out, err] = [new Printer(stdout), new Printer(stderr)];
  const command = new Command("planwright")
    .description("Turns a request into a plan and carries it out. It can calculate and keep todos.")
    .argument("[request...]")
    .option("--db <file>", "keep todos and runs in this file", readFileName)
    .option("--plan-only", "show the plan, run nothing")
    .option("--json", "print one JSON document: the result, the plan, a list")
    .option("--no-color", "no colours (also: NO_COLOR=1)")
    .addOption(new Option("--planner <name>", "who plans").choices(["rules", "ollama"]).default("rules"))
    .option("--model <name>", "the model, with --planner ollama (or OLLAMA_MODEL)")
    .option("--host <url>", "where Ollama runs (or OLLAMA_HOST)")
    .addOption(new Option("--before <time>").argParser(readTime).hideHelp())
    .addOption(new Option("--keep <count>").argParser(readCount).hideHelp())
    .addOption(new Option("--status <names>").argParser(readStatuses).hideHelp())
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print this")
    .addHelpText("after", moreHelp)
    .configureOutput({ writeOut: (text) => out.print(linesOf(text)), writeErr: (text) => err.print(linesOf(text)) })
    .configureHelp({ helpWidth: 100 })
    .exitOverride();
  try {
    command.parse(markRequest(argv), { from: "user" });
    const request = command.args.join(" ").trim();
    if (request === "") command.help({ error: true });
    const read = command.opts<ReadOptions>();
    const { planOnly = false, json = false, color, db } = read;
    const options = { planOnly, json, color, planner: readPlanner(read, env, command), db };
    const stored = argv.includes("--") ? undefined : readCommand(command.args);
    checkPrune(stored, read, command);
    if (stored === undefined) return { type: "request", request, options };
    if (stored.type === "show" && !stored.runId.startsWith("run_")) {
      return { type: "request", request, options, ...(!planOnly && { shownRunId: stored.runId }) };
    }
    if (planOnly) command.error(`error: option '--plan-only' is for a request, not for '${stored.type}'`);
    if (stored.type === "tools") return { type: "tools", options };
    if (db !== undefined) return { ...withSelection(stored, read), options: { ...options, db } };
    return command.error(
      `error: '${request}' needs the file that keeps the runs: planwright ${request} --db ./todo.db`,
    );
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const { exitCode, code } = thrown;
    if (code === "commander.unknownOption") {
      err.print(['Put a request that starts or ends like an option after "--", or try "planwright --help".']);
    }
    return { type: "exit", exitCode: exitCode === 0 ? exitCodes.completed : exitCodes.usage };
  }
}

/** Commander ends each text with a line break. */
function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/, "").split("\n");
}

/** A command that is given instead of a request. */
type NamedCommand = StoredRunCommand | { readonly type: "tools" };

/**
 * `tools`, `runs` or `prune` alone, or `show`, `resume`, … followed only by a possible run id. Anything else is a
 * request: "show me my tasks".
 */
function readCommand(words: readonly string[]): NamedCommand | undefined {
  const [name, runId, ...others] = words[0] === "runs" && words[1] === "delete" ? words.slice(1) : words;
  if ((name === "runs" || name === "tools") && runId === undefined) return { type: name };
  if (name === "prune" && runId === undefined) return { type: name, selection: {} };
  if (runId === undefined || !/^[\w.-]{1,128}$/.test(runId) || others.length > 0) return undefined;
  // "delete milk" is about a todo.
  if (name === "delete") return runId.startsWith("run_") || words[0] === "runs" ? { type: name, runId } : undefined;
  return name === "show" || name === "resume" ? { type: name, runId } : undefined;
}

function withSelection(stored: StoredRunCommand, { before, keep, status }: ReadOptions): StoredRunCommand {
  return stored.type === "prune" ? { type: "prune", selection: { before, keep, status } } : stored;
}

/** Throws, as commander does, for options of `prune` without `prune`, and for `prune` without its options. */
function checkPrune(stored: NamedCommand | undefined, read: ReadOptions, command: Command): void {
  const given = (["before", "keep", "status"] as const).filter((name) => read[name] !== undefined);
  if (stored?.type !== "prune") {
    if (given.length > 0) command.error(`error: option '--${given[0]}' is for 'prune'`);
  } else if (read.before === undefined && read.keep === undefined) {
    command.error("error: 'prune' needs --before, --keep or both, such as: planwright prune --keep 100 --db ./todo.db");
  }
}

function readTime(text: string): string {
  if (Number.isNaN(Date.parse(text))) throw new InvalidArgumentError("It must be a time, such as 2026-01-31.");
  return text;
}

function readCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number, such as 100.");
  return Number(text);
}

function readStatuses(text: string): readonly RunStatus[] {
  const names = text.split(",");
  if (!names.every(isRunStatus)) throw new InvalidArgumentError(`It must be one or more of ${runStatuses.join(", ")}.`);
  return names;
}

/** If the file of `--db` is missing, the next argument is an option or "--". */
function readFileName(text: string): string {
  if (text === "" || text.startsWith("-")) throw new InvalidArgumentError("It must be a file, such as ./todo.db.");
  return text;
}

/** Throws, as commander does, for options that cannot be combined. */
function readPlanner({ planner, model, host }: ReadOptions, env: CliIo["env"], command: Command): PlannerChoice {
  if (planner === "rules") {
    if (model === undefined && host === undefined) return { type: "rules" };
    return command.error(`error: option '${model === undefined ? "--host" : "--model"}' is for --planner ollama`);
  }
  const name = model ?? env.OLLAMA_MODEL;
  if (!name) return command.error("error: --planner ollama needs the name of a model: --model qwen3");
  return { type: "ollama", model: name, host: host ?? (env.OLLAMA_HOST || undefined) };
}

const knownOptions = ["--plan-only", "--json", "--no-color", "--version", "--help", "-h"];
/** Options that take the next argument as their value. */
const valuedOptions = ["--planner", "--model", "--host", "--db", "--before", "--keep", "--status"];

/**
 * Puts `--` between options and request. Options come before its first word or after its last, so everything in between
 * belongs to the request: "use the --json flag", "Calculate -pi + 3". After it, an unknown `-x` is also a word, but an
 * unknown `--x` is an error.
 */
function markRequest(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const before = end === -1 ? argv : argv.slice(0, end);
  const behind = end === -1 ? [] : argv.slice(end + 1);
  const first = skipOptions(before);
  if (first >= before.length) return [...before, "--", ...behind];
  const last = skipLateOptions(before);
  const options = [...before.slice(0, first), ...before.slice(last)];
  return [...options, "--", ...before.slice(first, last), ...behind];
}

const isOption = (argument: string) => /^--?[a-z][^\s]*$/i.test(argument);

/** The index of the first word of the request. */
function skipOptions(argv: readonly string[]): number {
  let index = 0;
  while (isOption(argv[index] ?? "")) index += valuedOptions.includes(argv[index] ?? "") ? 2 : 1;
  return index;
}

/** The index after the last word of the request. */
function skipLateOptions(argv: readonly string[]): number {
  let end = argv.length;
  for (;;) {
    const last = argv[end - 1] ?? "";
    if (valuedOptions.includes(argv[end - 2] ?? "")) end -= 2;
    else if (isOption(last) && (last.startsWith("--") || knownOptions.includes(last))) end--;
    else return end;
  }
}
