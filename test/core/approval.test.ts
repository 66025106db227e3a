import { createHash } from "node:crypto";
import type { JsonObject } from "planwright";
import { describe, expect, it } from "vitest";
import { type ApprovedCall, hashCall } from "../../src/core/approval.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const call: ApprovedCall = { runId: "r1", stepId: "s1", tool: "A", effect: "once", input: {} };
const hashInput = (input: JsonObject) => hashCall({ ...call, input });

describe("the hash of a call", () => {
  it("is the SHA-256 of its canonical JSON, with sorted keys and no spaces", async () => {
    const json = '{"a":[1,{"x":null,"y":"é\\n"}],"b":1e+21}';
    const input = { b: 1e21, a: [1, { y: "é\n", x: null }] };
    expect(await hashInput(input)).toBe(
      sha256(`{"effect":"once","input":${json},"runId":"r1","stepId":"s1","tool":"A"}`),
    );
    expect(await hashCall({ ...call, iteration: 0 })).toBe(
      sha256('{"effect":"once","input":{},"iteration":0,"runId":"r1","stepId":"s1","tool":"A"}'),
    );
  });

  it("ignores the order of keys, but not that of lists", async () => {
    expect(await hashInput({ a: 1, b: 2 })).toBe(await hashInput({ b: 2, a: 1 }));
    expect(await hashInput({ a: [1, 2] })).not.toBe(await hashInput({ a: [2, 1] }));
  });

  it("changes with the run, the step, the iteration, the tool, the effect, and each type, key or value of the input", async () => {
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
    const others: Partial<ApprovedCall>[] = [
      { runId: "r2" },
      { stepId: "s2" },
      { iteration: 0 },
      { iteration: 1 },
      { tool: "B" },
      { effect: "idempotent" },
      { effect: "pure" },
    ];
    const calls = [...inputs.map((input) => ({ input })), ...others];
    const hashes = await Promise.all(calls.map((other) => hashCall({ ...call, ...other })));
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });
});
