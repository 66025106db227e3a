import { describeTool } from "../core/tool-schemas.ts";
import type { CliCall } from "./cli-call.ts";
import { exitCodes } from "./exit-codes.ts";
import { jsonLines, printable } from "./printable.ts";

/** Lists what the command can do: its tools, with their schemas if the output is JSON. */
export async function listTools({ agent, options, out }: CliCall): Promise<number> {
  const tools = await Promise.all(agent.tools.map((tool) => describeTool(tool)));
  const { bold, dim } = out.colors;
  const lines = tools.flatMap(({ name, effect, description }) => [
    `${bold(printable(name))} ${dim(`(${effect})`)}`,
    `  ${printable(description)}`,
  ]);
  out.print(options.json ? jsonLines({ tools }) : lines);
  return exitCodes.completed;
}
