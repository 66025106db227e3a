import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ApprovalItem, createAgent } from "planwright";
import { createSqliteRunStore } from "planwright/sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hiddenText } from "../../src/core/json.ts";
import type { SecretKey } from "../../src/runs/run/engine-settings.ts";
import { newPath } from "../adapters/sqlite/sqlite-files.ts";
import { expectHidden, keyOf, password, secretPlan, secretTools, token } from "../scenario/secret-tools.ts";
import { buildChild } from "./start-child.ts";

let bundle: ReturnType<typeof buildChild>;

beforeAll(() => {
  bundle = buildChild("test/kills/secrets-child.ts");
});
afterAll(() => bundle.remove());

/** How often a secret appears in the bytes of the store: its file, and the database's files beside it. */
function countSecrets(path: string): number {
  const files = readdirSync(dirname(path)).map((name) => readFileSync(join(dirname(path), name), "latin1"));
  expect(files.join("")).toContain("run-start");
  const forms = [password, token].flatMap((secret) => [secret, btoa(secret), encodeURIComponent(secret)]);
  return files.reduce((count, text) => count + forms.filter((form) => text.includes(form)).length, 0);
}

/** An agent of the next process, when the lease of the previous one has expired. */
function nextProcess(path: string, keys: readonly SecretKey[]) {
  const { tools, calls } = secretTools();
  const store = createSqliteRunStore({ path, now: () => Date.now() + 3_600_000 });
  return { agent: createAgent({ tools, store, secrets: { keys } }), calls, store };
}

it("errors, URLs, approvals, retries and undo calls leave no secret in the file", async () => {
  const path = newPath();
  const url = `https://ann:${password}@x.test/?password=${encodeURIComponent(password)}&q=1#token=${token}`;
  const { tools, calls } = secretTools({
    needsApproval: true,
    use: ({ header }, { progress }) => {
      progress({ header, url });
      throw new Error(`${url} said no to ${header}`, { cause: new Error(token) });
    },
  });
  const store = createSqliteRunStore({ path });
  const emitted: unknown[] = [];
  const retry = { maxAttempts: 2, minDelayMs: 0 };
  const agent = createAgent({ tools, store, retry, secrets: { keys: [keyOf("k1")] } });
  agent.subscribe((event) => emitted.push(event));
  const suspended = await agent.execute(secretPlan, { runId: "r1", undoOnFailure: true });
  const item = suspended.pending?.[0] as ApprovalItem;
  const result = await agent.approve("r1", item).result;
  expect(result).toMatchObject({ status: "failed", error: { code: "tool-failed" } });
  expect(calls.undone).toEqual([{ input: secretPlan.steps[0]?.input, output: { user: "ann", token } }]);
  store.close();
  expect(countSecrets(path)).toBe(0);
  for (const shown of [emitted, suspended, result]) expectHidden(shown);
});

// The recorded events of the plan: its start, start and end of both steps, its end.
const events = 6;

it.each(Array.from({ length: events }, (_, index) => index + 1))(
  "a process killed after event %i leaves no secret in its file, and the next one resumes with another key",
  async (killAfter) => {
    const path = newPath();
    const child = spawnSync(process.execPath, [bundle.script, path, String(killAfter)]);
    expect([child.signal, String(child.stderr)]).toEqual(["SIGKILL", ""]);
    expect(countSecrets(path)).toBe(0);

    const without = nextProcess(path, [keyOf("k2", 9)]);
    const before = (await without.store.read("r1")).length;
    expect(before).toBe(killAfter);
    // Once its steps have ended, nothing is left that needs a key.
    if (killAfter < events - 1) {
      await expect(without.agent.resume("r1")).rejects.toMatchObject({
        code: "secret-unreadable",
        details: { keyId: "k1", available: ["k2"] },
      });
      const recorded = await without.store.read("r1");
      expect(recorded.at(-1)).toMatchObject({ type: "run-suspend", pending: [{ kind: "mismatch" }] });
      // Another key of the same name cannot open it either.
      const wrong = nextProcess(path, [keyOf("k1", 9)]);
      await expect(wrong.agent.resume("r1")).rejects.toMatchObject({ code: "secret-unreadable" });
      expect(wrong.store.read("r1")).toEqual(recorded);
      wrong.store.close();
    }
    expect(JSON.stringify(await without.agent.getRun("r1"))).toContain(hiddenText);
    without.store.close();

    const { agent, calls, store } = nextProcess(path, [keyOf("k2", 9), keyOf("k1")]);
    const result = await agent.resume("r1");
    expect(result.status).toBe("completed");
    for (const login of calls.logins) expect(login).toEqual(secretPlan.steps[0]?.input);
    for (const used of calls.fetches) expect(used).toMatchObject({ header: `Bearer ${token}` });
    expect((await store.read("r1")).length).toBeGreaterThanOrEqual(events);
    store.close();
    expect(countSecrets(path)).toBe(0);
  },
);
