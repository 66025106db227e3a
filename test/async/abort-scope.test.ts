import { describe, expect, it } from "vitest";
import { AbortScope } from "../../src/async/abort.ts";

describe("an abort scope", () => {
  it("aborts open sources and those opened later, with the first reason", () => {
    const scope = new AbortScope<string>();
    const early = scope.open();
    scope.abort("one");
    scope.abort("two");
    expect([early, scope.open()].map(({ reason }) => reason)).toEqual(["one", "one"]);
  });

  it("does not abort closed sources, nor those opened after a reset", () => {
    const scope = new AbortScope<string>();
    const sources = [scope.open(), scope.open(), scope.open()];
    scope.close(sources[0] as never);
    scope.close(new AbortScope<string>().open());
    expect(sources.map((source) => scope.isOpen(source))).toEqual([false, true, true]);
    scope.abort("one");
    expect(sources.map(({ aborted }) => aborted)).toEqual([false, true, true]);
    scope.reset();
    expect(scope.open().aborted).toBe(false);
    expect(scope.reason).toBeUndefined();
  });
});
