import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";

/** A process of an application in examples/, which is killed at the end of the test. */
export interface ExampleProcess {
  /** All that it has printed. */
  said(): string;
  /** Resolves to its exit code once it has ended; null if it was killed. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<number | null>;
}

/** Starts a file of examples/; resolves once it says that it is ready, or where it listens. */
export async function startExample(path: string, environment: Record<string, string>): Promise<ExampleProcess> {
  const child = spawn(process.execPath, ["--import", "tsx", `examples/${path}`], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const stop: ExampleProcess["stop"] = (signal = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(() => void stop("SIGKILL"));
  let said = "";
  await new Promise<void>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr])
      output.on("data", (data) => {
        said += data;
        if (/^(?:ready|listens|http:)/m.test(said)) resolve();
      });
    void ended.then((code) => reject(new Error(`${path} ended with ${code}: ${said}`)));
  });
  return { said: () => said, stop };
}
