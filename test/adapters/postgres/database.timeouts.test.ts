import { createPostgresTodos } from "planwright/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStart, stepStart } from "../../../src/testing/conformance/run-store-conformance.ts";
import { todoWith } from "../../tools/todo-store/todo-storage-contract.ts";
import { openProxy } from "./open-proxy.ts";
import { failureOf, openStore, usePostgres } from "./postgres-server.ts";

const server = usePostgres();

/** A database with one run, and a store that reaches it by a way that can fall silent. */
async function openBehindProxy(options: { readonly timeoutMs: number; readonly retryForMs: number }) {
  const url = await server.newDatabase();
  const direct = openStore(url, { listen: false });
  await direct.append("r", [runStart("r")], { sequence: 1 });
  const proxy = await openProxy(server.port);
  const store = openStore(proxy.through(url), { listen: false, ...options });
  await store.read("r");
  return { url, direct, proxy, store };
}

describe("a network that falls silent", () => {
  it("is waited for, and an append is recorded once when it is back", async () => {
    const { proxy, store, direct } = await openBehindProxy({ timeoutMs: 200, retryForMs: 50_000 });
    proxy.silence();
    const appended = store.append("r", [stepStart("r", 2)], { sequence: 2 });
    await proxy.nextConnection();
    proxy.speak();
    await appended;
    expect(await direct.read("r")).toEqual([runStart("r"), stepStart("r", 2)]);
    expect(await store.read("r")).toHaveLength(2);
  });

  it("does not have an append recorded twice whose answer it swallowed, nor called a conflict", async () => {
    const { proxy, store, direct } = await openBehindProxy({ timeoutMs: 200, retryForMs: 50_000 });
    proxy.loseNext({ text: "step-start", isAnswer: true, isSilent: true });
    await store.append("r", [stepStart("r", 2)], { sequence: 2 });
    expect(await direct.read("r")).toEqual([runStart("r"), stepStart("r", 2)]);
  });

  it("is outlived by an append whose first attempt took longer than it is tried again", async () => {
    const { proxy, store, direct } = await openBehindProxy({ timeoutMs: 3_000, retryForMs: 1_000 });
    proxy.loseNext({ text: "step-start", isAnswer: true, isSilent: true });
    await store.append("r", [stepStart("r", 2)], { sequence: 2 });
    expect(await direct.read("r")).toEqual([runStart("r"), stepStart("r", 2)]);
  });

  it("makes a method reject that is not tried again, with its event recorded once", async () => {
    const { proxy, store, direct } = await openBehindProxy({ timeoutMs: 3_000, retryForMs: 0 });
    proxy.loseNext({ text: "step-start", isAnswer: true, isSilent: true });
    const failure = await failureOf(() => store.append("r", [stepStart("r", 2)], { sequence: 2 }));
    expect(failure).toMatchObject({ retryable: true, details: { problem: "unreachable", operation: "append" } });
    expect(await direct.read("r")).toEqual([runStart("r"), stepStart("r", 2)]);
    // Not on the connection that still owes an answer.
    expect(await store.read("r")).toHaveLength(2);
  });

  it.each([
    ["statement", "INSERT INTO"],
    ["answer", "INSERT INTO"],
    ["answer", "COMMIT"],
  ])("makes no change twice, and leaves no lock, if it swallows the %s of %s", async (lost, text) => {
    const { url, proxy } = await openBehindProxy({ timeoutMs: 200, retryForMs: 50_000 });
    const todos = createPostgresTodos({ connectionString: proxy.through(url), timeoutMs: 200, retryForMs: 50_000 });
    onTestFinished(() => todos.close());
    await todos.find("a", { limit: 1 });
    proxy.loseNext({ text, isAnswer: lost === "answer", isSilent: true });
    const insertion = { type: "insert", todo: todoWith({ id: "1" }) } as const;
    await todos.apply("a", { key: "1", operation: "add", change: insertion });
    expect((await todos.find("a", { limit: 9 })).count).toBe(1);
  });

  it("is noticed by whoever begins to listen, who hears what happens by another connection", async () => {
    const url = await server.newDatabase();
    const proxy = await openProxy(server.port);
    const store = openStore(proxy.through(url), { timeoutMs: 200, retryForMs: 50_000 });
    const calls = { events: 0, posted: 0 };
    const stopEvents = store.watch("r", () => calls.events++);
    // It calls when it is connected, and then for each event.
    await expect.poll(() => calls.events).toBeGreaterThan(0);
    proxy.loseNext({ text: "LISTEN planwright_posted", isSilent: true });
    const stopPosted = store.watchPosted(() => calls.posted++);
    await expect.poll(() => calls.posted).toBeGreaterThan(0);
    const before = calls.events;
    await openStore(url, { listen: false }).append("r", [runStart("r")], { sequence: 1 });
    await expect.poll(() => calls.events).toBeGreaterThan(before);
    stopEvents();
    stopPosted();
  });
});
