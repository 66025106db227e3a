import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "planwright";
import { toHtml } from "planwright/view";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostile, play } from "../view/drawn-runs.ts";
import { everything, release, releases } from "../view/instructive-run.ts";
import { attacked, attacks } from "./hostile-events.ts";
import { hasParts, openBrowser } from "./open-browser.ts";
import { openPage } from "./open-page.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const widths = [360, 1_280, 3_840] as const;
const schemes = ["light", "dark"] as const;
/** What may not be in a page, and its one stylesheet. */
const foreign =
  "script,img,iframe,object,embed,form,button,base,link,a,style ~ style,[onload],[onerror],meta[content*=url]";

describe.skipIf(!hasParts())("pages in Chromium", { timeout: 300_000 }, () => {
  let browser: Browser;
  let folder: string;
  let run: readonly AgentEvent[];
  const runs: (readonly AgentEvent[])[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
    folder = mkdtempSync(join(tmpdir(), "planwright-pages-"));
    for (const each of releases) runs.push(await release(each));
    run = await release(everything);
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** Each kind of page. */
  const documents = () => ({ run: toHtml(run), index: toHtml(runs) });
  const openDetails = (page: Page) =>
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");

  it("load nothing and say nothing, whatever the runs", async () => {
    const steps = Array.from({ length: 1_000 }, (_, index) => ({ id: `s${index}`, tool: "Work", input: { ms: 1 } }));
    const texts = hostile.map((text) => text.toWellFormed());
    const drawn = {
      ...documents(),
      "a thousand steps": toHtml((await play(steps)).events),
      "hostile outputs": toHtml((await play([{ id: "s1", tool: "Work", input: { says: texts } }])).events),
      "no run": toHtml([]),
      "a run that has begun": toHtml(run.slice(0, 2)),
    };
    for (const [name, document] of Object.entries(drawn)) {
      await using opened = await openPage(browser, { folder, document });
      await openDetails(opened.page);
      expect(opened.told, name).toEqual([]);
      expect(await opened.page.title(), name).not.toBe("");
    }
  });

  it("execute no attack in any text of a run, even without their policy", async () => {
    const all = attacks.map((attack) => attacked(run, attack));
    for (const document of [...all.map((events) => toHtml(events)), toHtml(all)]) {
      for (const bypassCSP of [false, true]) {
        await using opened = await openPage(browser, { folder, document, bypassCSP });
        const { page, told } = opened;
        await openDetails(page);
        const name = await page.title();
        expect(told, name).toEqual([]);
        expect(await page.evaluate("globalThis.hacked"), name).toBeUndefined();
        expect(await page.locator(foreign).count(), name).toBe(0);
        expect(await page.locator("h1").isVisible(), name).toBe(true);
      }
    }
  });

  it("would be caught if they executed one", async () => {
    const document = `<!doctype html><p>${attacks[2]}</p>`;
    await using opened = await openPage(browser, { folder, document });
    await opened.page.waitForFunction("globalThis.hacked === true");
    expect(opened.told.join()).toContain("request: ");
    expect(await opened.page.locator(foreign).count()).toBe(1);
  });

  it.each(schemes)("have nothing that axe objects to, in %s colours at any width", async (colorScheme) => {
    for (const [name, document] of Object.entries(documents())) {
      for (const width of widths) {
        await using opened = await openPage(browser, {
          folder,
          document,
          colorScheme,
          viewport: { width, height: 900 },
        });
        const { page } = opened;
        await openDetails(page);
        await page.evaluate(axe);
        const { violations } = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(tags)} })`)) as {
          violations: { id: string; nodes: { target: unknown; failureSummary: string }[] }[];
        };
        const told = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target} ${nodes[0]?.failureSummary}`);
        expect(told, `${name}, ${width} px`).toEqual([]);
      }
    }
  });

  it("are as wide as the window, and no wider", async () => {
    const long = attacked(run, "x".repeat(300));
    const drawn = { ...documents(), "long names": toHtml(long), "long names in the index": toHtml([long, long]) };
    for (const [name, document] of Object.entries(drawn)) {
      for (const width of widths) {
        await using opened = await openPage(browser, { folder, document, viewport: { width, height: 740 } });
        await openDetails(opened.page);
        expect(await opened.page.evaluate("document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(width);
      }
    }
  });

  it("can be read by the keyboard: all that opens or scrolls is reached, and seen to be", async () => {
    for (const [name, document] of Object.entries(documents())) {
      await using opened = await openPage(browser, { folder, document });
      const { page } = opened;
      const reached: string[] = [];
      for (;;) {
        await page.keyboard.press("Tab");
        const focus = (await page.evaluate(describeFocus)) as { name: string; outline: string; isClosed: boolean };
        if (focus.name === "BODY") break;
        reached.push(focus.name);
        expect(focus.outline, `${name}: ${focus.name}`).toMatch(/^solid [2-9]/);
        if (focus.isClosed) await page.keyboard.press("Enter");
      }
      expect(await page.locator("details:not([open])").count()).toBe(0);
      const all = await page.locator("summary, a[href], [tabindex='0']").count();
      expect(reached.length, name).toBe(all);
      expect(all).toBeGreaterThan(3);
    }
  });

  it("can be read without scripts", async () => {
    await using opened = await openPage(browser, { folder, document: toHtml(run), javaScriptEnabled: false });
    const { page, told } = opened;
    expect(told).toEqual([]);
    expect(await page.locator("h1").textContent()).toBe(everything.request);
    await page.locator("summary", { hasText: "build" }).first().click();
    expect(await page.getByText("sizeMb").isVisible()).toBe(true);
    expect(await page.locator("li", { hasText: "attempt 2: 900 ms, failed: registry.example.com" }).isVisible()).toBe(
      true,
    );
  });
});

const describeFocus = `(() => {
  const { activeElement: one } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const isClosed = one.localName === "summary" && !one.parentElement.open;
  return { name: one === document.body ? "BODY" : one.outerHTML.slice(0, 60), outline: outlineStyle + " " + outlineWidth, isClosed };
})()`;
