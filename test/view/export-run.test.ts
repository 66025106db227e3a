import { generateKeyPairSync } from "node:crypto";
import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  createMemoryRunStore,
  defineTool,
  type JsonValue,
} from "planwright";
import { createManualClock } from "planwright/testing";
import { type ExportedRun, exportRun, verifyRun } from "planwright/view";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const mail = defineTool({
  name: "Mail",
  description: "Sends a mail",
  inputSchema: z.object({ to: z.string(), body: z.string().optional() }),
  effect: "idempotent",
  needsApproval: ({ to }) => to === "Ada",
  execute: ({ to }) => ({ sentTo: to }),
});

/** A run in which somebody approves a step, and its store. */
async function approvedRun(options: Partial<AgentOptions> = {}) {
  const store = createMemoryRunStore();
  const agent = createAgent({ tools: [mail], clock: createManualClock(), evidence: true, store, ...options });
  const steps = ["Bob", "Ada"].map((to, index) => ({ id: `s${index + 1}`, tool: "Mail" as const, input: { to } }));
  const { runId, pending } = await agent.execute({ steps }, { runId: "r1" });
  const [question] = pending ?? [];
  if (question?.kind !== "approval") throw new Error("It asks for no approval.");
  const { status } = await agent.approve(runId, question, { by: "Eve", comment: "yes" }).result;
  expect(status).toBe("completed");
  return { store, runId };
}

const newKey = () => crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]) as Promise<Keys>;
type Keys = Extract<NonNullable<Parameters<typeof exportRun>[0]["key"]>, { readonly privateKey: unknown }>;
/** As written to a file and read again. */
const reread = (run: ExportedRun): ExportedRun => JSON.parse(JSON.stringify(run));
type Json = Record<string, JsonValue>;

/** A copy of a document for each part of it, with that part changed, removed or added to. */
function* changes(value: JsonValue, path: string): Generator<readonly [string, JsonValue]> {
  if (value === null || typeof value !== "object") {
    yield [`${path} changed`, typeof value === "string" ? `${value}x` : typeof value === "number" ? value + 1 : !value];
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const place = (changed: JsonValue) =>
      Array.isArray(value) ? value.map((one, i) => (String(i) === key ? changed : one)) : { ...value, [key]: changed };
    for (const [name, changed] of changes(item as JsonValue, `${path}.${key}`)) yield [name, place(changed)];
    const rest = Array.isArray(value)
      ? value.filter((_, i) => String(i) !== key)
      : Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    yield [`${path}.${key} removed`, rest as JsonValue];
  }
  for (const key of ["more", "digest"]) if (!(key in value)) yield* additions(value, { path, key });
}

function* additions(
  value: object,
  { path, key }: { path: string; key: string },
): Generator<readonly [string, JsonValue]> {
  for (const more of [1, null]) {
    const changed = Array.isArray(value) ? [...value, more] : { ...value, [key]: more };
    yield [`${path} with ${key} ${more}`, changed as JsonValue];
  }
}

const hexOf = (key = "") => key.charCodeAt(0).toString(16).padStart(4, "0");

