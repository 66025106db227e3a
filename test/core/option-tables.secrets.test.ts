import * as planwright from "planwright";
import { createPostgresRunStore } from "planwright/postgres";
import { createSqliteRunStore } from "planwright/sqlite";
import { exportRun, verifyRun } from "planwright/view";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const key = "SeCrEtKeY-abcdef0123456789";
const pem = `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`;

/** Values in which keys come, each of a type that many options refuse. */
const values: readonly (readonly [name: string, value: unknown])[] = [
  ["a key", key],
  ["a PEM", pem],
  ["a URL with a password", `postgres://ann:${key}@host:99999/runs`],
  ["a URL", new URL(`https://ann:${key}@host`)],
  ["bytes", new TextEncoder().encode(key)],
  ["an object", { key }],
  ["a list", [key]],
  ["a map", new Map([["key", key]])],
];

const tool = planwright.defineTool({
  name: "T",
  description: "t",
  inputSchema: z.object({}),
  effect: "idempotent",
  execute: () => 1,
});
const store = planwright.createMemoryRunStore();
const agent = planwright.createAgent({ tools: [tool], store });

/** The options that hold keys, addresses or free text, and those beside them that a key may be given to by mistake. */
const calls: Readonly<Record<string, (value: never) => unknown>> = {
  "createAgent(value)": (value) => planwright.createAgent(value),
  "createAgent({ secrets })": (secrets) => planwright.createAgent({ tools: [tool], secrets }),
  "createAgent({ secrets.keys })": (keys) => planwright.createAgent({ tools: [tool], secrets: { keys } }),
  "createAgent({ secrets.keys[0] })": (one) => planwright.createAgent({ tools: [tool], secrets: { keys: [one] } }),
  "createAgent({ secrets.keys[0].key })": (one) =>
    planwright.createAgent({ tools: [tool], secrets: { keys: [{ id: "k", key: one }] } }),
  "createAgent({ secrets.keys[0].id })": (id) =>
    planwright.createAgent({ tools: [tool], secrets: { keys: [{ id, key: new Uint8Array(32) }] } }),
  "createAgent({ store })": (given) => planwright.createAgent({ tools: [tool], store: given }),
  "createAgent({ observers })": (observers) => planwright.createAgent({ tools: [tool], observers }),
  "createAgent({ planner })": (planner) => planwright.createAgent({ tools: [tool], planner }),
  "createAgent({ tools })": (tools) => planwright.createAgent({ tools }),
  "createAgent({ unknown })": (apiKey) => planwright.createAgent({ tools: [tool], apiKey } as never),
  "createOllamaModel(value)": (value) => planwright.createOllamaModel(value),
  "createOllamaModel({ apikey })": (apikey) => planwright.createOllamaModel({ model: "m", apikey } as never),
  "createOllamaModel({ apiKey })": (apiKey) => planwright.createOllamaModel({ model: "m", apiKey }),
  "createOllamaModel({ headers })": (headers) => planwright.createOllamaModel({ model: "m", headers }),
  "createOllamaModel({ headers.x })": (x) => planwright.createOllamaModel({ model: "m", headers: { x } }),
  "createOllamaModel({ host })": (host) => planwright.createOllamaModel({ model: "m", host }),
  "createOllamaModel({ options })": (options) => planwright.createOllamaModel({ model: "m", options }),
  "createOllamaModel({ fetch })": (fetch) => planwright.createOllamaModel({ model: "m", fetch }),
  "createWebSearch({ apiKey })": (apiKey) => planwright.createWebSearch({ apiKey } as never),
  "createPostgresRunStore(value)": (value) => createPostgresRunStore(value),
  "createPostgresRunStore({ connectionString })": (text) =>
    createPostgresRunStore({ connectionString: `mysql://${String(text)}` }),
  "createPostgresRunStore({ url })": (url) => createPostgresRunStore({ url } as never),
  "createPostgresRunStore({ pool })": (pool) => createPostgresRunStore({ pool }),
  "createSqliteRunStore(value)": (value) => createSqliteRunStore(value),
  "createSqliteRunStore({ path })": (path) => createSqliteRunStore({ path: `libsql://host?token=${String(path)}` }),
  "exportRun({ key })": (given) => exportRun({ store, runId: "r", key: given }),
  "exportRun({ store })": (given) => exportRun({ store: given, runId: "r" }),
  "verifyRun({ publicKey })": (publicKey) => verifyRun({} as never, { publicKey }),
  "run(text, { resources })": (context) => agent.run("hi", { context: [context] } as never),
  "run(text, { metadata })": (metadata) => agent.run("hi", { metadata: { f: () => metadata } } as never),
  "run(text, value)": (options) => agent.run("hi", options),
  "approve(runId, value)": (item) => agent.approve("r", item),
  "settle(runId, { failed })": (failed) => agent.settle("r", "s", { failed: [failed] } as never),
  "deliver(runId, name, value, { id })": (id) => agent.deliver("r", "paid", 1, { id: [id] } as never),
};

/** What a call throws or rejects with; undefined if it accepts the value. */
async function errorOf(
  call: (value: never) => unknown,
  value: unknown,
): Promise<Partial<planwright.AgentErrorData> | undefined> {
  try {
    const made = call(value as never);
    // Runs and decisions that are accepted end by themselves.
    await ((made as { readonly result?: unknown } | undefined)?.result ?? made);
    return undefined;
  } catch (thrown) {
    return thrown as planwright.AgentErrorData;
  }
}

describe.each(Object.entries(calls))("the error of %s", (_name, call) => {
  it.each(values)("shows nothing of %s", async (_what, value) => {
    const { message, details, code } = (await errorOf(call, value)) ?? {};
    expect(JSON.stringify([message, details])).not.toContain(key);
    if (code === "invalid-options") expect(message).toMatch(/received |it is missing|Unknown option|Received /);
  });

  it("is thrown for one of the values at least", async () => {
    const errors = await Promise.all(values.map(([, value]) => errorOf(call, value)));
    expect(errors.some((error) => error !== undefined)).toBe(true);
  });
});
