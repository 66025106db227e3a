import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { Plan } from "planwright";
import { toMermaid } from "planwright/view";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostile } from "../view/drawn-runs.ts";
import { everything, release } from "../view/instructive-run.ts";
import { attacks } from "./hostile-events.ts";
import { hasParts, openBrowser } from "./open-browser.ts";
import { mermaidScript } from "./parts.mjs";

const words = [
  "end",
  "subgraph",
  "graph TD",
  "click",
  "style",
  "classDef",
  "direction",
  "default",
  "o--x",
  "%% note",
  "\n",
];
const name = fc.oneof(
  fc.constantFrom(...hostile, ...attacks, ...words),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(fc.constantFrom(..."[](){}<>|\"'`#;:&%@\\/-=~*_^$!?.,", "-->", "---", "end", "\n", "\u2028"), {
      maxLength: 12,
    })
    .map((parts) => parts.join("")),
);

/** A plan of as many steps with such names, each of which waits for some before it. */
const plan = fc
  .array(
    fc.record({
      name,
      tool: name,
      when: fc.option(name, { nil: undefined }),
      forEach: fc.option(name, { nil: undefined }),
      waitsFor: fc.array(fc.nat(), { maxLength: 4 }),
    }),
    { maxLength: 30 },
  )
  .map((list) => {
    const ids = list.map((one, index) => `${one.name}${index}`);
    const steps = list.map(({ tool, when, forEach, waitsFor }, index) => ({
      ...{ id: ids[index], tool, input: {} },
      ...(when !== undefined && { when }),
      ...(forEach !== undefined && { forEach }),
      dependsOn: index === 0 ? [] : [...new Set(waitsFor.map((at) => ids[at % index]))],
    }));
    return { version: 1, id: "p", request: "", source: { planner: "p" }, createdAt: "", steps } as unknown as Plan;
  });

describe.skipIf(!hasParts())("flowcharts in Mermaid", { timeout: 300_000 }, () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
    await page.setContent("<!doctype html><title>Mermaid</title>");
    await page.addScriptTag({ content: readFileSync(mermaidScript, "utf8") });
    // It trusts what it draws: escaping is ours alone.
    await page.evaluate("mermaid.initialize({ startOnLoad: false, securityLevel: 'loose' })");
  });
  afterAll(() => browser.close());

  /** What Mermaid says against each text. */
  const parse = (texts: readonly string[]) =>
    page.evaluate(async (all) => {
      const { mermaid } = globalThis as unknown as { mermaid: { parse(text: string): Promise<unknown> } };
      const faults: string[] = [];
      for (const text of all) {
        await mermaid.parse(text).catch((error: Error) => faults.push(`${error.message}\n${text}`));
      }
      return faults;
    }, texts);

  it("all parse: 500 plans with hostile names", async () => {
    const plans = fc.sample(plan, 500);
    expect(plans.reduce((sum, { steps }) => sum + steps.length, 0)).toBeGreaterThan(2_000);
    expect(await parse(plans.map((one) => toMermaid(one)))).toEqual([]);
  });

  it("are refused where they are wrong", async () => {
    expect(await parse(["flowchart TD\n  end --> b", 'flowchart TD\n  a["x"y"]'])).toHaveLength(2);
  });

  it("are drawn with their steps, edges and names, and execute nothing", async () => {
    const drawn = [...fc.sample(plan, 20), planOf(attacks), planOf(hostile)];
    for (const one of drawn) {
      const text = toMermaid(one);
      const counts = await render(text);
      expect(counts.nodes).toBe(text.match(/:::/g)?.length ?? 0);
      expect(counts.edges).toBe(text.match(/ --> /g)?.length ?? 0);
    }
    expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
    const { labels } = await render(toMermaid(planOf(['<b>"x"</b>', "`y` **z**"])));
    expect(labels).toEqual(['0<b>"x"</b>Work', "1`y` **z**Work"]);
  });

  it("are drawn of a run, with what became of its steps", async () => {
    const { nodes, labels } = await render(toMermaid(await release(everything)));
    expect(nodes).toBe(8);
    const deploy = /^deployOne region after the otherDeployundonefor each .*3 of 3 iterations$/;
    expect(labels).toContainEqual(expect.stringMatching(deploy));
  });

  const planOf = (names: readonly string[]) =>
    ({
      ...{ version: 1, id: "p", request: "", source: { planner: "p" }, createdAt: "" },
      steps: names.map((one, index) => ({ id: `${index}${one}`, tool: "Work", input: {} })),
    }) as unknown as Plan;

  const render = async (text: string) =>
    (await page.evaluate(`(async () => {
      const { svg } = await mermaid.render("drawn", ${JSON.stringify(text)});
      document.body.innerHTML = svg;
      const count = (selector) => document.querySelectorAll(selector).length;
      const labels = [...document.querySelectorAll(".node .nodeLabel")].map((one) => one.textContent);
      return { nodes: count(".node"), edges: count(".edgePaths path"), labels };
    })()`)) as { nodes: number; edges: number; labels: string[] };
});