describe("an export", () => {
  it("has the plan with its hash, who approved what, and every event", async () => {
    const { store, runId } = await approvedRun();
    const run = await exportRun({ store, runId });
    expect(run).toMatchObject({
      format: "planwright-run",
      version: 1,
      runId,
      status: "completed",
      plan: { steps: [{ id: "s1" }, { id: "s2" }] },
      planHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      approvals: [{ kind: "step", stepId: "s2", status: "approved", by: "Eve", comment: "yes" }],
      recordedTo: (await store.read(runId)).length,
    });
    expect(run.events).toEqual(await store.read(runId));
    expect(await verifyRun(reread(run))).toEqual({ status: "unsigned", recordedTo: run.events.length });
  });

  it("is signed by the key that is given", async () => {
    const { store, runId } = await approvedRun();
    const [key, other] = await Promise.all([newKey(), newKey()]);
    const run = reread(await exportRun({ store, runId, key }));
    const publicKey = run.signature?.publicKey ?? "";
    expect(await verifyRun(run)).toEqual({ status: "signed", publicKey, recordedTo: run.events.length });
    expect(await verifyRun(run, { publicKey })).toMatchObject({ status: "signed" });
    const others = reread(await exportRun({ store, runId, key: other }));
    const othersKey = others.signature?.publicKey;
    const reason = `The document is signed by another key, ${othersKey}.`;
    expect(await verifyRun(others, { publicKey })).toEqual({ status: "untrusted", reason });
    const { signature: _signature, ...unsigned } = run;
    expect(await verifyRun(unsigned, { publicKey })).toEqual({
      status: "untrusted",
      reason: "The document is unsigned.",
    });
    const taken = { ...run, signature: { ...run.signature, publicKey: othersKey } };
    expect(await verifyRun(taken)).toEqual({ status: "changed", reason: "The signature does not match." });
  });

  it.each([true, false])("is seen to be changed, whatever part of it is changed; signed: %s", async (isSigned) => {
    const { store, runId } = await approvedRun();
    const run = reread(await exportRun({ store, runId, key: isSigned ? await newKey() : undefined }));
    const kept: string[] = [];
    let count = 0;
    for (const [name, changed] of changes(run as unknown as JsonValue, "")) {
      count += 1;
      const status = await verifyRun(changed).then(
        (verdict) => verdict.status,
        (error) => error.code,
      );
      if (status !== "changed" && status !== "invalid-options") kept.push(name);
    }
    expect(count).toBeGreaterThan(300);
    // What an unsigned export that says less would look like, too.
    expect(kept).toEqual(isSigned ? [".signature removed"] : []);
  });

  it("is seen to have a key twice, wherever it stands, and not where texts only look like keys", async () => {
    const { store, runId } = await approvedRun();
    const run = await exportRun({ store, runId });
    for (const space of [undefined, 2]) {
      const text = JSON.stringify(run, undefined, space);
      expect(await verifyRun(text)).toMatchObject({ status: "unsigned" });
      // The end of each key, which is there again, before it, with another value and with its own.
      const keys = [...text.matchAll(/(?<=[{,]\s*)"((?:[^"\\]|\\.)*)"(?=:)/g)];
      expect(keys.length).toBeGreaterThan(100);
      for (const { index, 0: quoted, 1: key } of keys)
        for (const first of [`${quoted}: "a \\" {", `, `"\\u${hexOf(key)}${key?.slice(1)}":null,`]) {
          const verdict = await verifyRun(text.slice(0, index) + first + text.slice(index));
          expect(verdict).toEqual({ status: "changed", reason: `The key "${key}" occurs twice in one object.` });
        }
    }
    const agent = createAgent({ tools: [mail], store, evidence: true });
    const looks = ['"a": {', '{"a":1,"a":2}', 'a\\"', ":", "}}{{", '"to":"Ada"'];
    const steps = looks.map((body, index) => ({ id: `s${index}`, tool: "Mail" as const, input: { to: "Bob", body } }));
    await agent.execute(
      { steps },
      { runId: "looks", metadata: { [looks[0] as string]: looks, a: { a: [{ a: 1 }, { a: 2 }] } } },
    );
    const text = JSON.stringify(await exportRun({ store, runId: "looks" }));
    expect(await verifyRun(text)).toMatchObject({ status: "unsigned" });
    // A text of megabytes is read, too.
    const long = text.replace('"tool":', `"more":"${"x\\n".repeat(4_000_000)}","tool":`);
    expect(await verifyRun(long)).toMatchObject({ status: "changed" });
  });

  it("says where it was changed", async () => {
    const { store, runId } = await approvedRun();
    const run = reread(await exportRun({ store, runId }));
    const at = (sequence: number, change: Json) => ({
      ...run,
      events: run.events.map((event) => (event.sequence === sequence ? { ...event, ...change } : event)),
    });
    const reasonOf = async (document: unknown) => {
      const verdict = await verifyRun(document);
      return verdict.status === "changed" ? verdict.reason : verdict.status;
    };
    const digests = run.events.filter((event) => "digest" in event).map(({ sequence }) => sequence);
    const [suspended = 0, resumed] = digests;
    expect(await reasonOf(at(3, { timestamp: "2020-01-01T00:00:00.000Z" }))).toBe(
      `One of the events 1 to ${suspended} does not match the digest of event ${suspended}.`,
    );
    expect(await reasonOf(at(resumed ?? 0, { retriesFailed: true }))).toBe(
      `Event ${resumed} does not match its digest.`,
    );
    expect(await reasonOf({ ...run, status: "failed" })).toBe('The field "status" does not match the events.');
    expect(await reasonOf({ ...run, note: "x" })).toBe('The field "note" does not match the events.');
    expect(await reasonOf({ ...run, events: run.events.slice(1) })).toBe("Event 1 is missing or was replaced.");
    const noRun = { ...run, events: [{ type: "step-end", runId, sequence: 1 }] };
    expect(await reasonOf(noRun)).toMatch(/^(The events do not form a run|The field ".*" does not match the events)/);
  });

  it("of a run without evidence says that no digest was recorded", async () => {
    const { store, runId } = await approvedRun({ evidence: false });
    expect(await verifyRun(reread(await exportRun({ store, runId })))).toEqual({ status: "unsigned", recordedTo: 0 });
  });

  it("covers what follows the last recorded digest", async () => {
    const { store, runId } = await approvedRun();
    const events = await store.read(runId);
    const cut: AgentEvent[] = events.slice(0, -1) as AgentEvent[];
    const run = reread(await exportRun({ store: { read: () => cut }, runId, key: await newKey() }));
    expect(run.recordedTo).toBeLessThan(cut.length);
    expect(await verifyRun(run)).toMatchObject({ status: "signed", recordedTo: run.recordedTo });
    const last = run.events.at(-1) as unknown as Json;
    const changed = { ...run, events: [...run.events.slice(0, -1), { ...last, more: 1 }] };
    expect(await verifyRun(changed)).toEqual({
      status: "changed",
      reason: 'The field "digest" does not match the events.',
    });
  });

  it("contains sealed values as they are stored", async () => {
    const secret = defineTool({
      name: "Secret",
      description: "Keeps a secret",
      inputSchema: z.object({ value: z.string().meta({ sensitive: true }) }),
      effect: "idempotent",
      execute: ({ value }) => value.length,
    });
    const store = createMemoryRunStore();
    const agent = createAgent({ tools: [secret], store, evidence: true });
    const { runId } = await agent.execute({
      steps: [{ id: "s1", tool: "Secret", input: { value: "hunter2 planted" } }],
    });
    const run = await exportRun({ store, runId });
    expect(run.planHash).toBeUndefined();
    expect(JSON.stringify(run)).not.toContain("hunter2");
    expect(JSON.stringify(run)).toContain("$sealed");
    expect(await verifyRun(reread(run))).toMatchObject({ status: "unsigned" });
  });
});

