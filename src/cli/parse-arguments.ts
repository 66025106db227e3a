import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { defined } from "../core/option-tables.ts";
import { threadOption } from "../core/run-store.ts";
import { isRunStatus, type RunStatus, runStatuses } from "../core/run-summary.ts";
import { isInCalendar } from "../core/step.ts";
import { type CliIo, type CliOptions, exitCodes, type PlannerChoice } from "./cli-io.ts";
import { Printer } from "./printer.ts";

export type CliArguments =
  | { readonly type: "exit"; readonly exitCode: number }
  | ((RequestArguments | NamedCommand) & { readonly options: CliOptions });

export interface RequestArguments {
  readonly type: "request";
  readonly request: string;
  readonly ifRun?: AnyRunCommand;
}

type NamedCommand =
  | { readonly type: "tools" }
  | { readonly type: "chat"; readonly tools?: string; readonly thread?: string }
  | { readonly type: "explain"; readonly request: string; readonly tools?: string; readonly lint?: true }
  | { readonly type: "verify"; readonly file: string; readonly key?: string }
  | { readonly type: "runs"; readonly html?: string; readonly tools?: string }
  | ({ readonly type: "show"; readonly runId: string } & ShowOptions)
  | { readonly type: "watch"; readonly runId: string; readonly tools?: string }
  | { readonly type: "resume" | "delete"; readonly runId: string }
  | ({ readonly type: "prune" } & Pick<ReadOptions, "before" | "keep" | "status">);

type ShowOptions = Pick<ReadOptions, "tools" | "html" | "mermaid" | "events" | "export" | "key">;
export type AnyRunCommand = Extract<NamedCommand, { type: "show" | "watch" | "resume" }>;

interface ReadOptions {
  readonly planOnly?: boolean;
  readonly json?: boolean;
  readonly color: boolean;
  readonly planner?: "rules" | "ollama";
  readonly model?: string;
  readonly host?: string;
  readonly db?: string;
  readonly tools?: string;
  readonly thread?: string;
  readonly lint?: true;
  readonly html?: string;
  readonly mermaid?: true;
  readonly events?: true;
  readonly export?: string;
  readonly key?: string;
  readonly before?: string;
  readonly keep?: number;
  readonly status?: readonly RunStatus[];
}

interface CommandOption {
  readonly flags: string;
  readonly read?: (text: string) => unknown;
  readonly commands: readonly NamedCommand["type"][];
}

// If the file is missing, the next argument may be an option or "--".
const readFileName = readerFor((text) => text !== "" && !text.startsWith("-"), 'a file name without "-" in front');
const isTime = (text: string) => !Number.isNaN(Date.parse(text)) && isInCalendar(text);
const readThread = readerFor((text) => threadOption.isValid(text), threadOption.expected);
const readTime = readerFor(isTime, "a time, such as 2026-01-31");
const readCount = readerFor((text) => /^\d{1,9}$/.test(text), "a whole number, such as 100");
const readStatuses = readerFor(
  (text) => text.split(",").every(isRunStatus),
  `one or more of these, separated by commas: ${runStatuses.join(", ")}`,
);

const commandOptions: readonly (readonly [name: keyof ReadOptions, option: CommandOption])[] = [
  ["tools", { flags: "--tools <file>", read: readFileName, commands: ["explain", "show", "runs", "watch", "chat"] }],
  ["thread", { flags: "--thread <id>", read: readThread, commands: ["chat"] }],
  ["lint", { flags: "--lint", commands: ["explain"] }],
  ["html", { flags: "--html <file>", read: readFileName, commands: ["show", "runs"] }],
  ["mermaid", { flags: "--mermaid", commands: ["show"] }],
  ["events", { flags: "--events", commands: ["show"] }],
  ["export", { flags: "--export <file>", read: readFileName, commands: ["show"] }],
  ["key", { flags: "--key <file>", read: readFileName, commands: ["show", "verify"] }],
  ["before", { flags: "--before <time>", read: readTime, commands: ["prune"] }],
  ["keep", { flags: "--keep <count>", read: (text) => Number(readCount(text)), commands: ["prune"] }],
  ["status", { flags: "--status <names>", read: (text) => readStatuses(text).split(","), commands: ["prune"] }],
];

