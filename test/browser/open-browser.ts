import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { chromium as executablePath, missingParts } from "./parts.mjs";

/** Whether the tests of pages can run. In CI they must. */
export function hasParts(): boolean {
  const missing = missingParts();
  if (missing.length === 0) return true;
  const reason = `There is no ${missing.join(" and no ")}: node test/browser/install.mjs installs what is missing.`;
  if (process.env.CI) throw new Error(reason);
  console.info(`Skipped. ${reason}`);
  return false;
}

/** Starts Chromium without a window. Its fonts are the same everywhere. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--font-render-hinting=none"],
    env: { ...process.env, FONTCONFIG_FILE: join(import.meta.dirname, "fonts.conf") } as Record<string, string>,
  });
}
