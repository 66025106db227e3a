import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

/** The last commit before steps ran side by side, with limits, approval, undo and replanning. */
export const baseline = { commit: "f7c663e3a49a2dbe35b8c9173dbb07d9a2cd79bc" };

const project = resolve(import.meta.dirname, "../..");

/**
 * Builds the code of the baseline in a folder, with the tools of today, and gives the packed package. Undefined if this clone
 * does not have the commit.
 */
export function packBaseline(root) {
  if (!hasCommit()) return undefined;
  const folder = join(root, "baseline-source");
  mkdirSync(folder);
  const archive = execFileSync("git", ["archive", baseline.commit], { cwd: project, maxBuffer: 1 << 28 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  const run = (command, args) => execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  // Without types, which a newer compiler might refuse.
  run(join(project, "node_modules/.bin/tsup"), ["--silent", "--no-dts"]);
  const packed = join(root, "baseline");
  mkdirSync(packed);
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", packed]);
  return join(packed, readdirSync(packed)[0]);
}

function hasCommit() {
  if (!existsSync(join(project, ".git"))) return false;
  try {
    execFileSync("git", ["cat-file", "-e", `${baseline.commit}^{commit}`], { cwd: project, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