const moreHelp = `
Commands (words after "--" are always a request); those for runs need --db:
  chat              talk, line by line: --tools <f>, --thread <id>
  tools             list the tools; explain <request> or --lint: how it is read
  runs              list the runs, the newest first; draw them: --html <f>
  show <run id>     show a run: --html <f>, --export <f>, --mermaid, --events
  watch <run id>    follow a run until it ends; resume <run id>, delete <run id>
  prune             delete ended runs: --before <time>, --keep <n>, --status <s>
  verify <file>     check whether an exported run was changed: --key <f>
Example: planwright --db ./todo.db "Add a todo to buy milk, then list my tasks"
Exit codes: 0 done, 1 failed, 2 bad usage or no plan, 130 cancelled, 143 stopped`;

export function parseArguments(argv: readonly string[], { stdout, stderr, env, version }: CliIo): CliArguments {
  const [out, err] = [new Printer(stdout), new Printer(stderr)];
  const writeTo = (printer: Printer) => (text: string) => printer.print(text.replace(/\n$/, "").split("\n"));
  const command = createCommand(version).configureOutput({ writeOut: writeTo(out), writeErr: writeTo(err) });
  const valued = command.options.filter(({ required }) => required).flatMap(({ long }) => long ?? []);
  try {
    command.parse(markRequest(argv, valued), { from: "user" });
    const request = command.args.join(" ").trim();
    if (request === "") command.help({ error: true });
    const read = command.opts<ReadOptions>();
    const { planOnly = false, json = false, color, db } = read;
    const options = { planOnly, json, color, planner: readPlanner(read, env, command), db };
    const stored = argv.includes("--") ? undefined : readCommand(command.args);
    checkOptions(stored, read, command);
    if (stored === undefined) return { type: "request", request, options };
    const own = defined(Object.fromEntries(commandOptions.map(([name]) => [name, read[name]])));
    if (isCommandOfAnyRun(stored) && Object.keys(own).length === 0) {
      return { type: "request", request, options, ...(!planOnly && { ifRun: stored }) };
    }
    if (planOnly) command.error(`error: option '--plan-only' is for a request, not for '${stored.type}'`);
    if (db === undefined && !["chat", "tools", "explain", "verify"].includes(stored.type)) {
      command.error(`error: '${request}' needs the file that contains the runs: planwright ${request} --db ./todo.db`);
    }
    return { ...stored, ...own, options };
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const { exitCode, code } = thrown;
    if (code === "commander.unknownOption") {
      err.print(['Put a request that starts or ends as an option does after "--", or try "planwright --help".']);
    }
    return { type: "exit", exitCode: exitCode === 0 ? exitCodes.completed : exitCodes.usage };
  }
}

function createCommand(version: string): Command {
  const command = new Command("planwright")
    .description("Turns a request into a plan and runs it, to calculate or keep todos or notes.")
    .argument("[request...]")
    .option("--db <file>", "keep todos, notes and runs in this file", readFileName)
    .option("--plan-only", "show the plan, run nothing")
    .option("--json", "print the result, the plan or a list as one JSON document")
    .option("--no-color", "no colours (also: NO_COLOR=1)")
    .addOption(new Option("--planner <name>", "planner to use").choices(["rules", "ollama"]))
    .option("--model <name>", "a model in Ollama (OLLAMA_MODEL); --host <url> (OLLAMA_HOST)")
    .addOption(new Option("--host <url>").hideHelp())
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print this")
    .addHelpText("after", moreHelp)
    .configureHelp({ helpWidth: 100 })
    .exitOverride();
  for (const [, { flags, read }] of commandOptions) {
    const option = new Option(flags).hideHelp();
    command.addOption(read === undefined ? option : option.argParser(read));
  }
  return command;
}

