import { EventEmitter } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createColors, Printer } from "../../src/cli/printer.ts";
import { FakeTerminal } from "./fake-terminal.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

describe("drawn lines", () => {
  it("are cut to the terminal, whose width may be unknown", () => {
    for (const [columns, width] of [
      [20, 19],
      [0, 79],
      [undefined, 79],
    ] as const) {
      const written: string[] = [];
      const output = {
        write: (text: string) => written.push(text),
        isTTY: true,
        ...(columns !== undefined && { columns }),
      };
      new Printer(output).draw(["x".repeat(200)]);
      expect(written).toEqual([`\r${"x".repeat(width - 1)}…\u001b[K\u001b[J`]);
    }
  });

  it("are counted if they are more than the terminal has rows", () => {
    const terminal = new FakeTerminal({ rows: 5 });
    const printer = new Printer(terminal);
    printer.draw(numbered(16));
    expect(terminal.screen).toEqual(["line 1", "line 2", "line 3", "  … and 13 more"]);
    printer.draw(numbered(4));
    expect(terminal.screen).toEqual(numbered(4));
    for (const rows of [1, 2]) {
      terminal.rows = rows;
      const low = new FakeTerminal({ rows });
      new Printer(low).draw(numbered(3));
      expect(low.screen).toEqual(["  … and 3 more"]);
    }
  });

  it("follow the size of the terminal, and leave nothing behind when it becomes narrower", () => {
    const terminal = new FakeTerminal({ columns: 40 });
    const printer = new Printer(terminal);
    printer.print(["a permanent line"]);
    printer.draw(["a".repeat(35), "short", "b".repeat(50)]);
    expect(terminal.screen).toEqual(["a permanent line", "a".repeat(35), "short", `${"b".repeat(38)}…`]);
    terminal.resize(16);
    printer.draw(["a".repeat(35), "short"]);
    expect(terminal.screen).toEqual(["a permanent line", `${"a".repeat(14)}…`, "short"]);
    terminal.resize(50);
    printer.draw(["a".repeat(35)]);
    expect(terminal.screen).toEqual(["a permanent line", "a".repeat(35)]);
  });

  it("are one write each time, leave no line behind, and change no permanent line, whatever is drawn", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", "\n", "\u001b", "[", "2", "J", "\r"), maxLength: 30 });
    const lines = fc.array(line, { maxLength: 9 });
    fc.assert(
      fc.property(fc.array(fc.record({ printed: fc.option(lines), drawn: lines }), { maxLength: 8 }), (frames) => {
        const [terminal, alone] = [
          new FakeTerminal({ columns: 20, rows: 6 }),
          new FakeTerminal({ columns: 20, rows: 6 }),
        ];
        const [printer, other] = [new Printer(terminal), new Printer(alone)];
        for (const [index, { printed, drawn }] of frames.entries()) {
          const before = terminal.writes.length;
          if (printed === null) printer.draw(drawn);
          else {
            printer.print(printed, drawn);
            other.print(printed);
          }
          expect(terminal.writes.length - before, `frame ${index}`).toBeLessThanOrEqual(1);
          const permanent = alone.screen.slice(0, -1);
          expect(terminal.screen.slice(0, permanent.length)).toEqual(permanent);
          expect(terminal.screen).toHaveLength(permanent.length + Math.max(1, Math.min(drawn.length, 5)));
        }
      }),
    );
  });

  it("are removed before a line of another printer on the same terminal", () => {
    const terminal = new FakeTerminal();
    const out = new Printer(terminal);
    const err = new Printer(terminal, { beside: out });
    out.print(["Run"], ["s1", "s2"]);
    err.print(["a warning"]);
    out.draw(["s1", "s2"]);
    expect(terminal.screen).toEqual(["Run", "a warning", "s1", "s2"]);
  });

  it("need a terminal that can move its cursor", () => {
    expect(new Printer(new FakeTerminal()).isTerminal).toBe(true);
    expect(new Printer(new FakeTerminal(), { canDraw: false }).isTerminal).toBe(false);
    expect(new Printer({ write: () => true }).isTerminal).toBe(false);
  });
});

describe("flush", () => {
  class SlowStream extends EventEmitter {
    writableNeedDrain = true;
    write(): boolean {
      return false;
    }
  }

  it.each(["drain", "error", "close"])("waits for a slow reader, until %s", async (event) => {
    const stream = new SlowStream();
    let isOver = false;
    const flushed = new Printer(stream).flush().then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
    stream.emit(event);
    await flushed;
    expect(["drain", "error", "close"].map((name) => stream.listenerCount(name))).toEqual([0, 0, 0]);
  });

  it("does not wait if the reader keeps up", async () => {
    await new Printer({ write: () => true }).flush();
    await new Printer(Object.assign(new SlowStream(), { writableNeedDrain: false })).flush();
  });
});

it("createColors colours text or leaves it unchanged, whatever Node detects about the terminal", () => {
  expect(createColors(true).bold("a")).toBe("\u001b[1ma\u001b[22m");
  expect(createColors(true).yellow("a")).toBe("\u001b[33ma\u001b[39m");
  expect(createColors(false).red("a")).toBe("a");
});
