// Runs every file of examples/ and compares what it prints with the file of the same name that ends in .out.
// `--write` writes those files.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const shouldWrite = process.argv.includes("--write");
const maxLines = 40;
const timeoutMs = 60_000;
const examples = readdirSync("examples").filter((name) => name.endsWith(".ts"));
let failures = 0;

const waiting = [...examples];
// Most of their time is that of a process that starts, so one for each processor.
const work = async () => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const problem = await check(`examples/${name}`);
    if (problem !== undefined) failures++;
    console.log(problem === undefined ? `ok    ${name}` : `FAIL  ${name}: ${problem}`);
  }
};
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(`${examples.length - failures} examples passed, ${failures} failed`);
process.exitCode = failures > 0 || examples.length === 0 ? 1 : 0;

async function check(file) {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").length;
  if (lines > maxLines) return `it has ${lines} lines; at most ${maxLines} are allowed`;
  const env = { ...process.env, NO_COLOR: "1" };
  const { error, stdout, stderr } = await new Promise((resolve) => {
    const options = { encoding: "utf8", env, timeout: timeoutMs };
    const answer = (error, stdout, stderr) => resolve({ error, stdout, stderr });
    execFile(process.execPath, ["--import", "tsx", file], options, answer);
  });
  if (error !== null) return `it ended with ${error.code ?? error.signal}\n${stderr}`;
  const expected = file.replace(/\.ts$/, ".out");
  if (shouldWrite) writeFileSync(expected, stdout);
  if (!existsSync(expected)) return `there is no ${expected}`;
  const wanted = readFileSync(expected, "utf8");
  return stdout === wanted ? undefined : `it printed\n${stdout}\ninstead of\n${wanted}`;
}
