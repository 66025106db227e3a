import { createReadStream, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasParts, openBrowser } from "./open-browser.ts";

/*
 * A real model in Chromium. It needs the unpacked package @wllama/wllama and a model:
 *
 *   WLLAMA_PACKAGE=…/package WLLAMA_MODEL=…/qwen2.5-coder-0.5b.gguf npx vitest run --mode browser test/browser/wllama.test.ts
 */
const { WLLAMA_PACKAGE: folder, WLLAMA_MODEL: weights } = process.env;

function hasModel(): boolean {
  if (folder !== undefined && weights !== undefined) return hasParts();
  console.info("Skipped. WLLAMA_PACKAGE and WLLAMA_MODEL name the package of wllama and a model.");
  return false;
}

/** What the page does: one request planned, one aborted. */
const script = `
import { Wllama } from ${JSON.stringify(join(folder ?? "", "esm/index.js"))};
import { createAgent, createLlmPlanner, defineTool } from "planwright";
import { createWllamaModel } from "planwright/wllama";
import { z } from "zod/v4";

globalThis.planWith = async () => {
  const wllama = new Wllama({ default: "/wllama.wasm" }, { suppressNativeLog: true });
  await wllama.loadModelFromUrl(new URL("/model.gguf", location.href).href, { n_ctx: 4096, useCache: false });
  const tool = defineTool({
    name: "Refund", description: "Refunds an invoice", inputSchema: z.object({ customer: z.string(), invoice: z.number().int() }),
    effect: "idempotent", phrases: ["refund {customer} invoice {invoice}"], execute: () => null,
  });
  const model = createWllamaModel(wllama, { modelId: "qwen" });
  const agent = createAgent({ tools: [tool], planner: createLlmPlanner({ model }), plannerTimeoutMs: 600_000 });
  const { steps, source } = await agent.plan("give Ada Byron a refund for invoice 17");
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("enough")), 200);
  const aborted = await model
    .generate({ messages: [{ role: "user", content: "Count to 500." }], signal: controller.signal })
    .then(() => "answered", (error) => error.message);
  return { steps, certainty: source.certainty, context: await model.getContextTokens(), aborted };
};
`;

describe.skipIf(!hasModel())("a model in the browser", { timeout: 1_200_000 }, () => {
  let browser: Browser;
  let server: Server;
  beforeAll(async () => {
    const bundle = await build({
      stdin: { contents: script, resolveDir: resolve("."), loader: "js" },
      bundle: true,
      format: "esm",
      write: false,
      alias: {
        planwright: resolve("dist/index.js"),
        "planwright/wllama": resolve("dist/adapters/wllama/index.js"),
      },
    });
    const page = bundle.outputFiles[0]?.text ?? "";
    server = createServer((request, response) => {
      const file = { "/wllama.wasm": join(folder ?? "", "esm/wasm/wllama.wasm"), "/model.gguf": weights ?? "" }[
        request.url ?? ""
      ];
      if (file !== undefined) {
        const type = file.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
        response.writeHead(200, { "content-type": type, "content-length": statSync(file).size });
        if (request.method === "HEAD") response.end();
        else createReadStream(file).pipe(response);
      } else if (request.url === "/page.js") response.writeHead(200, { "content-type": "text/javascript" }).end(page);
      else
        response
          .writeHead(200, { "content-type": "text/html" })
          .end('<!doctype html><script type="module" src="/page.js"></script>');
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it("plans a request, says how sure it is, and stops at once", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(1_200_000);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction("globalThis.planWith");
    const found = (await page.evaluate("planWith()")) as { readonly certainty: number };
    expect(found).toMatchObject({
      steps: [{ tool: "Refund", input: { customer: "Ada Byron", invoice: 17 } }],
      context: 4_096,
      aborted: "enough",
    });
    expect(found.certainty).toBeGreaterThan(0.5);
    expect(found.certainty).toBeLessThan(1);
    console.info(`certainty ${found.certainty}`);
  });
});
