import { createAgent } from "planwright";
import { describe, expect, it } from "vitest";
import { secretTools } from "../../scenario/secret-tools.ts";

const key = new Uint8Array(32);

describe("secrets and redact", () => {
  it.each([
    ["secrets", []],
    ["secrets.other", { other: 1, keys: [] }],
    ["secrets.keys", {}],
    ["secrets.keys", { keys: [] }],
    ["secrets.keys[0]", { keys: [1] }],
    ["secrets.keys[0].id", { keys: [{ id: "a b", key }] }],
    ["secrets.keys[0].id", { keys: [{ id: 1, key }] }],
    [
      "secrets.keys[1].id",
      {
        keys: [
          { id: "a", key },
          { id: "a", key },
        ],
      },
    ],
    ["secrets.keys[0].key", { keys: [{ id: "a", key: new Uint8Array(16) }] }],
    ["secrets.keys[0].key", { keys: [{ id: "a", key: "c2hvcnQ=" }] }],
    ["secrets.keys[0].key", { keys: [{ id: "a", key: 1 }] }],
  ])("are refused: %s of %j", (option, secrets) => {
    const create = () => createAgent({ tools: secretTools().tools, secrets: secrets as never });
    expect(create).toThrow(
      expect.objectContaining({ code: "invalid-options", details: expect.objectContaining({ option }) }),
    );
  });

  it("never reveal a key that was refused", () => {
    const secrets = { keys: [{ id: "a", key: "not-quite-a-key" }] };
    expect(() => createAgent({ tools: [], secrets })).toThrow(/^((?!not-quite).)*$/);
  });

  it("accept only a function", () => {
    expect(() => createAgent({ tools: [], redact: "x" as never })).toThrow(/"redact" must be a function/);
  });
});
