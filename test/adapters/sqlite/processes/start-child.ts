import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";
import type { ChildWork } from "./child-work.ts";

/** A process that uses a store. */
export interface Child {
  /** All the lines it has told but `ready`, `opening` and `done`. */
  readonly lines: readonly string[];
  /** Resolves when it stands ready to begin. */
  readonly ready: Promise<void>;
  go(): void;
  /** Kills it as soon as it has told that many lines: of 0, as soon as it opens the store. */
  killAfter(lines: number): void;
  /** Resolves when it has ended and all it told has been read: with its exit code, or with null if it was killed. */
  readonly ended: Promise<number | null>;
}

/** Makes a script of what children do: once, as each would take a second to translate it. `remove` deletes it. */
export function buildChild(entry = "test/adapters/sqlite/processes/child.ts"): { script: string; remove(): void } {
  // Inside of the repository, so that it finds the drivers.
  const cache = resolve("node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "planwright-child-"));
  const script = join(folder, "child.mjs");
  buildSync({
    entryPoints: [entry],
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  return { script, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a process that waits until it is told to go. */
export function startChild(script: string, work: ChildWork): Child {
  const child = spawn(process.execPath, [script, JSON.stringify(work)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines: string[] = [];
  let killAt = Number.POSITIVE_INFINITY;
  const reader = createInterface({ input: child.stdout });
  const read = new Promise((settle) => reader.once("close", settle));
  const ready = new Promise<void>((settle) => {
    reader.on("line", (line) => {
      if (line === "ready") return settle();
      if (line !== "opening" && line !== "done") lines.push(line);
      if (lines.length >= killAt) child.kill("SIGKILL");
    });
  });
  const ended = new Promise<number | null>((settle) => {
    child.once("close", (code) => void read.then(() => settle(code)));
  });
  return {
    lines,
    ready,
    ended,
    go: () => void child.stdin.end("g"),
    killAfter: (count) => {
      killAt = count;
    },
  };
}
