import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hashInput } from "../../src/core/approval.ts";
import type { JsonObject } from "../../src/core/json.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("the hash of an input", () => {
  it("is the SHA-256 of its canonical JSON: keys in order, nothing between", async () => {
    const json = '{"a":[1,{"x":null,"y":"é\\n"}],"b":1e+21}';
    expect(await hashInput({ b: 1e21, a: [1, { y: "é\n", x: null }] })).toBe(sha256(json));
    expect(await hashInput({})).toBe(sha256("{}"));
  });

  it("does not depend on the order of keys, but on that of lists", async () => {
    expect(await hashInput({ a: 1, b: 2 })).toBe(await hashInput({ b: 2, a: 1 }));
    expect(await hashInput({ a: [1, 2] })).not.toBe(await hashInput({ a: [2, 1] }));
  });

  it("is another one for another type, key or value", async () => {
    const inputs: JsonObject[] = [
      { a: 1 },
      { a: "1" },
      { a: true },
      { a: null },
      { a: [1] },
      { a: { a: 1 } },
      { b: 1 },
      {},
    ];
    const hashes = await Promise.all(inputs.map((input) => hashInput(input)));
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });
});
