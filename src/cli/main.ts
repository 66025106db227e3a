#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { flush, Printer } from "./printer.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const { stdout, stderr } = process;

// Imported here, because these modules throw if Node is too old. Then only the message is printed.
Promise.all([import("./run-cli.ts"), import("./cli-io.ts")])
  .then(([{ runCli }, { createCliAgent, createProcessIo }]) =>
    runCli(process.argv.slice(2), { ...createProcessIo(process), version, createAgent: createCliAgent }),
  )
  .catch(({ message }) => {
    new Printer(stderr).print([message]);
    return 1;
  })
  .then(async (exitCode) => {
    // Not process.exit(), as output written to a pipe may still be in transit. The exit code is already set if output
    // was lost.
    process.exitCode ||= exitCode;
    // A timer or connection that the tools opened would keep the process alive.
    const hasTools = process.argv.some((argument) => argument.startsWith("--tools"));
    if (hasTools) await Promise.all([flush(stdout), flush(stderr)]).then(() => process.exit());
  });
