import { createAgent, defineTool } from "planwright";
import { expect, it } from "vitest";
import { z } from "zod/v4";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
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

it("tells who waits for messages of these alone, to whichever run", async () => {
  const url = await server.newDatabase();
  const owner = openStore(url);
  const writer = openStore(url);
  const told: (string | undefined)[] = [];
  let resolve = () => {};
  const connected = new Promise<void>((done) => {
    resolve = done;
  });
  const stop = owner.watchPosted((runId) => {
    told.push(runId);
    resolve();
  });
  await connected;
  // One more channel on the same connection, and then no more.
  const { next, listener } = createListener();
  const isFollowing = next();
  const unfollow = owner.watch("q", listener);
  await isFollowing;
  for (const runId of ["q", "r"]) await writer.append(runId, [runStart(runId)], { sequence: 1 });
  unfollow();
  await writer.post("r", { text: "stop" });
  await expect.poll(() => told).toEqual([undefined, "r"]);
  const rows = await server.query(
    url,
    "SELECT query FROM pg_stat_activity WHERE query LIKE '%LISTEN%' AND datname = current_database() AND pid <> pg_backend_pid()",
  );
  expect(rows).toEqual([{ query: "UNLISTEN planwright" }]);
  stop();
});

it("cancels a run in another process long before its lease is renewed", async () => {
  const url = await server.newDatabase();
  const hang = defineTool({
    name: "Hang",
    description: "Waits until it is cancelled",
    inputSchema: z.object({}),
    effect: "idempotent",
    timeoutMs: Number.POSITIVE_INFINITY,
    execute: (_input, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({}))),
  });
  const leaseMs = 600_000;
  const create = () => createAgent({ tools: [hang], store: openStore(url), leaseMs });
  const [runner, other] = [create(), create()];
  const { runId, result } = runner.start({ steps: [{ id: "s1", tool: "Hang", input: {} }] });
  await new Promise((resolve) => runner.on("step-start", resolve));
  await other.cancel(runId, "enough", { resume: false });
  expect(await result).toMatchObject({ status: "cancelled", error: { details: { reason: "enough" } } });
  await Promise.all([runner.close(), other.close()]);
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
    effect: "idempotent",
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
