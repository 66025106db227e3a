import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../adapters/postgres/embedded-server.mjs";
import { type ExampleProcess, startExample } from "../scenario/start-example.ts";

/** A place for examples/web, whose processes come one after the other. */
export interface WebExample {
  readonly address: string;
  /** Each box that it packs takes so long. */
  start(options: { readonly boxMs: number }): Promise<ExampleProcess>;
}

/** Finds a port and a folder for examples/web. */
export async function placeWebExample(): Promise<WebExample> {
  const folder = mkdtempSync(join(tmpdir(), "planwright-web-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const PORT = String(await freePort());
  return {
    address: `http://localhost:${PORT}`,
    start: ({ boxMs }) =>
      startExample("web/server.ts", { PORT, DATABASE: join(folder, "web.db"), BOX_MS: String(boxMs) }),
  };
}
