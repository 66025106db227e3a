#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { flush, Printer } from "./printer.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const { stdout, stderr } = process;

// Loaded late: on a Node that is too old it throws, and the message is all that is printed.
Promise.all([import("./run-cli.ts"), import("./cli-io.ts")])
  .then(([{ runCli }, { createCliAgent, createProcessIo }]) =>
    runCli(process.argv.slice(2), { ...createProcessIo(process), version, createAgent: createCliAgent }),
  )
  .catch(({ message }) => {
    new Printer(stderr).print([message]);
    return 1;
  })
  .then(async (exitCode) => {
    // Not process.exit(): output written to a pipe may still be in transit. The code is set if output was lost.
    process.exitCode ||= exitCode;
    // A file of tools may keep a timer or a connection open, which would keep the process alive.
    const hasTools = process.argv.some((argument) => argument.startsWith("--tools"));
    if (hasTools) await Promise.all([flush(stdout), flush(stderr)]).then(() => process.exit());
  });
