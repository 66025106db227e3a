import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placeWebExample } from "../package/web-example.ts";
import { hasParts, openBrowser } from "./open-browser.ts";

describe.skipIf(!hasParts())("the app of examples/web in Chromium", { timeout: 300_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it("plans what is typed, runs it once it is approved on the other page, and continues after a kill", async () => {
    const example = await placeWebExample();
    const killed = await example.start({ boxMs: 60_000 });
    const context = await browser.newContext();
    const connections: Promise<Record<string, string>>[] = [];
    context.on("response", (response) => {
      if (response.url().endsWith("/events")) connections.push(response.request().allHeaders());
    });
    const asking = await context.newPage();
    const approving = await context.newPage();
    const faults: string[] = [];
    for (const page of [asking, approving]) page.on("pageerror", ({ message }) => faults.push(message));
    const textOf = (id: string) => () => asking.locator(`#${id}`).textContent();

    await asking.goto(example.address);
    await asking.getByLabel("Request").fill("Pack 4 boxes for Ada, then send an invoice to Ada");
    await asking.getByRole("button", { name: "Ask" }).click();
    await expect.poll(textOf("state")).toBe("Waits for approval");
    await expect.poll(textOf("plan")).toMatch(/^s1 {2}pack 4 boxes for Ada\n.*\ns2 {2}send an invoice to Ada\n/);

    await approving.goto(`${example.address}/approvals.html`);
    const asked = approving.locator("section").filter({ hasText: "Pack 4 boxes for Ada" });
    expect(await asked.locator("pre").textContent()).toBe(await textOf("plan")());
    await asked.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => approving.locator("#state").textContent()).toBe("Nothing");

    await expect.poll(textOf("state")).toBe("Box 1 of 4");
    expect(await asking.getByRole("progressbar").getAttribute("value")).toBe("1");
    await killed.stop("SIGKILL");
    await expect.poll(textOf("state")).toBe("Reconnecting …");
    const restarted = await example.start({ boxMs: 1 });
    await expect.poll(textOf("state")).toBe("Done");
    // The page was not loaded again: it asked for what it had not seen, and shows each step once.
    const known = (await Promise.all(connections)).map((headers) => headers["last-event-id"]);
    expect(known).toEqual([undefined, "8"]);
    expect(await asking.locator("#log li").allTextContents()).toEqual([
      "Pack: interrupted",
      "Pack: completed",
      "Invoice: completed",
    ]);
    expect(`${killed.said()}${restarted.said()}`.match(/^sends .*/gm)).toEqual(["sends an invoice to Ada"]);
    // Loaded again, it shows the same.
    await asking.reload();
    await expect.poll(textOf("state")).toBe("Done");
    expect(await asking.locator("#log li").count()).toBe(3);

    await asking.goto(`${example.address}/#none`);
    await expect.poll(textOf("state")).toBe("Unknown run");
    expect(faults).toEqual([]);
    expect(await restarted.stop()).toBe(0);
  });

  it("keeps what is to be decided in place, says why an answer was refused, and settles what a kill cut off", async () => {
    const example = await placeWebExample();
    const killed = await example.start({ boxMs: 60_000 });
    const send = (method: string, path: string, body: unknown) =>
      fetch(`${example.address}${path}`, {
        method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const ask = (runId: string) => send("PUT", `/runs/${runId}`, { request: `Send an invoice to ${runId}` });
    const approving = await browser.newPage();
    const faults: string[] = [];
    approving.on("pageerror", ({ message }) => faults.push(message));
    const headings = () => approving.locator("h2").allTextContents();
    const textOf = (id: string) => () => approving.locator(`#${id}`).textContent();

    await ask("Ada");
    await approving.goto(`${example.address}/approvals.html`);
    await expect.poll(headings).toEqual(["Send an invoice to Ada"]);
    const first = await approving.locator("section").elementHandle();
    await ask("Ben");
    await expect.poll(headings, { timeout: 10_000 }).toEqual(["Send an invoice to Ada", "Send an invoice to Ben"]);
    expect(await first?.evaluate((section) => section.isConnected)).toBe(true);

    // Somebody else is faster, and the page does not know it yet.
    await approving.route("**/approvals", (route) => route.abort());
    const response = await fetch(`${example.address}/approvals`);
    const items = (await response.json()) as { readonly runId: string; readonly item: object }[];
    const item = items.find(({ runId }) => runId === "Ada")?.item;
    await send("POST", "/runs/Ada/reject", item);
    await approving.getByRole("button", { name: "Approve" }).first().click();
    await expect.poll(textOf("refused")).toMatch(/\w/);
    await approving.unroute("**/approvals");
    await expect.poll(headings, { timeout: 10_000 }).toEqual(["Send an invoice to Ben"]);
    expect(await textOf("refused")()).toMatch(/\w/);

    const asking = await browser.newPage();
    await asking.goto(`${example.address}/#Ben`);
    const state = () => asking.locator("#state").textContent();
    await approving.getByRole("button", { name: "Approve" }).click();
    expect(await textOf("refused")()).toBe("");
    await expect.poll(state).toBe("Invoice has started");
    await killed.stop("SIGKILL");
    const restarted = await example.start({ boxMs: 1 });
    await expect.poll(state, { timeout: 20_000 }).toBe("Waits for somebody to say whether it happened");
    await approving.getByRole("button", { name: "It did not happen: do it again" }).click();
    await expect.poll(state).toBe("Done");
    expect(faults).toEqual([]);
    expect(await restarted.stop()).toBe(0);
  });
});
