import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SensitiveView } from "../../src/core/sensitive-paths.ts";
import { HiddenCalls } from "../../src/testing/recorded-secrets.ts";
import type { RecordedAnswer, RecordedToolCall } from "../../src/testing/tool-recording.ts";

type AnyCall = RecordedToolCall | RecordedAnswer;

const view = new SensitiveView({ type: "object", properties: { key: { sensitive: true }, text: {} } });
const create = () => new HiddenCalls(() => ({ input: view, output: view }));

function call(input: RecordedToolCall["input"], output: RecordedToolCall["input"] = null): RecordedToolCall {
  return { tool: "A", input, undone: undefined, outcome: { type: "output", output } };
}

/** What is shown of these calls, set in this order of their places. */
function show(calls: readonly AnyCall[], order: readonly number[] = calls.map((_, place) => place)) {
  const hidden = create();
  const shown: (AnyCall | undefined)[] = calls.map(() => undefined);
  for (const place of order) {
    for (const [changed, now] of hidden.set(place, calls[place] as AnyCall)) shown[changed] = now;
  }
  return { hidden, shown };
}

describe("HiddenCalls", () => {
  it("changes only calls that contain a secret that is found later", () => {
    const hidden = create();
    hidden.set(0, call({ text: "has secret-b" }));
    hidden.set(1, call({ text: "other" }));
    expect([...hidden.set(2, call({ key: "secret-a" }))]).toEqual([[2, call({ key: "[secret 1]" })]]);
    expect([...hidden.set(3, call({ key: "secret-b" }))]).toEqual([
      [0, call({ text: "has [secret 2]" })],
      [3, call({ key: "[secret 2]" })],
    ]);
  });

  it.each<[string, RecordedToolCall["input"], RecordedToolCall["input"]]>([
    ["in JSON", 'a"b\\c', { text: JSON.stringify({ inner: 'a"b\\c' }) }],
    ["in a URL", "a b/c", { text: "?q=a%20b%2Fc" }],
    ["as a key", "a-key", { "a-key": 1 }],
    ["as a number", 12_345, { n: 12_345 }],
    ["that contains a known one", "xxknownxx", { text: "xxknownxx" }],
    ["with half a surrogate pair", "abc\ud83d", { text: "abc😀" }],
  ])("finds a later secret in earlier calls %s", (_, secret, input) => {
    const calls = [call({ key: "known" }), call(input), call({ key: secret })];
    const { shown } = show(calls);
    expect(shown[1]).not.toEqual(calls[1]);
    expect(JSON.stringify(shown[1])).toContain("[secret 2]");
  });

  it("numbers secrets in the order of the calls, whichever is set first", () => {
    const calls = ["one-1", "two-2", "one-1", "three"].map((key) => call({ key }, { text: `is ${key}` }));
    const { shown } = show(calls, [2, 3, 1, 0]);
    expect(shown).toEqual(
      [1, 2, 1, 3].map((number) => call({ key: `[secret ${number}]` }, { text: `is [secret ${number}]` })),
    );
  });

  it("numbers again without a call that is removed", () => {
    const { hidden } = show([call({ key: "one-1" }), call({ key: "two-2" })]);
    expect([...hidden.delete(0)]).toEqual([
      [0, undefined],
      [1, call({ key: "[secret 1]" })],
    ]);
    expect([...create().set(0, call({ text: "one-1" }))]).toEqual([[0, call({ text: "one-1" })]]);
  });

  it("shows the same in any order", () => {
    const text = fc.constantFrom("alpha", "beta-1", "xalphax", "gamma", "alpha gamma", "a");
    const anyCall: fc.Arbitrary<AnyCall> = fc.oneof(
      fc.tuple(text, text, text).map(([key, one, other]) => call({ key, text: one }, { text: other })),
      text.map((one) => call({ text: one })),
      fc.tuple(text, text).map(([key, one]): AnyCall => ({ tool: "A", input: { key, text: one }, effect: "pure" })),
    );
    const scenario = fc.array(anyCall, { minLength: 1, maxLength: 6 }).chain((calls) => {
      const places = calls.map((_, place) => place);
      return fc.tuple(fc.constant(calls), fc.shuffledSubarray(places, { minLength: places.length }));
    });
    fc.assert(
      fc.property(scenario, ([calls, order]) => {
        const { shown } = show(calls, order);
        expect(shown).toEqual(show(calls).shown);
        // As if all secrets were known from the start.
        const { hidden } = show(calls);
        for (const [place, one] of calls.entries()) expect(hidden.set(place, one).get(place)).toEqual(shown[place]);
      }),
      { numRuns: 300 },
    );
  });
});
