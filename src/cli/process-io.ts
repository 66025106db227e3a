import { type CliIo, type CliOutput, exitCodes } from "./cli-io.ts";
import { Printer } from "./printer.ts";

/** The part of a process that {@link createProcessIo} needs. */
export interface CliProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  /** Set to 1 when output is lost. */
  exitCode?: CliExitCode;
  once(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(event: "SIGTERM", listener: () => void): unknown;
}

interface CliStream extends CliOutput {
  on(event: "error", listener: (error: { code?: string; message?: string }) => void): unknown;
}

/** As Node declares it. */
type CliExitCode = number | string | null | undefined;

/**
 * The outside world of a process: its streams, its environment, and a signal that aborts on the first Ctrl-C. The
 * process ends as usual on the second Ctrl-C, on a `SIGTERM` without a listener, and on the second `SIGTERM`.
 */
export function createProcessIo(host: CliProcess): Omit<CliIo, "version" | "createAgent"> {
  const controller = new AbortController();
  host.once("SIGINT", () => controller.abort("Ctrl-C was pressed"));
  reportLostOutput(host);
  const onTerminate = (listener: () => void) => {
    host.once("SIGTERM", listener);
    return () => void host.off("SIGTERM", listener);
  };
  const { stdout, stderr, env } = host;
  return { stdout, stderr, env, signal: controller.signal, now: () => Date.now(), onTerminate };
}

/**
 * A run continues to its end when it cannot be shown. A reader that stops (`| head`) is not reported; any other failure
 * (a full disk) results in one line, and exit code 1.
 */
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
