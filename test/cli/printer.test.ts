import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createColors, LiveLine, Printer } from "../../src/cli/printer.ts";

const clear = "\r\u001b[2K";

function createLine(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text), isTTY, ...(columns !== undefined && { columns }) };
  const take = () => written.splice(0).join("");
  return { line: new LiveLine(new Printer(output)), take };
}

describe("LiveLine", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it("is rewritten in place on a terminal, with a spinner", () => {
    const { line, take } = createLine(true);
    line.show("s1 Fake");
    expect(take()).toBe(`${clear}  ⠋ s1 Fake`);
    vi.advanceTimersByTime(160);
    expect(take()).toBe(`${clear}  ⠙ s1 Fake${clear}  ⠹ s1 Fake`);
    line.show("s1 Fake: more");
    expect(take()).toBe(`${clear}  ⠹ s1 Fake: more`);
    line.hide();
    line.hide();
    expect(take()).toBe(clear);
    vi.advanceTimersByTime(160);
    expect(take()).toBe("");
  });

  it("stays below the printed lines", () => {
    const { line, take } = createLine(true);
    line.print("first");
    line.show("s1");
    take();
    line.print("second");
    expect(take()).toBe(`${clear}second\n${clear}  ⠋ s1`);
    line.hide();
  });

  it("is never wider than the terminal, even if its width is unknown", () => {
    for (const [columns, width] of [
      [20, 19],
      [0, 79],
      [undefined, 79],
    ] as const) {
      const { line, take } = createLine(true, columns);
      line.show("x".repeat(200));
      expect(take().slice(clear.length)).toHaveLength(width);
      line.hide();
    }
  });

  it("prints only the permanent lines if the output is not a terminal", () => {
    const { line, take } = createLine(false);
    expect(line.isLive).toBe(false);
    line.show("s1");
    line.print("a line");
    line.print();
    line.hide();
    expect(take()).toBe("a line\n\n");
  });
});

it("createColors colours text or leaves it unchanged, whatever Node detects about the terminal", () => {
  expect(createColors(true).bold("a")).toBe("\u001b[1ma\u001b[22m");
  expect(createColors(true).yellow("a")).toBe("\u001b[33ma\u001b[39m");
  expect(createColors(false).red("a")).toBe("a");
});
