import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { isRunStatus, type RunStatus, runStatuses } from "../core/run-summary.ts";
import { type CliIo, exitCodes, type PlannerChoice } from "./cli-io.ts";
import { markRequest } from "./mark-request.ts";
import { Printer } from "./printer.ts";
import {
  type AnyRunCommand,
  isCommandOfAnyRun,
  type NamedCommand,
  readCommand,
  type ShownAs,
  type StoredRunCommand,
  type UnstoredCommand,
} from "./read-command.ts";

/** What the command has to do; `exit` if that is already done, or the arguments are invalid. */
export type CliArguments =
  | { readonly type: "exit"; readonly exitCode: number }
  | RequestArguments
  | ({ readonly options: CliOptions } & UnstoredCommand)
  | ({ readonly options: CliOptions & { readonly db: string } } & StoredRunCommand);

/** A request. */
export interface RequestArguments {
  readonly type: "request";
  readonly request: string;
  readonly options: CliOptions;
  /** What to do instead if a run has this id: "show tasks" is a request, but "show nightly" may mean a run. */
  readonly ifRun?: AnyRunCommand;
}

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
  readonly planner?: "rules" | "ollama";
  readonly model?: string;
  readonly host?: string;
  readonly db?: string;
  readonly html?: string;
  readonly mermaid?: true;
  readonly events?: true;
  readonly export?: string;
  readonly key?: string;
  readonly before?: string;
  readonly keep?: number;
  readonly status?: readonly RunStatus[];
}

const moreHelp = `
Instead of a request (words after "--" are always one); the runs need --db:
  tools             list what it can do
  runs              list the runs, the newest first; draw them: --html <f>
  show <run id>     show a run: --html <f>, --export <f>, --mermaid, --events
  watch <run id>    follow a run of another process until it ends
  resume <run id>   resume a run that has stopped; delete <run id>: delete it
  prune             delete ended runs: --before <time>, --keep <n>, --status <s>
  verify <file>     say whether an exported run was changed: --key <f>
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
    .addOption(new Option("--planner <name>", "who plans").choices(["rules", "ollama"]))
    .option("--model <name>", "a model in Ollama (OLLAMA_MODEL); --host <url> (OLLAMA_HOST)")
    .addOption(new Option("--host <url>").hideHelp())
    .addOption(new Option("--html <file>").argParser(readFileName).hideHelp())
    .addOption(new Option("--mermaid").hideHelp())
    .addOption(new Option("--events").hideHelp())
    .addOption(new Option("--export <file>").argParser(readFileName).hideHelp())
    .addOption(new Option("--key <file>").argParser(readFileName).hideHelp())
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
    checkOptions(stored, read, command);
    if (stored === undefined) return { type: "request", request, options };
    const as = readShownAs(read);
    if (as === undefined && isCommandOfAnyRun(stored)) {
      return { type: "request", request, options, ...(!planOnly && { ifRun: stored }) };
    }
    if (planOnly) command.error(`error: option '--plan-only' is for a request, not for '${stored.type}'`);
    if (stored.type === "tools") return { type: "tools", options };
    if (stored.type === "verify") return { ...stored, ...(read.key !== undefined && { key: read.key }), options };
    if (db !== undefined) return { ...withOptions(stored, read), options: { ...options, db } };
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

/** A command with the options that belong to it alone. */
function withOptions(stored: StoredRunCommand, read: ReadOptions): StoredRunCommand {
  const { before, keep, status, html } = read;
  if (stored.type === "prune") return { type: "prune", selection: { before, keep, status } };
  if (stored.type === "runs") return { type: "runs", ...(html !== undefined && { html }) };
  const as = readShownAs(read);
  return stored.type === "show" && as !== undefined ? { ...stored, as } : stored;
}

function readShownAs({ html, mermaid, events, export: file, key }: ReadOptions): ShownAs | undefined {
  if (file !== undefined) return { type: "export", file, key };
  if (html !== undefined) return { type: "html", file: html };
  if (mermaid) return { type: "mermaid" };
  return events ? { type: "events" } : undefined;
}

const pruneOnly = ["prune"] as const;

/** The options that belong to some commands alone. */
const owners = {
  html: ["show", "runs"],
  mermaid: ["show"],
  events: ["show"],
  export: ["show"],
  key: ["show", "verify"],
  before: pruneOnly,
  keep: pruneOnly,
  status: pruneOnly,
} as const satisfies Partial<Record<keyof ReadOptions, readonly NamedCommand["type"][]>>;

/** Throws, as commander does, for options of another command, or that cannot be combined, or are missing. */
function checkOptions(stored: NamedCommand | undefined, read: ReadOptions, command: Command): void {
  for (const [name, types] of Object.entries(owners)) {
    if (read[name as keyof typeof owners] === undefined) continue;
    if (types.some((type) => type === stored?.type)) continue;
    command.error(`error: option '--${name}' is for ${types.map((type) => `'${type}'`).join(" and ")}`);
  }
  const [one, other] = (["html", "mermaid", "events", "export", "json"] as const).filter(
    (name) => read[name] !== undefined,
  );
  if (one !== undefined && other !== undefined) {
    command.error(`error: options '--${one}' and '--${other}' cannot be combined`);
  }
  if (stored?.type === "show" && read.key !== undefined && read.export === undefined) {
    command.error(
      "error: option '--key' needs --export, such as: planwright show run_1 --export run.json --key key.pem",
    );
  }
  if (stored?.type === "prune" && read.before === undefined && read.keep === undefined) {
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
  // A model is asked for what the rules refuse.
  if (planner === "rules" || (planner === undefined && model === undefined)) {
    if (model === undefined && host === undefined) return { type: "rules" };
    const option = model === undefined ? "--host" : "--model";
    return command.error(`error: option '${option}' is for a model: --model qwen3, without --planner rules`);
  }
  const name = model ?? env.OLLAMA_MODEL;
  if (!name) return command.error("error: --planner ollama needs the name of a model: --model qwen3");
  return { type: "ollama", model: name, host: host ?? (env.OLLAMA_HOST || undefined) };
}
