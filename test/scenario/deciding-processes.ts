import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { buildChild } from "../adapters/sqlite/processes/start-child.ts";
import type { Decide, Told } from "./deciders.ts";

/** Returns a function that starts a process which decides in the store of an address, and ends with the test. */
export function useDecidingProcesses(): (address: object) => Decide {
  let built: ReturnType<typeof buildChild>;
  beforeAll(() => {
    built = buildChild("test/scenario/decide-child.ts");
  });
  afterAll(() => built.remove());
  return (address) => {
    const child = spawn(process.execPath, [built.script, JSON.stringify(address)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    onTestFinished(() => {
      child.stdin.end();
      return ended;
    });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return async (asked) => {
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      const { value } = await answers.next();
      if (value === undefined) throw new Error("The process has ended.");
      return JSON.parse(value) as Told;
    };
  };
}
