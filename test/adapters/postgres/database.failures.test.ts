import pg from "pg";
import { createAgent, defineTool } from "planwright";
import { createPostgresRunStore } from "planwright/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod/v4";
import { loadPg } from "../../../src/adapters/postgres/sql-pool.ts";
import { systemClock } from "../../../src/async/clock.ts";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import { freePort } from "./embedded-server.mjs";
import { openProxy } from "./open-proxy.ts";
import { failureOf, openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();

describe("a lost connection", () => {
  it.each([undefined, "ada"])(
    "records an append once whose answer was lost, and does not call it a conflict (owner: %s)",
    async (owner) => {
      const url = await server.newDatabase();
      const proxy = await openProxy(server.port);
      const store = openStore(proxy.through(url), { listen: false });
      const claimed = owner === undefined ? undefined : await store.claim("r", { owner, ttlMs: 60_000 });
      const fence = claimed && { fence: claimed.fence };
      // An insertion, too.
      await store.read("r");
      for (const [sequence, event] of [
        [1, runStart("r")],
        [2, stepStart("r", 2)],
      ] as const) {
        // What tells followers of the one before must not be what is lost.
        await store.read("r");
        proxy.loseNext({ isAnswer: true });
        await store.append("r", [event], { sequence, ...fence });
      }
      const fresh = openStore(url);
      expect(await fresh.read("r")).toEqual([runStart("r"), stepStart("r", 2)]);
    },
  );

  it("still refuses an append of others that came first, though an answer was lost", async () => {
    const url = await server.newDatabase();
    const proxy = await openProxy(server.port);
    const store = openStore(proxy.through(url));
    await store.append("r", [runStart("r")], { sequence: 1 });
    const other = openStore(url);
    await other.append("r", [stepStart("r", 2, 7)], { sequence: 2 });
    proxy.loseNext({ isAnswer: true });
    await expect(store.append("r", [stepStart("r", 2)], { sequence: 2 })).rejects.toMatchObject({
      code: "run-conflict",
    });
  });

  it("posts a message once whose answer was lost", async () => {
    const url = await server.newDatabase();
    const proxy = await openProxy(server.port);
    const store = openStore(proxy.through(url));
    await openStore(url).append("r", [runStart("r")], { sequence: 1 });
    await store.read("r");
    proxy.loseNext({ isAnswer: true });
    const { number } = await store.post("r", { text: "once" });
    const { posted } = await store.claim("r", { owner: "ada", ttlMs: 1_000 });
    expect(posted).toEqual([{ number, message: { text: "once" } }]);
  });

  it("survives the end of all its connections by the server, while they are idle and while they are used", async () => {
    const url = await server.newDatabase();
    const store = openStore(url);
    await store.append("r", [runStart("r")], { sequence: 1 });
    for (let sequence = 2; sequence < 12; sequence++) {
      const [, killed] = await Promise.all([
        store.append("r", [stepStart("r", sequence)], { sequence }),
        server.query(
          url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        ),
      ]);
      expect(killed).toBeDefined();
    }
    expect((await store.read("r")).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 11 }, (_, i) => i + 1),
    );
  });
});

