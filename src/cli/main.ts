#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { createCliAgent } from "./create-cli-agent.ts";
import { createProcessIo } from "./process-io.ts";
import { runCli } from "./run-cli.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

runCli(process.argv.slice(2), {
  ...createProcessIo(process),
  version,
  createAgent: createCliAgent,
}).then((exitCode) => {
  // Not process.exit(): output written to a pipe may still be in transit.
  // The code may already be set, because output was lost.
  process.exitCode ||= exitCode;
});
