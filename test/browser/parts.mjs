import { existsSync } from "node:fs";
import { join } from "node:path";

/** Debian's Chromium, or another. */
export const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Mermaid as one file. */
export const mermaidScript = join(import.meta.dirname, "node_modules/package/dist/mermaid.min.js");

/** What is missing, in words. */
export function missingParts() {
  return [chromium, mermaidScript].filter((path) => !existsSync(path));
}
