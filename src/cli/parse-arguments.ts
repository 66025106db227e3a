import { Command, CommanderError } from "commander";
import type { CliIo } from "./cli-io.ts";
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
}

const examples = `
Examples:
  planwright "Add a todo to buy milk, then show me all my tasks"
  planwright --plan-only "Calculate 100 / 4 and add the result as a todo"

Exit codes: 0 done, 1 the run failed, 2 bad usage or no plan, 130 cancelled.`;

/** Reads the arguments that follow the command's name. Help and version go to stdout, complaints to stderr. */
export function parseArguments(argv: readonly string[], { stdout, stderr, version }: CliIo): CliArguments {
  const command = new Command("planwright")
    .description("Turns a request into a plan and carries it out, offline.\nIt can calculate and keep todos.")
    .argument("[request...]", "what to do, in plain words")
    .option("--plan-only", "show the plan, run nothing")
    .option("--json", "print one JSON document: the result, or the plan")
    .option("--no-color", "no colours (also: NO_COLOR=1)")
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
    const { planOnly = false, json = false, color } = command.opts<Partial<CliOptions> & { color: boolean }>();
    return { type: "request", request, options: { planOnly, json, color } };
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const { exitCode, code } = thrown;
    if (code === "commander.unknownOption") {
      stderr.write('Put a request that begins or ends like an option behind "--", or try "planwright --help".\n');
    }
    return { type: "exit", exitCode: exitCode === 0 ? exitCodes.completed : exitCodes.usage };
  }
}

const knownOptions = ["--plan-only", "--json", "--no-color", "--version", "--help", "-h"];

/**
 * Puts `--` between options and request. Options stand before its first word or behind its last, so that all in between is
 * the request's: "use the --json flag", "Calculate -pi + 3". Behind it, an unknown `-x` is a word, too, and `--x` a mistake.
 */
function markRequest(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const before = end === -1 ? argv : argv.slice(0, end);
  const behind = end === -1 ? [] : argv.slice(end + 1);
  const isOption = (argument: string) => /^--?[a-z][^\s]*$/i.test(argument);
  const isLateOption = (argument: string) => isOption(argument) && (argument.startsWith("--") || isKnown(argument));
  const isKnown = (argument: string) => knownOptions.includes(argument);
  const first = before.findIndex((argument) => !isOption(argument));
  if (first === -1) return [...before, "--", ...behind];
  const last = before.findLastIndex((argument) => !isLateOption(argument));
  const options = [...before.slice(0, first), ...before.slice(last + 1)];
  return [...options, "--", ...before.slice(first, last + 1), ...behind];
}