function checkOptions(stored: NamedCommand | undefined, read: ReadOptions, command: Command): void {
  for (const [name, { commands }] of commandOptions) {
    if (read[name] === undefined || commands.some((type) => type === stored?.type)) continue;
    command.error(`error: option '--${name}' is for ${commands.map((type) => `'${type}'`).join(", ")}`);
  }
  const [one, other] = (["html", "mermaid", "events", "export", "json"] as const).filter(
    (name) => read[name] !== undefined,
  );
  if (one !== undefined && other !== undefined) {
    command.error(`error: options '--${one}' and '--${other}' cannot be combined`);
  }
  if (stored?.type === "explain" && (stored.request === "") !== (read.lint === true)) {
    command.error("error: 'explain' takes a request or --lint, for example: planwright explain \"add milk\"");
  }
  if (stored?.type === "show" && read.key !== undefined && read.export === undefined) {
    command.error(
      "error: option '--key' needs --export, for example: planwright show run_1 --export run.json --key key.pem",
    );
  }
  if (stored?.type === "prune" && read.before === undefined && read.keep === undefined) {
    command.error(
      "error: 'prune' needs --before, --keep or both, for example: planwright prune --keep 100 --db ./todo.db",
    );
  }
}

function readerFor(isValid: (text: string) => boolean, expected: string): (text: string) => string {
  return (text) => {
    if (isValid(text)) return text;
    throw new InvalidArgumentError(`It must be ${expected}.`);
  };
}

function readPlanner({ planner, model, host }: ReadOptions, env: CliIo["env"], command: Command): PlannerChoice {
  if (planner === "rules" || (planner === undefined && model === undefined)) {
    if (model === undefined && host === undefined) return { type: "rules" };
    const option = model === undefined ? "--host" : "--model";
    const advice = planner === "rules" ? "leave out --planner rules" : "add a model, such as --model qwen3";
    return command.error(`error: option '${option}' works only with the planner ollama; ${advice}`);
  }
  const name = model ?? env.OLLAMA_MODEL;
  if (!name) return command.error("error: --planner ollama needs the name of a model: --model qwen3");
  return { type: "ollama", model: name, host: host ?? (env.OLLAMA_HOST || undefined) };
}

/** Commands have an exact form. All other words are a request: "show me my tasks", "runs at 7". */
export function readCommand(words: readonly string[]): NamedCommand | undefined {
  const [name, id, ...others] = words[0] === "runs" && words[1] === "delete" ? words.slice(1) : words;
  if (name === "explain") return { type: name, request: words.slice(1).join(" ") };
  if (others.length > 0) return undefined;
  if (id === undefined) {
    const isAlone = name === "chat" || name === "tools" || name === "runs" || name === "prune";
    return isAlone && words.length === 1 ? { type: name } : undefined;
  }
  if (name === "verify") return /\.json$/i.test(id) ? { type: name, file: id } : undefined;
  if (!/^[\w.-]{1,128}$/.test(id)) return undefined;
  // "delete milk" means a todo, even if a run has that id.
  if (name === "delete") return isRunId(id) || words[0] === "runs" ? { type: name, runId: id } : undefined;
  return name === "show" || name === "watch" || name === "resume" ? { type: name, runId: id } : undefined;
}

/** Applications can choose the ids of runs, so "show nightly" may be a request or a command. */
export function isCommandOfAnyRun(command: NamedCommand): command is AnyRunCommand {
  const { type } = command;
  return (type === "show" || type === "watch" || type === "resume") && !isRunId(command.runId);
}

function isRunId(word: string): boolean {
  return word.startsWith("run_");
}

/** Options between the words belong to the request: "use the --json flag", "Calculate -pi + 3". */
export function markRequest(argv: readonly string[], valued: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const before = end === -1 ? argv : argv.slice(0, end);
  const behind = end === -1 ? [] : argv.slice(end + 1);
  let first = 0;
  while (isOption(before[first] ?? "")) first += valued.includes(before[first] ?? "") ? 2 : 1;
  if (first >= before.length) return [...before, "--", ...behind];
  if (before[first] === "explain" && first + 1 < before.length) {
    const marked = markRequest(before.toSpliced(first, 1), valued);
    return marked.toSpliced(marked.indexOf("--") + 1, 0, "explain").concat(behind);
  }
  let last = before.length;
  for (;;) {
    const word = before[last - 1] ?? "";
    if (valued.includes(before[last - 2] ?? "")) last -= 2;
    else if (isOption(word) && (word.startsWith("--") || word === "-h")) last--;
    else break;
  }
  return [...before.slice(0, first), ...before.slice(last), "--", ...before.slice(first, last), ...behind];
}

function isOption(argument: string): boolean {
  return /^--?[a-z][^\s]*$/i.test(argument);
}
