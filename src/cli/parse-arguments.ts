import { Command, CommanderError, Option } from "commander";
import type { CliIo, PlannerChoice } from "./cli-io.ts";
import { exitCodes } from "./exit-codes.ts";

/** What the command was asked to do; `exit` if that is done already, or was not understood. */
export type CliArguments =
  | { readonly type: "exit"; readonly exitCode: number }
  | { readonly type: "request"; readonly request: string; readonly options: CliOptions };

/** The options of the command. */
export interface CliOptions {
  readonly planOnly: boolean;
  readonly json: boolean;
  /** False for `--no-color`. */
  readonly color: boolean;
  readonly planner: PlannerChoice;
}

/** What commander reads; a planner is named, and has options of its own. */
interface ReadOptions {
  readonly planOnly?: boolean;
  readonly json?: boolean;
  readonly color: boolean;
  readonly planner: "rules" | "ollama";
  readonly model?: string;
  readonly host?: string;
}

const examples = `
Examples:
  planwright "Add a todo to buy milk, then show me all my tasks"
  planwright --plan-only "Calculate 100 / 4 and add the result as a todo"
  planwright --planner ollama --model qwen3 "Add milk to my list"

Exit codes: 0 done, 1 the run failed, 2 bad usage or no plan, 130 cancelled.`;

/** Reads the arguments that follow the command's name. Help and version go to stdout, complaints to stderr. */
export function parseArguments(argv: readonly string[], { stdout, stderr, env, version }: CliIo): CliArguments {
  const command = new Command("planwright")
    .description("Turns a request into a plan and carries it out.\nIt can calculate and keep todos.")
    .argument("[request...]", "what to do, in plain words")
    .option("--plan-only", "show the plan, run nothing")
    .option("--json", "print one JSON document: the result, or the plan")
    .option("--no-color", "no colours (also: NO_COLOR=1)")
    .addOption(new Option("--planner <name>", "who plans").choices(["rules", "ollama"]).default("rules"))
    .option("--model <name>", "the model, with --planner ollama (or OLLAMA_MODEL)")
    .option("--host <url>", "where Ollama runs (or OLLAMA_HOST)")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print this")
    .addHelpText("after", examples)
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .configureHelp({ helpWidth: 100 })
    .exitOverride();
  try {
    command.parse(markRequest(argv), { from: "user" });
    const request = command.args.join(" ").trim();
    if (request === "") command.help({ error: true });
    const read = command.opts<ReadOptions>();
    const { planOnly = false, json = false, color } = read;
    return { type: "request", request, options: { planOnly, json, color, planner: readPlanner(read, env, command) } };
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const { exitCode, code } = thrown;
    if (code === "commander.unknownOption") {
      stderr.write('Put a request that begins or ends like an option behind "--", or try "planwright --help".\n');
    }
    return { type: "exit", exitCode: exitCode === 0 ? exitCodes.completed : exitCodes.usage };
  }
}

/** Throws, as commander does, for options that do not go together. */
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
/** Options that take the argument behind them. */
const valuedOptions = ["--planner", "--model", "--host"];

/**
 * Puts `--` between options and request. Options stand before its first word or behind its last, so that all in between is
 * the request's: "use the --json flag", "Calculate -pi + 3". Behind it, an unknown `-x` is a word, too, and `--x` a mistake.
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

/** Where the first word of the request is. */
function skipOptions(argv: readonly string[]): number {
  let index = 0;
  while (isOption(argv[index] ?? "")) index += valuedOptions.includes(argv[index] ?? "") ? 2 : 1;
  return index;
}

/** Behind which argument the request ends. */
function skipLateOptions(argv: readonly string[]): number {
  let end = argv.length;
  for (;;) {
    const last = argv[end - 1] ?? "";
    if (valuedOptions.includes(argv[end - 2] ?? "")) end -= 2;
    else if (isOption(last) && (last.startsWith("--") || knownOptions.includes(last))) end--;
    else return end;
  }
}
