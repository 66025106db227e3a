import { createAgent, defineTool, isAgentError, type StandardSchema } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";

const describesObject = () => ({ type: "object" });
const schemaOf = (validate: () => unknown, tell: () => unknown = describesObject) =>
  ({
    "~standard": { version: 1, vendor: "mine", validate, jsonSchema: { input: tell, output: describesObject } },
  }) as unknown as StandardSchema<unknown, unknown>;

const bomb = {
  toString() {
    throw new Error("bomb");
  },
};

/** Runs a step with a schema; returns how often its tool was called, and the code of what went wrong. */
async function runWith(makeSchema: () => StandardSchema<unknown, unknown>) {
  let calls = 0;
  const code = await Promise.resolve()
    .then(() => {
      const tool = defineTool({
        name: "T",
        description: "t",
        inputSchema: makeSchema(),
        effect: "idempotent",
        retry: { maxAttempts: 1 },
        execute: () => ++calls,
      });
      return createAgent({ tools: [tool] }).execute({ steps: [{ id: "a", tool: "T", input: { all: true } }] });
    })
    .then(
      ({ error }) => error?.code,
      (thrown) => (isAgentError(thrown) ? thrown.code : `untyped: ${thrown}`),
    );
  return { calls, code };
}

describe("a schema of another library", () => {
  const wrong: readonly unknown[] = [
    ...[undefined, null, false, true, 0, 1, "", "invalid", [], {}, () => ({ value: 1 }), Symbol("ok")],
    ...[{ issues: undefined }, { issues: null }, { issues: "no" }, { issues: [null] }, { issues: [{ message: bomb }] }],
    ...[{ issues: [{ message: "no", path: [null] }] }, { issues: [{ message: "no", path: [{ key: bomb }] }] }],
  ];
  it.each(wrong.map((answer, at) => [at, answer] as const))(
    "that answers wrongly is refused (%i)",
    async (_, answer) => {
      for (const validate of [() => answer, async () => answer])
        expect(await runWith(() => schemaOf(validate))).toEqual({ calls: 0, code: "invalid-plan" });
    },
  );

  it("may answer undefined as a value", async () => {
    expect(await runWith(() => schemaOf(() => ({ value: undefined })))).toEqual({ calls: 1, code: undefined });
  });

  it("is refused where its JSON Schema is none", async () => {
    const cyclic = { type: "object", properties: {} };
    cyclic.properties = { a: cyclic };
    const ring: unknown[] = [];
    ring.push(ring);
    const told = [cyclic, { type: "object", examples: ring }, { type: "object", maximum: 1n }, "object", 7, [], false];
    for (const json of [...told, { type: "object", toJSON: bomb.toString }]) {
      const schema = schemaOf(
        () => ({ value: {} }),
        () => json,
      );
      const { calls, code } = await runWith(() => schema);
      expect([calls, code]).toEqual([0, "invalid-options"]);
    }
    expect(await runWith(() => z.object({}).meta({ examples: ring }))).toEqual({ calls: 0, code: "invalid-options" });
  });
});

it("a value that cannot be read at all is refused with a code", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const agent = createAgent({ tools: [], events: { e: z.any() } });
  await agent.execute({ steps: [{ id: "w", wait: { event: "e" } }] }, { runId: "r" });
  const { result } = agent.deliver("r", "e", proxy, { id: "1" });
  await expect(result).rejects.toMatchObject({ code: "invalid-options" });
});
