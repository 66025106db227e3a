import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placeWebExample } from "../package/web-example.ts";
import { hasParts, openBrowser } from "./open-browser.ts";

/** The chat page of examples/web, and what it threw. */
async function openChat(browser: Browser, address: string) {
  const page = await (await browser.newContext()).newPage();
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  await page.goto(address);
  const say = async (line: string) => {
    await page.getByLabel("Message").fill(line);
    await page.getByRole("button", { name: "Send" }).click();
  };
  return { page, faults, say, shown: shownBy(page) };
}

/** The headings and paragraphs of the messages, without buttons. */
const shownBy = (page: Page) => () => page.locator("#chat").locator("h2, p").allTextContents();

describe.skipIf(!hasParts())("the app of examples/web in Chromium", { timeout: 300_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it("asks what a line lacks, keeps what is typed meanwhile, and says in words what was done", async () => {
    const example = await placeWebExample();
    const killed = await example.start({ boxMs: 1 });
    const { page, faults, say, shown } = await openChat(browser, example.address);
    const other = await openChat(browser, example.address);

    await say("Pack for Ada");
    const field = page.getByLabel("Which boxes?");
    await field.fill("2");
    // The other page shows the same, and its line leaves the question open.
    await expect.poll(other.shown, { timeout: 10_000 }).toEqual(["Pack for Ada", "Which boxes?"]);
    await other.say("hello");
    await expect
      .poll(shown, { timeout: 10_000 })
      .toEqual(["Pack for Ada", "Which boxes?", "hello", expect.any(String)]);
    expect(await field.inputValue()).toBe("2");

    await killed.stop("SIGKILL");
    await expect.poll(() => page.locator("#state").textContent(), { timeout: 10_000 }).toBe("Reconnecting …");
    const restarted = await example.start({ boxMs: 1 });
    await expect.poll(() => page.locator("#state").textContent(), { timeout: 10_000 }).toBe("");
    expect(await field.inputValue()).toBe("2");
    // Somebody else is slower, and the other page does not know it yet.
    await other.page.route("**/chat", (route) =>
      route.request().method() === "GET" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Answer" }).click();
    const done = [
      "Pack for Ada",
      "Which boxes?",
      "Which boxes?: done",
      expect.stringMatching(/: done$/),
      expect.any(String),
    ];
    await expect.poll(async () => (await shown()).slice(0, 5)).toEqual(done);
    await other.page.getByLabel("Which boxes?").fill("3");
    await other.page.getByRole("button", { name: "Answer" }).click();
    await expect.poll(() => other.page.locator("#refused").textContent()).toMatch(/already answered/);
    await other.page.unroute("**/chat");
    await expect.poll(async () => (await other.shown()).slice(0, 5), { timeout: 10_000 }).toEqual(done);
    expect(restarted.said().match(/^packs .*/gm)).toEqual(["packs box 1 for Ada", "packs box 2 for Ada"]);

    expect([...faults, ...other.faults]).toEqual([]);
    expect(await restarted.stop()).toBe(0);
  });

  it("plans what is typed, runs it once it is approved, and continues after a kill", async () => {
    const example = await placeWebExample();
    const killed = await example.start({ boxMs: 60_000 });
    const { page, faults, say, shown } = await openChat(browser, example.address);
    await say("Pack 4 boxes for Ada, then send an invoice to Ada");
    await expect
      .poll(() => page.locator("#chat li").allTextContents())
      .toEqual(["Pack 4 boxes for Ada", "Send an invoice to Ada"]);
    await page.getByRole("button", { name: "Approve" }).click();
    await expect.poll(shown).toContain("Pack 4 boxes for Ada: box 1 of 4");
    await killed.stop("SIGKILL");
    const restarted = await example.start({ boxMs: 1 });
    const end = [
      "The plan: done",
      "Pack 4 boxes for Ada: done",
      "Send an invoice to Ada: done",
      expect.stringMatching(/sent/),
    ];
    await expect.poll(shown, { timeout: 20_000 }).toEqual(expect.arrayContaining(end));
    // The page was not loaded again, and shows each step once.
    expect((await shown()).filter((text) => text.includes(": "))).toHaveLength(4);
    expect(`${killed.said()}${restarted.said()}`.match(/^sends .*/gm)).toEqual(["sends an invoice to Ada"]);
    const before = await shown();
    // Loaded again, it shows the same, apart from what was only said while it waited.
    await page.reload();
    await expect.poll(shown).toEqual(before.filter((text) => !text.startsWith("Needs approval")));

    await say("Send an invoice to Ben");
    await page.getByRole("button", { name: "Reject" }).click();
    await expect.poll(shown).toContain("The plan: not approved");
    await say("Fly to the moon");
    await expect.poll(async () => (await shown()).at(-1)).toMatch(/cannot be planned/);
    expect(faults).toEqual([]);
    expect(await restarted.stop()).toBe(0);
  });

  it("keeps what is to be decided in place, says why an answer was refused, and settles what a kill cut off", async () => {
    const example = await placeWebExample();
    const killed = await example.start({ boxMs: 60_000 });
    const send = (path: string, body: unknown) =>
      fetch(`${example.address}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const ask = (customer: string) => {
      const parts = [{ type: "text", text: `Send an invoice to ${customer}` }];
      return send("/chat", { messages: [{ id: customer, role: "user", parts }] });
    };
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
    const item = items.find(({ runId }) => runId === "main.Ada")?.item;
    await send("/runs/main.Ada/reject", item);
    await approving.getByRole("button", { name: "Approve" }).first().click();
    await expect.poll(textOf("refused")).toMatch(/\w/);
    await approving.unroute("**/approvals");
    await expect.poll(headings, { timeout: 10_000 }).toEqual(["Send an invoice to Ben"]);
    expect(await textOf("refused")()).toMatch(/\w/);

    const { shown, faults: chatFaults } = await openChat(browser, example.address);
    await approving.getByRole("button", { name: "Approve" }).click();
    expect(await textOf("refused")()).toBe("");
    await expect.poll(shown, { timeout: 10_000 }).toContain("Send an invoice to Ben: has started");
    await killed.stop("SIGKILL");
    const restarted = await example.start({ boxMs: 1 });
    await expect.poll(shown, { timeout: 20_000 }).toContainEqual(expect.stringMatching(/whether/));
    await approving.getByRole("button", { name: "It did not happen: do it again" }).click();
    await expect.poll(shown, { timeout: 10_000 }).toContain("Send an invoice to Ben: done");
    expect([...faults, ...chatFaults]).toEqual([]);
    expect(await restarted.stop()).toBe(0);
  });
});
