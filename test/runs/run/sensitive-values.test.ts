import fc from "fast-check";
import { createAgent, createMemoryRunStore, defineTool } from "planwright";
import { describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { HiddenTexts } from "../../../src/core/hidden-texts.ts";
import { sealedPartsIn } from "../../../src/runs/run/sensitive-values.ts";

function hiding(...values: readonly unknown[]): HiddenTexts {
  const hidden = new HiddenTexts();
  for (const value of values) hidden.add(value);
  return hidden;
}

describe("HiddenTexts", () => {
  it.each([
    ["abcd", "x abcd y abcd", "x [sensitive] y [sensitive]"],
    ["abcd", "abcdabcd", "[sensitive][sensitive]"],
    ["abc", "x abc y", "x abc y"],
    [1234, "pin 1234", "pin [sensitive]"],
    ["a b&c", "https://x.test/?q=a%20b%26c", "https://x.test/?q=[sensitive]"],
    ['say "x"', '{"a":"say \\"x\\""}', '{"a":"[sensitive]"}'],
    ["half \ud800", "half \ud800!", "[sensitive]!"],
    [{ a: ["deep", { b: "more" }], c: true }, "deep more true", "[sensitive] [sensitive] true"],
  ])("replaces %j", (value, text, shown) => {
    expect(hiding(value).hide(text)).toBe(shown);
  });

  it("replaces the longest of several with the same beginning", () => {
    const hidden = hiding("abcd", "abcdefghijklmnop", "abcdefghijklmnopqr", "abcdef");
    expect(hidden.hide("abcdefghijklmnopqr abcdefghijklmnop abcdefg abcd")).toBe(
      "[sensitive] [sensitive] [sensitive]g [sensitive]",
    );
  });

  it("hides those that overlap as one, and shows no end of the longer one", () => {
    const hidden = hiding("1234", "34567890", "abab");
    expect(hidden.hide("a 1234567890 b, ababab 1234 x")).toBe("a [sensitive] b, [sensitive] [sensitive] x");
  });

  it("leaves values unchanged when there is nothing to hide", () => {
    const value = { a: ["none", 1, null, 7351], b: "x" };
    expect(hiding("abcd").hideIn(value)).toBe(value);
    expect(hiding(7351).hideIn(value)).toEqual({ a: ["none", 1, null, "[sensitive]"], b: "x" });
  });

  it("leaves none of them in any text", () => {
    const secret = fc.string({ minLength: 4, maxLength: 30 }).filter((text) => !"[sensitive]".includes(text));
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), fc.array(fc.string()), (secrets, between) => {
        const text = secrets.map((one, index) => `${between[index] ?? "\u0001"}\u0001${one}\u0001`).join("");
        const parts = hiding(...secrets)
          .hide(text)
          .split("[sensitive]");
        for (const one of secrets) for (const part of parts) expect(part.includes(one)).toBe(false);
      }),
    );
  });
});

it("a sealed value is of its step's tool, whatever a delivered value says", () => {
  const events = [
    { type: "run-start", plan: { steps: [{ id: "s1", tool: "Login" }] } },
    { type: "run-deliver", value: { stepId: "s1", tool: "Other" } },
    { type: "run-settle", stepId: "s1", outcome: { status: "completed", output: { $sealed: "k1.text" } } },
  ];
  expect([...sealedPartsIn(events)]).toEqual([{ tool: "Login", path: ["output"], text: "k1.text" }]);
});

const secret = "correct horse battery staple: the passphrase of the vault";

it.each([4, 8, 15, 16, 30, secret.length - 1])(
  "the first %i characters of a secret are not shown at the end of a message that is cut",
  async (kept) => {
    const store = createMemoryRunStore();
    const tool = defineTool({
      name: "Open",
      description: "",
      inputSchema: z.object({ phrase: z.string().meta({ sensitive: true }) }),
      effect: "idempotent",
      retry: { maxAttempts: 1 },
      execute: ({ phrase }) => {
        const after = "b".repeat(3_000);
        const message = (before: number) => `${"a".repeat(before)}${phrase}${after}`;
        const end = `… (${message(8_000).length} characters)`.length;
        throw new Error(message(8_192 - end - kept));
      },
    });
    const agent = createAgent({ tools: [tool], store });
    const { error } = await agent.execute(
      { steps: [{ id: "s", tool: "Open", input: { phrase: secret } }] },
      { runId: "r" },
    );
    for (const text of [JSON.stringify(error), JSON.stringify(await store.read("r"))]) {
      expect(text).toContain("a[sensitive]…");
      expect(text).not.toContain(`a${secret.slice(0, 4)}`);
    }
  },
);
