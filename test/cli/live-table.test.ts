import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveTable } from "../../src/cli/follow-run.ts";
import { Printer } from "../../src/cli/printer.ts";
import { FakeTerminal } from "./fake-terminal.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function createTable({ columns = 20, rows = 10 } = {}) {
  const terminal = new FakeTerminal({ columns, rows });
  const lines: string[] = [];
  const table = new LiveTable(new Printer(terminal), (spinner) => lines.map((line) => `${spinner} ${line}`));
  return { terminal, lines, table };
}

describe("LiveTable", () => {
  it("draws its lines with a spinner, in one write for each frame", () => {
    const { terminal, lines, table } = createTable();
    lines.push("s1", "s2");
    table.show();
    expect(terminal.screen).toEqual(["⠋ s1", "⠋ s2"]);
    vi.advanceTimersByTime(160);
    expect(terminal.screen).toEqual(["⠹ s1", "⠹ s2"]);
    expect(terminal.writes).toHaveLength(3);
    table.hide();
    table.hide();
    expect(terminal.screen).toEqual([""]);
    vi.advanceTimersByTime(800);
    expect(terminal.writes).toHaveLength(4);
  });

  it("draws a change with the next frame, however many there are", () => {
    const { terminal, lines, table } = createTable();
    lines.push("0 %");
    for (let percent = 1; percent < 100; percent++) {
      table.show();
      lines[0] = `${percent} %`;
    }
    expect(terminal.writes).toHaveLength(1);
    vi.advanceTimersByTime(80);
    expect(terminal.screen).toEqual(["⠙ 99 %"]);
    table.hide();
  });

  it("stays below the printed lines, and shrinks and grows", () => {
    const { terminal, lines, table } = createTable();
    table.print("first");
    lines.push("s1", "s2", "s3");
    table.show();
    lines.splice(1, 2);
    table.print("second, which is wider than the terminal");
    const second = ["second, which is wid", "er than the terminal"];
    expect(terminal.screen).toEqual(["first", ...second, "⠋ s1"]);
    lines.push("s4", "s5");
    vi.advanceTimersByTime(80);
    expect(terminal.screen).toEqual(["first", ...second, "⠙ s1", "⠙ s4", "⠙ s5"]);
    lines.length = 0;
    vi.advanceTimersByTime(80);
    expect(terminal.screen).toEqual(["first", ...second, ""]);
    expect(terminal.writes).toHaveLength(5);
    table.hide();
    table.print();
    expect(terminal.screen).toEqual(["first", ...second, "", ""]);
  });

  it("prints only the permanent lines if the output is not a terminal", () => {
    const written: string[] = [];
    const table = new LiveTable(new Printer({ write: (text) => written.push(text) }), () => ["s1"]);
    expect(table.isLive).toBe(false);
    table.show();
    table.print("a line");
    table.print();
    table.hide();
    expect(written).toEqual(["a line\n", "\n"]);
  });
});