describe("a server that is not there", () => {
  it("is waited for by many methods at once without a warning of Node", async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on("warning", listener);
    onTestFinished(() => void process.off("warning", listener));
    const store = openStore(`postgres://postgres:secret@127.0.0.1:${await freePort()}/none`, { retryForMs: 100 });
    await Promise.all(Array.from({ length: 20 }, () => failureOf(() => store.read("r"))));
    expect(warnings).toEqual([]);
  });

  it("is waited for no longer if the clock of the machine is set back meanwhile", async () => {
    let nowMs = Date.now();
    const clock = { ...systemClock, now: () => (nowMs -= 60_000) };
    const url = `postgres://postgres:secret@127.0.0.1:${await freePort()}/none`;
    const failure = await failureOf(() => openStore(url, { retryForMs: 100, clock }).read("r"));
    expect(failure.details.problem).toBe("unreachable");
  });

  it("is reported as unreachable, in every method", async () => {
    const store = openStore(`postgres://postgres:secret@127.0.0.1:${await freePort()}/none`, { retryForMs: 0 });
    const claim = { owner: "ada", fence: 1, ttlMs: 1 };
    for (const [operation, use] of [
      ["append", () => store.append("r", [runStart("r")], { sequence: 1 })],
      ["read", () => store.read("r")],
      ["list", () => store.list()],
      ["claim", () => store.claim("r", claim)],
      ["claim", () => store.renew("r", claim)],
      ["post", () => store.post("r", {})],
      ["delete", () => store.delete("r")],
    ] as const) {
      const failure = await failureOf(use);
      expect(failure).toMatchObject({ retryable: true, details: { operation, problem: "unreachable" } });
    }
  });

  it("comes back while runs are active: they end, each step recorded and done once", async () => {
    const url = await server.newDatabase();
    const store = openStore(url, { retryForMs: 60_000 });
    let restarted: Promise<void> | undefined;
    const done: number[] = [];
    const tool = defineTool({
      name: "Count",
      description: "Counts",
      inputSchema: z.object({ n: z.number() }),
      effect: "idempotent",
      async execute({ n }) {
        done.push(n);
        restarted ??= n === 2 ? restart() : undefined;
        return { n };
      },
    });
    const restart = async () => {
      await server.stop();
      await server.start();
    };
    const agent = createAgent({ tools: [tool], store });
    const steps = [1, 2, 3, 4].map((n) => ({
      id: `s${n}`,
      tool: "Count",
      input: { n },
      ...(n > 1 && { dependsOn: [`s${n - 1}`] }),
    }));
    const results = await Promise.all(["a", "b", "c"].map((runId) => agent.start({ steps }, { runId }).result));
    await restarted;
    expect(results.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(done).toHaveLength(12);
    for (const runId of ["a", "b", "c"]) {
      const events = await store.read(runId);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
      expect(events.filter(({ type }) => type === "step-end")).toHaveLength(4);
    }
  });
});

describe("other failures", () => {
  it("keeps an error of an idle connection of a given pool from ending the process, until the last store is closed", async () => {
    const pool = new pg.Pool({ connectionString: await server.newDatabase() });
    const stores = [createPostgresRunStore({ pool }), createPostgresRunStore({ pool })];
    for (const store of stores) {
      expect(() => pool.emit("error", new Error("connection lost"), {} as never)).not.toThrow();
      await store.close();
    }
    expect(() => pool.emit("error", new Error("connection lost"), {} as never)).toThrow("connection lost");
    await pool.end();
  });

  it("reports a full pool", async () => {
    const pool = new pg.Pool({ connectionString: await server.newDatabase(), max: 1 });
    const store = createPostgresRunStore({ pool });
    await store.append("r", [runStart("r")], { sequence: 1 });
    const held = await pool.connect();
    pool.options.connectionTimeoutMillis = 50;
    const failure = await failureOf(() => store.read("r"));
    expect(failure).toMatchObject({ retryable: true, details: { problem: "busy", operation: "read" } });
    held.release();
    expect(await store.read("r")).toHaveLength(1);
    await store.close();
    await pool.end();
  });

  it("refuses what a former owner writes that was stopped for longer than its lease", async () => {
    const url = await server.newDatabase();
    const zombie = openStore(url);
    const { fence } = await zombie.claim("r", { owner: "ada", ttlMs: 0 });
    await zombie.append("r", [runStart("r")], { sequence: 1, fence });
    await openStore(url).claim("r", { owner: "bob", ttlMs: 60_000 });
    const late = zombie.append("r", [stepStart("r", 2)], { sequence: 2, fence });
    await expect(late).rejects.toMatchObject({ code: "run-owned-elsewhere" });
    expect(await zombie.read("r")).toHaveLength(1);
  });

  it("says which package is missing", async () => {
    await expect(loadPg(() => Promise.reject(new Error("not found")))).rejects.toMatchObject({
      code: "missing-dependency",
      details: { packages: ["pg"], command: "npm install pg" },
    });
  });

  it("reports a wrong password without trying for long", async () => {
    const url = (await server.newDatabase()).replace("secret", "wrong");
    const failure = await failureOf(() => openStore(url).read("r"));
    expect(failure.retryable).toBe(false);
    expect(failure.message).toMatch(/password authentication failed/);
  });
});
