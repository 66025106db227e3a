import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A server that runs. */
export interface Engine {
  /** Such as `http://127.0.0.1:40123`. */
  readonly host: string;
  /** The name of its only model. */
  readonly model: string;
  /** Stops the server, and resolves once its process has ended. */
  close(): Promise<void>;
}

/** Options of {@link startEngine}. */
export interface StartEngineOptions {
  /** A model as GGUF. @default micro-planner.gguf of this folder */
  readonly modelPath?: string | undefined;
  /** How long to wait for the server to listen. @default 20_000 */
  readonly timeoutMs?: number;
  /** How long the server may take to stop before it is killed. @default 3_000 */
  readonly closeTimeoutMs?: number;
}

const folder = dirname(fileURLToPath(import.meta.url));
const manifest = join(folder, "package.json");

/** The packages of the engine that are not installed, or in another version. */
export function missingEnginePackages(): readonly string[] {
  const wanted: { dependencies: Record<string, string> } = JSON.parse(readFileSync(manifest, "utf8"));
  return Object.entries(wanted.dependencies)
    .filter(([name, version]) => installedVersion(name) !== version)
    .map(([name, version]) => `${name}@${version}`);
}

function installedVersion(name: string): string | undefined {
  const path = join(folder, "node_modules", name, "package.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : undefined;
}

/**
 * Starts llama.cpp with the tiny model behind an Ollama-compatible server on a free port, and waits until it listens.
 * Undefined if its packages are not installed: `node test/real-models/install.mjs` does that. Throws if the server does not start.
 */
export async function startEngine(options: StartEngineOptions = {}): Promise<Engine | undefined> {
  if (missingEnginePackages().length > 0) return undefined;
  const { modelPath = join(folder, "micro-planner.gguf"), timeoutMs = 20_000, closeTimeoutMs = 3_000 } = options;
  const args = [join(folder, "ollama-server.mjs"), modelPath, "--port", "0", "--stop-with-stdin"];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
  const close = () => stop(child, closeTimeoutMs);
  try {
    const { port, model } = await firstLine(child, timeoutMs);
    return { host: `http://127.0.0.1:${port}`, model, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function firstLine(child: ChildProcess, timeoutMs: number): Promise<{ port: number; model: string }> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the server has no output");
  let complaints = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-4_000);
  });
  const lines = createInterface({ input: stdout });
  const found = new Promise<{ port: number; model: string }>((resolve) => {
    // Read to the end, so that the server never waits for a reader; llama.cpp may print lines of its own.
    lines.on("line", (line) => {
      if (line.startsWith("{")) resolve(JSON.parse(line));
    });
  });
  const signal = AbortSignal.timeout(timeoutMs);
  const ended = once(child, "exit", { signal }).then(
    ([code]) => Promise.reject(new Error(`the engine ended with code ${code} before it listened:\n${complaints}`)),
    () => Promise.reject(new Error(`the engine did not listen within ${timeoutMs} ms:\n${complaints}`)),
  );
  return Promise.race([found, ended]);
}

async function stop(child: ChildProcess, closeTimeoutMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), closeTimeoutMs);
  await ended;
  clearTimeout(timer);
}
