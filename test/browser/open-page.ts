import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** A page in a browser, and what it did. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** What it wrote to the console, threw, asked in a dialog, requested or opened. All this is to be nothing. */
  readonly told: string[];
}

/** Opens a document as a file, as people do. */
export async function openPage(
  browser: Browser,
  { folder, document, ...options }: BrowserContextOptions & { folder: string; document: string },
): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const path = join(folder, `page-${++count}.html`);
  writeFileSync(path, document);
  const { href } = pathToFileURL(path);
  const told: string[] = [];
  page.on("console", (message) => told.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => told.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    told.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("page", (other) => told.push(`opened: ${other.url()}`));
  page.on("request", (request) => {
    if (request.url() !== href || request.redirectedFrom() !== null) told.push(`request: ${request.url()}`);
  });
  await page.goto(href);
  return { page, told, [Symbol.asyncDispose]: () => context.close() };
}

let count = 0;
