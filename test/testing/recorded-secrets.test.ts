import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SensitiveView } from "../../src/core/sensitive-paths.ts";
import { hideSecrets } from "../../src/testing/recorded-secrets.ts";
import type { RecordedAnswer, RecordedToolCall } from "../../src/testing/tool-recording.ts";

type AnyCall = RecordedToolCall | RecordedAnswer;

const view = new SensitiveView({ type: "object", properties: { key: { sensitive: true }, text: {} } });

function call(input: RecordedToolCall["input"], output: RecordedToolCall["input"] = null): RecordedToolCall {
  return { tool: "A", input, undone: undefined, outcome: { type: "output", output } };
}

const show = (calls: readonly AnyCall[]) => hideSecrets(calls, () => ({ input: view, output: view }));

describe("hideSecrets", () => {
  it.each<[string, RecordedToolCall["input"], RecordedToolCall["input"]]>([
    ["in JSON", 'a"b\\c', { text: JSON.stringify({ inner: 'a"b\\c' }) }],
    ["in a URL", "a b/c", { text: "?q=a%20b%2Fc" }],
    ["as a key", "a-key", { "a-key": 1 }],
    ["as a number", 12_345, { n: 12_345 }],
    ["that contains a known one", "xxknownxx", { text: "xxknownxx" }],
    ["with half a surrogate pair", "abc\ud83d", { text: "abc😀" }],
  ])("finds a later secret in earlier calls %s", (_, secret, input) => {
    const calls = [call({ key: "known" }), call(input), call({ key: secret })];
    const shown = show(calls);
    expect(shown[1]).not.toEqual(calls[1]);
    expect(JSON.stringify(shown[1])).toContain("[secret 2]");
  });

  it("numbers secrets in the order of the calls, the same for equal ones", () => {
    const calls = ["one-1", "two-2", "one-1", "three"].map((key) => call({ key }, { text: `is ${key}` }));
    expect(show(calls)).toEqual(
      [1, 2, 1, 3].map((number) => call({ key: `[secret ${number}]` }, { text: `is [secret ${number}]` })),
    );
    expect(show([call({ text: "one-1" })])).toEqual([call({ text: "one-1" })]);
  });

  it("leaves no secret in any text of any call", () => {
    const text = fc.constantFrom("alpha", "beta-1", "xalphax", "gamma", "alpha gamma", "other");
    const anyCall: fc.Arbitrary<AnyCall> = fc.oneof(
      fc.tuple(text, text, text).map(([key, one, other]) => call({ key, text: one }, { text: other })),
      text.map((one) => call({ text: one })),
      fc.tuple(text, text).map(([key, one]): AnyCall => ({ tool: "A", input: { key, text: one }, effect: "pure" })),
    );
    fc.assert(
      fc.property(fc.array(anyCall, { minLength: 1, maxLength: 6 }), (calls) => {
        const shown = JSON.stringify(show(calls));
        for (const one of calls) {
          const key = "outcome" in one ? (one.input as { key?: string }).key : undefined;
          if (key !== undefined) expect(shown).not.toContain(key);
        }
      }),
      { numRuns: 300 },
    );
  });
});
