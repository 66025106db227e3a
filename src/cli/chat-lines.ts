import { chmodSync, closeSync, openSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { printable } from "../core/text.ts";
import type { CliCall } from "./cli-io.ts";
import { renderError } from "./render-run.ts";
import { saveFile } from "./run-commands.ts";

const maxHistory = 500;

export function openLines({ io, options, out, err }: CliCall) {
  const { stdin, stdout, signal } = io;
  const isTerminal = !options.json && stdin?.isTTY === true && stdout.isTTY === true;
  const file = isTerminal && options.db !== undefined ? `${options.db}.history` : undefined;
  const lines = createInterface({
    input: stdin as NodeJS.ReadableStream,
    ...(isTerminal && { output: stdout as NodeJS.WritableStream }),
    terminal: isTerminal,
    history: file === undefined ? [] : readHistory(file),
    historySize: maxHistory,
    signal,
  });
  const given = lines[Symbol.asyncIterator]();
  let arrived = 0;
  let running: AbortController | undefined;
  let [isLeaving, isClosed, isOver] = [false, false, false];
  let saving = Promise.resolve();
  const save = (history: readonly string[]) => {
    if (file === undefined) return;
    const text = history.toReversed().map((line) => `${line}\n`);
    const saved = saving.then(() => saveFile({ options }, file, text.join("")));
    saving = saved.catch((thrown) => err.print(renderError(thrown)));
  };

  lines.on("line", () => arrived++);
  lines.on("history", save);
  lines.on("close", () => {
    isClosed = true;
  });
  lines.on("SIGINT", () => {
    const isEmpty = lines.line === "";
    if (isLeaving && isEmpty) return lines.close();
    Object.assign(lines, { line: "", cursor: 0 });
    if (running === undefined || !isEmpty) out.print([""]);
    if (running !== undefined) return running.abort("Ctrl-C was pressed");
    isLeaving = isEmpty;
    if (isLeaving) out.print(["Press Ctrl-C again or Ctrl-D to leave."]);
    lines.prompt();
  });

  return {
    isTerminal,
    /** A line is early if it was typed before its prompt was shown. */
    async *read(promptOf: () => string) {
      for (let taken = 0; ; taken++) {
        running = undefined;
        isLeaving = false;
        const isEarly = isTerminal && arrived > taken;
        if (isTerminal && !isEarly && !isClosed) {
          lines.setPrompt(promptOf());
          lines.prompt(true);
        }
        const { value, done } = await given.next();
        if (done === true || isOver || signal.aborted) return;
        const text = value.trim();
        if (text !== "") yield { text, isEarly };
      }
    },
    startWork(): AbortSignal {
      running = new AbortController();
      return AbortSignal.any([signal, running.signal]);
    },
    forget() {
      Object.assign(lines, { history: [] });
      save([]);
    },
    close(): Promise<void> {
      isOver = true;
      lines.close();
      return saving;
    },
  };
}

/** Creates the file before anything is saved in it, so that only its owner can read it. */
function readHistory(file: string): string[] {
  try {
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    return lines.slice(-maxHistory).reverse().map(printable);
  } catch {
    // The reason is reported when the first line is saved.
    return [];
  }
}
