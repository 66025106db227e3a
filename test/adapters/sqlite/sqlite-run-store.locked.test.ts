import { createAgent, createTodoStore } from "planwright";
import { createSqliteTodos } from "planwright/sqlite";
import { createFakeTool, createManualClock } from "planwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import { todoWith } from "../../tools/todo-store/todo-storage-contract.ts";
import { drivers, newPath, openRaw, openStore, problemOf } from "./sqlite-files.ts";

const steps = [{ id: "s", tool: "Work", input: {} }];

describe.each(drivers)("a file that another process has locked, with %s", (driver) => {
  function setUp() {
    const path = newPath();
    const clock = createManualClock();
    const options = { path, driver, clock };
    const store = openStore(path, options);
    const todos = createSqliteTodos(options);
    onTestFinished(() => todos.close());
    const other = openRaw(path, driver);
    onTestFinished(() => other.close());
    const tools = [createFakeTool({ name: "Work" }), createTodoStore({ storage: todos })];
    return { clock, store, todos, other, agent: createAgent({ tools, store }) };
  }

  it("is waited for by promises, and written in the order of the calls", async () => {
    const { clock, store, other } = setUp();
    store.append("r", [runStart("r")], { sequence: 1 });
    other.exec("BEGIN IMMEDIATE");
    const told: string[] = [];
    const appends = [2, 3].map(async (sequence) => {
      await store.append("r", [stepStart("r", sequence)], { sequence });
      told.push(`event ${sequence}`);
    });
    const claimed = Promise.resolve(store.claim("r", { owner: "ada", ttlMs: 1_000 })).then(() => told.push("claim"));
    await clock.advance(200);
    expect(told).toEqual([]);
    other.exec("COMMIT");
    await clock.advance(16);
    expect(told).toEqual(["event 2", "event 3", "claim"]);
    await Promise.all([...appends, claimed]);
    expect(clock.pendingTimers).toBe(0);
    // From here on methods return values again.
    expect(store.read("r")).toHaveLength(3);
    expect(store.append("r", [stepStart("r", 4)], { sequence: 4 })).toBeUndefined();
  });

  it("fails what waits for longer than busyTimeoutMs, with the order of the rest kept", async () => {
    const { clock, store, other } = setUp();
    store.append("r", [runStart("r")], { sequence: 1 });
    other.exec("BEGIN EXCLUSIVE");
    const ends: string[] = [];
    const note = (name: string, answer: unknown) =>
      Promise.resolve(answer).then(
        () => ends.push(`${name} is done`),
        (failure) => ends.push(`${name} fails, ${failure.details.operation}, ${failure.details.problem}`),
      );
    note("first", store.append("r", [stepStart("r", 2)], { sequence: 2 }));
    await clock.advance(3_000);
    note("second", store.append("r", [stepStart("r", 2)], { sequence: 2 }));
    note("third", store.claim("r", { owner: "ada", ttlMs: 1_000 }));
    await clock.advance(1_991);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual(["first fails, append, busy"]);
    other.exec("COMMIT");
    await clock.advance(16);
    expect(ends.slice(1)).toEqual(["second is done", "third is done"]);
    expect(store.read("r")).toHaveLength(2);
  });

  it("lets a run and its todos wait, and the run completes", async () => {
    const { clock, store, todos, other, agent } = setUp();
    other.exec("BEGIN IMMEDIATE");
    const running = agent.run("add milk to my list");
    await clock.advance(200);
    other.exec("COMMIT");
    const { status, runId } = await clock.runUntil(running);
    expect(status).toBe("completed");
    expect(await todos.find("default", { limit: 9 })).toMatchObject({ count: 1 });
    expect((await store.read(runId)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    other.exec("BEGIN IMMEDIATE");
    const added = todos.apply("default", {
      key: "k",
      operation: "add",
      change: { type: "insert", todo: todoWith({ id: "x" }) },
    });
    expect(added).toBeInstanceOf(Promise);
    other.exec("COMMIT");
    expect(await clock.runUntil(Promise.resolve(added))).toMatchObject({ operation: "add" });
  });

  it("ends a run that it keeps waiting for a minute, with an error that says so", async () => {
    const { clock, other, agent } = setUp();
    other.exec("BEGIN IMMEDIATE");
    const running = agent.execute({ steps }, { runId: "r" });
    const failed = expect(clock.runUntil(running)).resolves.toMatchObject({
      status: "failed",
      error: {
        code: "store-failed",
        message: expect.stringContaining("is locked by another process, perhaps by a database tool"),
        details: { problem: "busy", operation: "claim" },
      },
    });
    await clock.advance(60_000);
    await failed;
    other.exec("COMMIT");
    expect(await agent.execute({ steps }, { runId: "r" })).toMatchObject({ status: "completed" });
  });

  it("settles what waits when the store is closed", async () => {
    const { clock, store, other } = setUp();
    other.exec("BEGIN EXCLUSIVE");
    const waiting = [
      store.append("r", [runStart("r")], { sequence: 1 }),
      store.claim("s", { owner: "ada", ttlMs: 1_000 }),
    ];
    const ended = Promise.allSettled(waiting);
    store.close();
    const reasons = (await ended).map((end) => end.status === "rejected" && end.reason.details.reason);
    expect(reasons).toEqual(["it is closed", "it is closed"]);
    expect(clock.pendingTimers).toBe(0);
    expect(problemOf(() => store.list())).toBeUndefined();
  });

  it("is not waited for with a busyTimeoutMs of 0", () => {
    const path = newPath();
    const store = openStore(path, { driver, busyTimeoutMs: 0 });
    const other = openRaw(path, driver);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    expect(problemOf(() => store.append("r", [runStart("r")], { sequence: 1 }))).toBe("busy");
  });
});
