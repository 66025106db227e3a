// Installs the engine of these tests beside them: `node test/real-models/install.mjs`. About 110 MB; only on Linux x64 with glibc.
// Without it the tests that need the engine are skipped.
import { spawnSync } from "node:child_process";

// Optional packages are left out because they are the engine for every other platform and graphics card, and scripts because
// they would build it from source. There is no lock file: the direct dependencies are pinned, and nothing of this is shipped.
const { status } = spawnSync(
  "npm",
  ["install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--package-lock=false"],
  { cwd: import.meta.dirname, stdio: "inherit" },
);
process.exitCode = status ?? 1;
