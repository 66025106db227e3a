import { describe, expect, it } from "vitest";
import { RunKeys } from "../../../src/runs/run/run-keys.ts";
import { keyOf } from "../../scenario/secret-tools.ts";

const keys = (runId = "r1", list = [keyOf("k1")]) => new RunKeys(runId, list);

describe("RunKeys", () => {
  it.each([["text"], [""], [7], [null], [{ a: ["deep", true] }], ["\u{1F600}".repeat(20_000)]])(
    "opens what it has sealed: %j",
    async (value) => {
      const text = await keys().seal(value, "place");
      expect(text).toMatch(/^1\.k1\.[A-Za-z\d+/]+=*$/);
      expect(await keys().open(text, "place")).toEqual(value);
    },
  );

  it("seals with the first key, in any format, and opens with all", async () => {
    const old = await keys().seal("x", "place");
    const inBase64 = { id: "k1", key: btoa(String.fromCharCode(...keyOf("k1").key)) };
    const both = new RunKeys("r1", [keyOf("k2", 9), inBase64]);
    expect(await both.open(old, "place")).toBe("x");
    expect(await both.seal("x", "place")).toMatch(/^1\.k2\./);
    expect(await both.isHash(await keys().hash("plan"), "plan")).toBe(true);
    expect(await both.isHash(await keys("r2").hash("plan"), "plan")).toBe(false);
    expect(await keys().hash("plan")).toMatch(/^[\da-f]{64}$/);
  });

  it("throws when there is no key to seal or hash with", async () => {
    const refusal = {
      code: "secret-unreadable",
      message: expect.stringContaining("no key"),
      details: { available: [] },
    };
    await expect(keys("r1", []).seal("x", "place")).rejects.toMatchObject(refusal);
    await expect(keys("r1", []).hash("x")).rejects.toMatchObject(refusal);
  });

  it("never seals the same value to the same text", async () => {
    const one = keys();
    expect(await one.seal("x", "place")).not.toBe(await one.seal("x", "place"));
  });

  it("cannot open text that was changed, moved to another place or run, or sealed with another key", async () => {
    const text = await keys().seal("x", "place");
    const changed = text.replace(/.(?=.{4}$)/, (character) => (character === "A" ? "B" : "A"));
    for (const open of [
      () => keys().open(changed, "place"),
      () => keys().open(text, "elsewhere"),
      () => keys("r2").open(text, "place"),
      () => keys("r1", [keyOf("k1", 9)]).open(text, "place"),
      () => keys().open("1.k1.?", "place"),
    ]) {
      await expect(open()).rejects.toMatchObject({ code: "secret-unreadable", details: { keyId: "k1" } });
    }
    for (const other of ["2.k1.AAAA", "1", "1.k3.AAAA", "held.0"]) {
      await expect(keys().open(other, "place")).rejects.toMatchObject({
        code: "secret-unreadable",
        details: { runId: "r1", available: ["k1"] },
      });
    }
  });
});
