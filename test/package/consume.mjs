// Packs the package, installs it into empty folders beside each version of zod it allows, and uses it there: by import and
// by require and from the command line on each version of Node, and from TypeScript, also older and as it once resolved imports;
// beside each version of the AI SDK whose models it takes; and as somebody does who has typed `npm init -y`, with the examples
// and a strict linter. On a Node that is too old it says so. The last that it prints is a table of what was run where.
import { execFile } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const zodVersions = ["3.25.28", "3.25.76", "4.0.0", "latest"];
const nodeVersions = ["20.19.0", "20", "22", "24", "26"];
const tooOld = "18";
const olderCompilers = ["5.4", "5.5", "5.6"];
// Of the AI SDK, with the versions of those providers' packages that go with it and differ from one another.
const aiVersions = [
  { ai: 5, usual: 2, xai: 2, later: 1, openrouter: 1 },
  { ai: 6, usual: 3, xai: 3, later: 2, openrouter: 2 },
  { ai: 7, usual: 4, xai: 5, later: 3, openrouter: 3 },
];
/** The packages that examples use beside ours. */
const usedByExamples = [
  ...["zod", "arktype@2", "pino", "@opentelemetry/api@1", "@opentelemetry/sdk-trace-base@2"],
  ...["@opentelemetry/sdk-metrics@2", "@opentelemetry/exporter-prometheus"],
];
const command = "node_modules/planwright/dist/cli/main.js";
const source = resolve("test/package/consumer");
const compiler = resolve("node_modules/typescript/bin/tsc");
const examples = resolve("examples");
const typeScriptLoader = pathToFileURL(resolve("node_modules/tsx/dist/loader.mjs")).href;
/** By version of Node, the versions of zod beside which import, require and the command work. */
const worked = new Map();
const folder = mkdtempSync(join(tmpdir(), "planwright-consumer-"));

