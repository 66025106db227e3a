import { expect, it } from "vitest";
import { z } from "zod/v4";
import { createAgent } from "../../../src/agent.ts";
import { defineTool } from "../../../src/core/define-tool.ts";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-case.ts";
import { openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();

/** A listener, and a promise of its next call. */
function createListener() {
  let resolve = () => {};
  const next = () =>
    new Promise<void>((done) => {
      resolve = done;
    });
  return { next, listener: () => resolve() };
}

it("tells stores of what others record and post, and, after a lost connection, that something may be missed", async () => {
  const url = await server.newDatabase();
  const follower = openStore(url);
  const writer = openStore(url);
  const { next, listener } = createListener();
  const connected = next();
  const stop = follower.watch?.("r", listener);
  // It calls once when it is connected.
  await connected;
  const appended = next();
  await writer.append("r", [runStart("r")], { sequence: 1 });
  await appended;
  const posted = next();
  await writer.post("r", { text: "stop" });
  await posted;
  const reconnected = next();
  await server.query(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
  );
  await reconnected;
  const again = next();
  await writer.append("r", [stepStart("r", 2)], { sequence: 2 });
  await again;
  expect(await follower.read("r")).toHaveLength(2);
  stop?.();
});

it("wakes who follows a run in another process, long before it is time to poll", async () => {
  const url = await server.newDatabase();
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const gate = defineTool({
    name: "Gate",
    description: "Waits",
    inputSchema: z.object({}),
    async execute() {
      await opened;
      return {};
    },
  });
  const runner = createAgent({ tools: [gate], store: openStore(url) });
  const follower = createAgent({ tools: [gate], store: openStore(url) });
  const { runId, result } = runner.start({ steps: [{ id: "s1", tool: "Gate", input: {} }] });
  await new Promise((resolve) => runner.on("step-start", resolve));
  const seen: string[] = [];
  for await (const event of follower.events(runId, { follow: true, pollMs: 600_000 })) {
    seen.push(event.type);
    if (event.type === "step-start") open();
  }
  expect(seen.at(-1)).toBe("run-end");
  expect((await result).status).toBe("completed");
});
