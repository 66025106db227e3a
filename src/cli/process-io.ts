import type { CliIo, CliOutput } from "./cli-io.ts";

/** What {@link createProcessIo} needs of a process. */
export interface CliProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  once(event: "SIGINT", listener: () => void): unknown;
}

interface CliStream extends CliOutput {
  on(event: "error", listener: (error: { code?: string }) => void): unknown;
}

/**
 * The outside world of a process: its streams, its environment, and a signal that aborts on the first Ctrl-C. The second
 * one ends the process, as it would without us.
 */
export function createProcessIo(host: CliProcess): Pick<CliIo, "stdout" | "stderr" | "env" | "signal"> {
  const controller = new AbortController();
  host.once("SIGINT", () => controller.abort("Ctrl-C was pressed"));
  for (const stream of [host.stdout, host.stderr]) stream.on("error", throwUnlessClosed);
  return { stdout: host.stdout, stderr: host.stderr, env: host.env, signal: controller.signal };
}

/** Whoever reads from us may stop (`| head`): the run goes on to its end, and nobody is told of it. */
function throwUnlessClosed(error: { code?: string }): void {
  if (error.code !== "EPIPE") throw error;
}