try {
  const tarball = await pack();
  const [old, ...nodes] = await Promise.all([tooOld, ...nodeVersions].map(findNode));
  // Two at a time, as much of this is waiting for downloads; if one fails, the other still writes into the folder.
  const outcomes = await Promise.allSettled([
    (async () => {
      for (const zod of zodVersions) await consume({ tarball, zod, nodes });
      await refuse({ cwd: join(folder, `zod-${zodVersions[0]}`), node: old });
    })(),
    (async () => {
      for (const versions of aiVersions) await consumeAiSdk({ tarball, versions, node: nodes.at(-1) });
      await followReadme({ tarball, oldest: nodes[0], newest: nodes.at(-1) });
      await compileAsBefore({ tarball });
      await keepInFile({ tarball, node: nodes[0] });
    })(),
  ]);
  for (const { status, reason } of outcomes) if (status === "rejected") throw reason;
  console.log(["| Node | works beside zod |", "| --- | --- |"].join("\n"));
  for (const [node, versions] of worked) console.log(`| ${node} | ${versions.join(", ")} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function pack() {
  const printed = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: process.cwd() });
  const [{ filename, entryCount, size }] = JSON.parse(printed.slice(printed.indexOf("[")));
  console.log(`packed ${filename}: ${entryCount} files, ${size} bytes`);
  return join(folder, filename);
}

/** The path of a Node of that version: this one if it fits, else one from the registry. */
async function findNode(version) {
  if (process.versions.node.split(".")[0] === version) return process.execPath;
  const printed = await run("npx", ["-y", "-p", `node@${version}`, "node", "-p", "process.execPath"], { cwd: folder });
  return printed.trim().split("\n").at(-1);
}

async function consume({ tarball, zod, nodes }) {
  const cwd = join(folder, `zod-${zod}`);
  cpSync(source, cwd, { recursive: true });
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  await run("npm", ["install", "--no-audit", "--no-fund", tarball, `zod@${zod}`, "@types/node@20"], { cwd });
  const installed = JSON.parse(await run("npm", ["ls", "zod", "--json"], { cwd })).dependencies.zod.version;
  for (const node of nodes) {
    for (const file of ["import.mjs", "require.cjs"]) {
      console.log(`zod ${installed}: ${(await run(node, [file], { cwd })).trim()}`);
    }
    const todos = await run(node, [command, "Add a todo to buy milk, then show me all my tasks"], { cwd });
    if (!todos.includes("1 open todo: buy milk")) throw new Error(`The command printed:\n${todos}`);
    const version = (await run(node, ["--version"], { cwd })).trim();
    worked.set(version, [...(worked.get(version) ?? []), installed]);
  }
  for (const file of ["types.ts", "declarations.ts"]) await checkTypes(cwd, { file, label: `zod ${installed}` });
}

/** On a Node that is too old, the command says so and nothing else, and every import fails with that. */
async function refuse({ cwd, node }) {
  const said = /^planwright needs Node 20\.19 or later \(this is 18\.[\d.]+\)\.\n$/;
  const imported = await run(node, ["-e", 'import("planwright").catch(({ message }) => console.log(message))'], {
    cwd,
  });
  const { code, stdout, stderr } = await promisify(execFile)(node, [command, "2 + 2"], { cwd }).catch(
    (thrown) => thrown,
  );
  if (!said.test(imported) || !said.test(stderr) || stdout !== "" || code !== 1) {
    throw new Error(`Node ${tooOld}, import: ${imported}command: ${code} ${stdout}${stderr}`);
  }
  console.log(`Node ${tooOld}: ${stderr.trim()}`);
}

/** The command, installed elsewhere and without a driver of SQLite, says how to get one, and finds that of the current folder. */
async function keepInFile({ tarball, node }) {
  const home = join(folder, "global");
  const cwd = join(folder, "current");
  mkdirSync(home);
  mkdirSync(join(cwd, "node_modules"), { recursive: true });
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefix", home, tarball, "zod@latest"], { cwd });
  const ask = () => run(node, [join(home, command), "--db", "todo.db", "add milk to my list"], { cwd });
  const refused = await ask().catch(({ message }) => message);
  if (!/npm install libsql.*npx -p planwright -p libsql/.test(refused)) throw new Error(`Without a driver: ${refused}`);
  symlinkSync(resolve("node_modules/libsql"), join(cwd, "node_modules/libsql"));
  await ask();
  console.log("the command finds the driver of the current folder");
}

/** With the compilers of older projects, and with the `moduleResolution` that knows no `exports`. */
async function compileAsBefore({ tarball }) {
  const cwd = join(folder, "older-compilers");
  cpSync(source, cwd, { recursive: true });
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  const compilers = olderCompilers.map((version) => `typescript-${version}@npm:typescript@~${version}.0`);
  const packages = [tarball, "zod@latest", "@types/node@20", "@opentelemetry/api@1", ...compilers];
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd });
  const node10 = { module: "commonjs", moduleResolution: "node10", esModuleInterop: true };
  for (const version of olderCompilers) {
    const path = join(cwd, `node_modules/typescript-${version}/bin/tsc`);
    await checkTypes(cwd, { file: "entries.ts", label: `TypeScript ${version}`, path });
  }
  await checkTypes(cwd, {
    file: "entries.ts",
    label: "moduleResolution node10",
    more: { ...node10, ignoreDeprecations: "6.0" },
  });
}

async function consumeAiSdk({ tarball, versions: { ai, usual, xai, later, openrouter }, node }) {
  const cwd = join(folder, `ai-${ai}`);
  const providers = [
    ...["openai", "anthropic", "google", "azure", "groq", "mistral"].map((name) => `@ai-sdk/${name}@${usual}`),
    ...["cerebras", "deepseek", "openai-compatible"].map((name) => `@ai-sdk/${name}@${later}`),
    `@ai-sdk/xai@${xai}`,
    `@openrouter/ai-sdk-provider@${openrouter}`,
  ];
  cpSync(source, cwd, { recursive: true });
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  await run(
    "npm",
    ["install", "--no-audit", "--no-fund", tarball, `ai@${ai}`, ...providers, "zod@latest", "@types/node@20"],
    { cwd },
  );
  const told = (await run(node, ["ai-sdk.mjs"], { cwd })).trim();
  console.log(told);
  console.log(`${told.split(":")[0]}: ${(await run(node, ["providers.mjs"], { cwd })).trim()}`);
  // The types of the AI SDK themselves want more types than it installs.
  await checkTypes(cwd, { file: "ai-sdk.ts", label: told.split(":")[0], skipLibCheck: true });
}

/** What `npm init -y` makes is CommonJS, in which the examples are files of their own kind. */
async function followReadme({ tarball, oldest, newest }) {
  const cwd = join(folder, "first-steps");
  cpSync(join(source, "lint"), cwd, { recursive: true });
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ name: "first-steps", version: "1.0.0", type: "commonjs" }));
  const linter = ["eslint@10", "typescript-eslint@8", "typescript@~6.0"];
  const packages = [tarball, ...usedByExamples, "@types/node@20", ...linter];
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd });
  const names = readdirSync(examples).filter((name) => name.endsWith(".ts"));
  for (const name of names) {
    const file = name.replace(/\.ts$/, ".mts");
    copyFileSync(join(examples, name), join(cwd, file));
    const wanted = readFileSync(join(examples, name.replace(/\.ts$/, ".out")), "utf8");
    // All by a Node that reads TypeScript; by tsx on one that does not, the first of them.
    const runs = [await run(newest, [file], { cwd })];
    if (name === names[0]) runs.push(await run(oldest, ["--import", typeScriptLoader, file], { cwd }));
    if (runs.some((printed) => printed !== wanted)) throw new Error(`${file} printed:\n${runs.join("\n")}`);
  }
  console.log(`${names.length} examples run after npm init -y`);
  await run(process.execPath, ["node_modules/eslint/bin/eslint.js", "--max-warnings", "0", "detached.mts"], { cwd });
  console.log("typescript-eslint, strict: no complaint");
}

async function checkTypes(cwd, { file, label, skipLibCheck = false, path = compiler, more = {} }) {
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    lib: ["es2023"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    // Without it the names that a declaration needs are not looked for.
    declaration: true,
    noEmit: true,
    skipLibCheck,
    ...more,
  };
  writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  await run(process.execPath, [path, "-p", cwd], { cwd });
  console.log(
    `${label}: the types hold (${compilerOptions.moduleResolution ?? "nodenext"}, skipLibCheck ${skipLibCheck})`,
  );
}

async function run(command, args, { cwd }) {
  try {
    const env = { ...process.env, NO_COLOR: "1" };
    const { stdout } = await promisify(execFile)(command, args, { cwd, env, encoding: "utf8", maxBuffer: 1e8 });
    return stdout;
  } catch (thrown) {
    const { stdout, stderr } = thrown;
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}\n${stderr}`);
  }
}
