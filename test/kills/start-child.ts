import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";
import type { ChildWork, Disturbance } from "./child-work.ts";

/** Bundles the code of the processes once, as each would need a second to compile it. `remove` deletes the bundle. */
export function buildChild(
  entry = "test/kills/child.ts",
  external: string[] = [],
): { readonly script: string; remove(): void } {
  // Where it finds the drivers, and no build of the package deletes it.
  mkdirSync(resolve("node_modules/.cache"), { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/kills-"));
  buildSync({
    entryPoints: [entry],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    external,
  });
  return {
    script: join(folder, `${basename(entry, ".ts")}.mjs`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** How a process ends: killed, by its own handler after a request to end, or because nothing is left to do. */
export type ChildEnd = "killed" | "closed" | "done";

/** A process that has been started. */
export interface Child {
  /** Resolves when it starts, or has ended before that. */
  readonly ready: Promise<void>;
  /** Resolves when it first pauses before a retry, or has ended without one. */
  readonly retrying: Promise<void>;
  /** Resolves when it has ended; throws unless it was disturbed or has done all its work. */
  readonly ended: Promise<ChildEnd>;
  /** Kills it, or asks it to end. */
  disturb(signal: Disturbance): void;
  /** Stops it where it is, as a machine that falls asleep does. */
  pause(): void;
  /** Lets it continue, without knowing that time has passed. */
  unpause(): void;
}

/** Starts a process. */
export function startChild(script: string, work: ChildWork): Child {
  const child = spawn(process.execPath, [script, JSON.stringify(work)], { stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => said.push(line));
  const printed: string[] = [];
  const lines = createInterface({ input: child.stdout }).on("line", (line) => printed.push(line));
  const ended = new Promise<ChildEnd>((settle, reject) => {
    child.once("close", (code, signal) => {
      if (signal === "SIGKILL") settle("killed");
      else if (code === 0) settle(printed.includes("closing") ? "closed" : "done");
      // Asked to end while it was ending: Node no longer listens.
      else if (signal === "SIGTERM" && printed.includes("done")) settle("done");
      else
        reject(
          new Error(
            `A process has failed (${signal ?? code}) at ${JSON.stringify(work)}:\n${[...printed, ...said].join("\n")}`,
          ),
        );
    });
  });
  const ready = new Promise<void>((settle) => {
    lines.once("line", () => settle());
    child.once("close", () => settle());
  });
  const retrying = new Promise<void>((settle) => {
    lines.on("line", (line) => line === "retrying" && settle());
    child.once("close", () => settle());
  });
  return {
    ready,
    retrying,
    ended,
    disturb: (signal) => void child.kill(signal),
    pause: () => void child.kill("SIGSTOP"),
    unpause: () => void child.kill("SIGCONT"),
  };
}
