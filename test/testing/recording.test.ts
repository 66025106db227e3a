import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeRecording } from "../../src/testing/recording.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recording-"));
  path = join(folder, "of", "calls.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const recording = { version: 1, calls: [{ text: "ü" }] };
const text = () => readFileSync(path, "utf8");

describe("writeRecording", () => {
  it("replaces the file, whatever it was, and leaves no other", async () => {
    writeRecording(path, { calls: [] });
    await writeFile(path, "x".repeat(1_000));
    writeRecording(path, recording);
    expect(text()).toBe(`${JSON.stringify(recording, undefined, 2)}\n`);
    await rm(path);
    writeRecording(path, recording);
    expect(JSON.parse(text())).toEqual(recording);
    expect(await readdir(join(folder, "of"))).toEqual(["calls.json"]);
  });

  it("names the file that cannot be written, and leaves no other", async () => {
    await writeFile(join(folder, "of"), "a file");
    expect(() => writeRecording(path, recording)).toThrow(`The recording "${path}" cannot be written (`);
    expect(await readdir(folder)).toEqual(["of"]);
  });
});
