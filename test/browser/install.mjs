// Installs what the tests of pages need besides npm's packages: `node test/browser/install.mjs`. Chromium comes from Debian, as
// root; of Mermaid only its one file for browsers is taken, as the package would bring 150 MB. Without them the tests are skipped,
// but not in CI. With `--pictures`, also what test/browser/take-pictures.ts needs.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, mermaidScript } from "./parts.mjs";

const packages = [
  ...(existsSync(chromium) ? [] : ["chromium"]),
  ...(process.argv.includes("--pictures") ? ["fonts-inter", "fonts-jetbrains-mono", "pngquant"] : []),
];
if (packages.length > 0) {
  execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
  execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { stdio: "ignore" });
}
if (!existsSync(mermaidScript)) {
  const folder = join(import.meta.dirname, "node_modules");
  mkdirSync(folder, { recursive: true });
  const { mermaid } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")).dependencies;
  const packed = execFileSync("npm", ["pack", `mermaid@${mermaid}`, "--silent", "--pack-destination", folder]);
  const archive = join(folder, packed.toString().trim().split("\n").at(-1));
  execFileSync("tar", ["-xzf", archive, "-C", folder, "package/dist/mermaid.min.js", "package/package.json"]);
}
