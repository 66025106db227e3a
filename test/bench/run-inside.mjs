import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Runs a file of `inside/` in a process of its own, with this version of Node, and gives the JSON it prints. */
export function runInside(folder, file, args = []) {
  const path = join(folder, "inside", file);
  const options = { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 26 };
  return JSON.parse(execFileSync(process.execPath, [path, ...args.map(String)], options));
}
