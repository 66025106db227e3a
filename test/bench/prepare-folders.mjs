import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packBaseline } from "./prepare-baseline.mjs";

/** What the package is compared with, and what it is measured with: none of it is a dependency of the project. */
const peers = [
  ...["p-retry@7.1", "p-timeout@7.0", "mathjs@15", "expr-eval-fork@3", "libsql@0.5", "pg@8", "@dbos-inc/dbos-sdk@5.3"],
  ...["api@1.9", "context-async-hooks@2", "sdk-metrics@2", "sdk-trace-base@2"].map((name) => `@opentelemetry/${name}`),
];

/**
 * Packs the package and installs it into the folder `bench`, beside what it is compared with and the files of `inside/`. What
 * is measured there is what users get, not the source. Where it is needed there is also `baseline`, with the package as it once
 * was; it is undefined where that cannot be built.
 */
export function prepareFolders(packedFile, { needsBaseline = false } = {}) {
  const root = mkdtempSync(join(tmpdir(), "planwright-bench-"));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    const tarball = packedFile === undefined ? pack(root) : resolve(packedFile);
    const folders = { bench: join(root, "bench"), baseline: undefined };
    install(folders.bench, [tarball, "zod", ...peers]);
    copyInside(folders.bench);
    const older = needsBaseline ? packBaseline(root) : undefined;
    if (older !== undefined) {
      folders.baseline = join(root, "older");
      install(folders.baseline, [older, "zod"]);
      copyInside(folders.baseline);
    }
    return { folders, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function copyInside(folder) {
  cpSync(join(import.meta.dirname, "inside"), join(folder, "inside"), { recursive: true });
  cpSync(join(import.meta.dirname, "statistics.mjs"), join(folder, "statistics.mjs"));
}

function pack(root) {
  const cwd = resolve(import.meta.dirname, "../..");
  const printed = npm(["pack", "--json", "--pack-destination", root], cwd);
  // The build may print before the JSON does.
  const [{ filename }] = JSON.parse(printed.slice(printed.indexOf("[\n")));
  return join(root, filename);
}

function install(folder, packages) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "bench", private: true, type: "module" }));
  npm(["install", "--no-audit", "--no-fund", ...packages], folder);
}

function npm(args, cwd) {
  try {
    return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`npm ${args.join(" ")} failed:\n${error.stdout}\n${error.stderr}`);
  }
}
