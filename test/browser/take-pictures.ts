// Draws the pictures of docs/pictures anew: `npx tsx test/browser/take-pictures.ts`, after `node test/browser/install.mjs --pictures`.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { toHtml } from "planwright/view";
import { everything, release, releases } from "../view/instructive-run.ts";
import { openBrowser } from "./open-browser.ts";

const schemes = ["light", "dark"] as const;
const widths = [360, 1_280, 3_840];
const names = ["run", "index"] as const;

const folder = resolve(import.meta.dirname, "../../docs/pictures");
mkdirSync(folder, { recursive: true });
const runs = await Promise.all(releases.map(release));
const documents = { run: toHtml(await release(everything)), index: toHtml(runs) };
const browser = await openBrowser();
for (const name of names)
  for (const colorScheme of schemes) for (const width of widths) await take(name, colorScheme, width);
await browser.close();

async function take(name: keyof typeof documents, colorScheme: (typeof schemes)[number], width: number): Promise<void> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
  await page.setContent(documents[name]);
  const path = join(folder, `${name}-${colorScheme}-${width}.png`);
  await page.screenshot({ path, fullPage: true });
  execFileSync("pngquant", ["--force", "--ext=.png", "--quality=80-95", "--speed=1", "--strip", path]);
  await page.close();
}
