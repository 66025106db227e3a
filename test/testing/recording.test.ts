import { readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RecordingWriter } from "../../src/testing/recording.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recording-writer-"));
  path = join(folder, "calls.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const head = { version: 1, of: ["ü"] };
const text = () => readFileSync(path, "utf8");
const printed = (...calls: readonly unknown[]) => `${JSON.stringify({ ...head, calls }, undefined, 2)}\n`;

function createWriter() {
  return new RecordingWriter(path, () => head);
}

function add(writer: RecordingWriter, call: object): void {
  writer.set(writer.reserve(), call);
  writer.write();
}

describe("RecordingWriter", () => {
  it("writes what JSON.stringify would, whatever is set in which order", () => {
    const change = fc.record({
      place: fc.nat(7),
      call: fc.option(fc.record({ text: fc.string({ unit: "binary" }), list: fc.array(fc.nat()) }), {
        nil: undefined,
      }),
      isWritten: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
        const writer = createWriter();
        const calls: (object | undefined)[] = [];
        while (calls.length < 8) calls[writer.reserve()] = undefined;
        // An empty file is not written.
        writer.set(writer.reserve(), head);
        for (const { place, call, isWritten } of changes) {
          writer.set(place, call);
          calls[place] = call;
          if (!isWritten) continue;
          writer.write();
          expect(text()).toBe(printed(...calls.filter((one) => one !== undefined), head));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("keeps the file, and adds to it", () => {
    const writer = createWriter();
    add(writer, { n: 1 });
    const { ino } = statSync(path);
    for (const n of [2, 3]) add(writer, { n });
    expect(statSync(path).ino).toBe(ino);
    expect(text()).toBe(printed({ n: 1 }, { n: 2 }, { n: 3 }));
  });

  it("writes the whole file if it was changed by someone else", () => {
    const writer = createWriter();
    add(writer, { n: 1 });
    writeFileSync(path, "x".repeat(statSync(path).size + 1));
    add(writer, { n: 2 });
    expect(text()).toBe(printed({ n: 1 }, { n: 2 }));
  });

  it("writes the whole file if it was removed, and leaves no other", async () => {
    const writer = createWriter();
    add(writer, { n: 1 });
    await rm(path);
    add(writer, { n: 2 });
    expect(text()).toBe(printed({ n: 1 }, { n: 2 }));
    expect(await readdir(folder)).toEqual(["calls.json"]);
  });

  it("writes no more for the last of many calls than for an early one", () => {
    const write = vi.spyOn(process.getBuiltinModule("node:fs"), "appendFileSync");
    const writer = createWriter();
    for (let n = 0; n < 500; n++) add(writer, { n: 100 + (n % 10), text: "x".repeat(1_000) });
    const sizes = write.mock.calls.map(([, bytes]) => String(bytes).length);
    write.mockRestore();
    expect(sizes).toHaveLength(499);
    expect(new Set(sizes).size).toBe(1);
  });
});
