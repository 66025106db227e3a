import { describe, expect, it } from "vitest";
import { SensitiveView } from "../../src/core/sensitive-paths.ts";
import { CallMatcher } from "../../src/testing/call-matcher.ts";
import type { RecordedToolCall } from "../../src/testing/tool-recording.ts";

const view = new SensitiveView({ type: "object", properties: { key: { type: "string", sensitive: true }, text: {} } });
const views = { input: view, output: view };
const noViews = { input: undefined, output: undefined };

function call(input: RecordedToolCall["input"], rest: Partial<RecordedToolCall> = {}): RecordedToolCall {
  return { tool: "A", input, outcome: { type: "output", output: null }, ...rest };
}

describe("CallMatcher", () => {
  it("never takes a call of another tool, or of undo for one of execute", () => {
    const matcher = new CallMatcher([call({}, { tool: "B" }), call({}, { undone: 1 }), call({}, { undone: null })]);
    expect(matcher.take({ tool: "A", input: {} }, noViews)).toBeUndefined();
    expect(matcher.take({ tool: "A", input: {}, undone: null }, noViews)).toEqual(call({}, { undone: null }));
    expect(matcher.take({ tool: "A", input: {}, undone: 2 }, noViews)).toBeUndefined();
    expect(matcher.count).toBe(3);
    expect(matcher.unused).toEqual([0, 1]);
  });

  it("does not take a placeholder for another one", () => {
    const matcher = new CallMatcher([call({ key: "[secret 1]" }), call({ key: "[secret 2]" })]);
    expect(matcher.take({ tool: "A", input: { key: "[secret 2]" } }, views)).toEqual(call({ key: "[secret 2]" }));
    expect(matcher.take({ tool: "A", input: { key: "[secret 2]" } }, views)).toBeUndefined();
    expect(matcher.describeMiss({ tool: "A", input: { key: "[secret 3]" } }, views)).toContain(
      'differs in input.key: "[secret 3]", recorded "[secret 1]"',
    );
  });

  it("finds a secret that was given in other texts, in this call and later ones", () => {
    const matcher = new CallMatcher([
      call({ key: "[secret 1]", text: "is [secret 1]" }),
      call({ text: ["[secret 1]!", 5] }),
    ]);
    expect(matcher.take({ tool: "A", input: { key: "given", text: "is given" } }, views)).toBeDefined();
    expect(matcher.take({ tool: "A", input: { text: ["given!", 5] } }, noViews)).toBeDefined();
    expect(matcher.unused).toEqual([]);
  });

  it.each<[string, RecordedToolCall]>([
    ["another one was used before", call({ key: "[secret 1]", text: 2 })],
    ["none was recorded", call({ text: "other" })],
    ["something else was recorded", call({ key: null, text: "other" })],
  ])("does not show a secret in a miss if %s", (_, recorded) => {
    const matcher = new CallMatcher([call({ key: "[secret 1]" }), recorded]);
    expect(matcher.take({ tool: "A", input: { key: "first-one" } }, views)).toBeDefined();
    const asked = { tool: "A", input: { key: "s3cr3t", text: "is s3cr3t, not first-one" } };
    expect(matcher.take(asked, views)).toBeUndefined();
    const miss = matcher.describeMiss(asked, views);
    expect(miss).toContain(
      'its input is {"key":"[secret]","text":"is [secret], not [secret]"}. 2 calls of A are recorded',
    );
    expect(miss).not.toMatch(/s3cr3t|first-one/);
  });
});
