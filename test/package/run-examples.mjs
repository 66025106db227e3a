// Runs every file of examples/ and compares what it prints with the file of the same name that ends in .out.
// `--write` writes those files.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

const shouldWrite = process.argv.includes("--write");
const maxLines = 40;
const timeoutMs = 60_000;
const examples = readdirSync("examples").filter((name) => name.endsWith(".ts"));
let failures = 0;

for (const name of examples) {
  const problem = check(`examples/${name}`);
  if (problem !== undefined) failures++;
  console.log(problem === undefined ? `ok    ${name}` : `FAIL  ${name}: ${problem}`);
}
console.log(`${examples.length - failures} examples passed, ${failures} failed`);
process.exitCode = failures > 0 || examples.length === 0 ? 1 : 0;

function check(file) {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").length;
  if (lines > maxLines) return `it has ${lines} lines; at most ${maxLines} are allowed`;
  const env = { ...process.env, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", file], {
    encoding: "utf8",
    env,
    timeout: timeoutMs,
  });
  if (status !== 0) return `it ended with ${status}\n${stderr}`;
  const expected = file.replace(/\.ts$/, ".out");
  if (shouldWrite) writeFileSync(expected, stdout);
  if (!existsSync(expected)) return `there is no ${expected}`;
  const wanted = readFileSync(expected, "utf8");
  return stdout === wanted ? undefined : `it printed\n${stdout}\ninstead of\n${wanted}`;
}
