// Measures what `npm install` adds for planwright and for the libraries of docs/comparison.md: node scripts/compare-install.mjs
//   --package FILE  a packed planwright, instead of building and packing this one
// Each set is what the library's own instructions install for a program that defines work and executes it. It is installed as
// it is published today, into a folder of its own. Servers are not measured. npm takes the newest versions that the running
// Node can use: npx -y -p node@24 node scripts/compare-install.mjs
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({ options: { package: { type: "string" } } });
const root = mkdtempSync(join(tmpdir(), "planwright-compare-"));

try {
  const tarball = options.package === undefined ? pack() : resolve(options.package);
  const temporal = ["client", "worker", "workflow", "activity", "common"].map((name) => `@temporalio/${name}`);
  const sets = [
    { name: "planwright, memory or SQLite", packages: [tarball, "zod"] },
    { name: "planwright, PostgreSQL", packages: [tarball, "zod", "pg"] },
    { name: "planwright, workers", packages: [tarball, "zod", "pg", "@dbos-inc/dbos-sdk"] },
    { name: "Absurd", packages: ["absurd-sdk", "pg"] },
    { name: "OpenWorkflow, SQLite", packages: ["openworkflow"] },
    { name: "OpenWorkflow, PostgreSQL", packages: ["openworkflow", "postgres"] },
    { name: "Temporal", packages: temporal },
    { name: "AI SDK, one provider", packages: ["ai", "zod", "@ai-sdk/openai"] },
  ];
  console.log(`Node ${process.version}, ${process.platform} ${process.arch}`);
  console.table(sets.map(measure));
} finally {
  rmSync(root, { recursive: true, force: true });
}

function pack() {
  const cwd = resolve(import.meta.dirname, "..");
  const printed = npm(["pack", "--json", "--pack-destination", root], cwd);
  // The build may print before the JSON does.
  const [{ filename }] = JSON.parse(printed.slice(printed.indexOf("[\n")));
  return join(root, filename);
}

function measure({ name, packages }, index) {
  const folder = join(root, String(index));
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "compare", private: true, type: "module" }));
  npm(["install", "--no-audit", "--no-fund", ...packages], folder);
  const modules = join(folder, "node_modules");
  const installed = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")).packages;
  const first = packages[0].endsWith(".tgz") ? "planwright" : packages[0];
  return {
    installed: name,
    version: installed[`node_modules/${first}`].version,
    packages: Object.keys(installed).length,
    MB: Number((sizeOf(modules) / 1e6).toFixed(1)),
  };
}

function sizeOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.reduce((sum, path) => sum + statSync(path).size, 0);
}

function npm(args, cwd) {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}