it("is signed by keys as PEM and of Node as by those of WebCrypto", async () => {
  const { store, runId } = await approvedRun();
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = String(privateKey.export({ format: "pem", type: "pkcs8" }));
  const publicPem = String(publicKey.export({ format: "pem", type: "spki" }));
  const made: ExportedRun[] = [];
  for (const key of [privateKey, pem, `A comment\n${pem.replaceAll("\n", "\r\n")}`])
    made.push(await exportRun({ store, runId, key }));
  expect(new Set(made.map((run) => JSON.stringify(run))).size).toBe(1);
  const text = JSON.stringify(made[0]);
  const bytes = made[0]?.signature?.publicKey ?? "";
  for (const each of [publicKey, publicPem, privateKey, pem, bytes])
    expect(await verifyRun(text, { publicKey: each })).toMatchObject({ status: "signed", publicKey: bytes });
  const other = generateKeyPairSync("ed25519").publicKey;
  expect(await verifyRun(text, { publicKey: other })).toMatchObject({ status: "untrusted" });
});

describe("bad input", () => {
  it("is an option that is not known, or a key that is none", async () => {
    const { store, runId } = await approvedRun();
    const run = await exportRun({ store, runId });
    const given = [{ publickey: "x" }, { publicKey: 5 }, { publicKey: "abc" }] as unknown as [];
    for (const options of given) {
      await expect(verifyRun(run, options)).rejects.toMatchObject({ code: "invalid-options" });
    }
    for (const options of [
      { store: {}, runId },
      { store, runId: undefined },
      { store, runId, key: null },
    ]) {
      const exporting = exportRun(options as unknown as Parameters<typeof exportRun>[0]);
      await expect(exporting).rejects.toMatchObject({ code: "invalid-options" });
    }
  });

  it("is nested without end, or was recorded by a later version", async () => {
    const { store, runId } = await approvedRun({ evidence: false });
    const run = reread(await exportRun({ store, runId }));
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const [first, ...others] = run.events;
    const with1 = (change: object) => ({ ...run, events: [{ ...first, ...change }, ...others] });
    const reason = "The events do not form a run.";
    expect(await verifyRun(with1({ metadata: deep }))).toEqual({ status: "changed", reason });
    await expect(verifyRun(with1({ version: 99 }))).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("is another key as PEM or as a KeyObject, which no error shows", async () => {
    const { store, runId } = await approvedRun();
    const pem = { format: "pem", type: "pkcs8" } as const;
    const own = generateKeyPairSync("ed25519");
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
    const sealed = own.privateKey.export({ ...pem, cipher: "aes-256-cbc", passphrase: "p" });
    const cut = String(own.privateKey.export(pem)).slice(0, 60);
    const body = String(own.privateKey.export(pem)).split("\n")[1] ?? "";
    for (const key of [own.publicKey, rsa, String(rsa.export(pem)), String(sealed), cut, body, "", "none"]) {
      const thrown = await exportRun({ store, runId, key }).catch((error: unknown) => error);
      expect(thrown).toMatchObject({ code: "invalid-options", details: { option: "options.key" } });
      expect(JSON.stringify(thrown)).not.toContain(body);
      expect(String(thrown)).toContain("an unencrypted Ed25519 private key in PEM format or as a KeyObject");
    }
    const text = JSON.stringify(await exportRun({ store, runId, key: own.privateKey }));
    for (const publicKey of [rsa, cut, "", "none", 7]) {
      await expect(verifyRun(text, { publicKey } as object)).rejects.toMatchObject({
        details: { option: "options.publicKey" },
      });
    }
  });

  it("is a run that is not there, or keys that cannot sign", async () => {
    const { store, runId } = await approvedRun();
    await expect(exportRun({ store, runId: "r2" })).rejects.toMatchObject({ code: "run-not-found" });
    const { privateKey, publicKey } = await newKey();
    const rsa = { privateKey: publicKey, publicKey };
    const given = [rsa, { privateKey, publicKey: privateKey }, { privateKey }, 1] as unknown as Keys[];
    for (const key of given) {
      await expect(exportRun({ store, runId, key })).rejects.toMatchObject({ code: "invalid-options" });
    }
  });

  it.each([[null], [1], ["{}"], [{}], [[]], [{ format: "planwright-run" }]])(
    "is %j, which is no export",
    async (document) => {
      await expect(verifyRun(document)).rejects.toMatchObject({ code: "invalid-options" });
    },
  );

  it("is an export of a later version, or a signature that cannot be read", async () => {
    const { store, runId } = await approvedRun();
    const run = reread(await exportRun({ store, runId, key: await newKey() }));
    await expect(verifyRun({ ...run, version: 2 })).rejects.toMatchObject({ code: "invalid-options" });
    for (const change of [{ value: "%" }, { value: 7 }, { publicKey: "" }, { algorithm: "RSA" }, { value: "=" }]) {
      const changed = { ...run, signature: { ...run.signature, ...change } };
      expect(await verifyRun(changed)).toEqual({ status: "changed", reason: "The signature does not match." });
    }
    expect(await verifyRun({ ...run, signature: null })).toMatchObject({ status: "changed" });
  });
});
