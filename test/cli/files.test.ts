import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliOptions } from "../../src/cli/cli-io.ts";
import { describeFileError, saveFile } from "../../src/cli/run-commands.ts";
import { newFolder } from "../new-folder.ts";

function callWith(db?: string) {
  return { options: { planOnly: false, json: false, color: true, planner: { type: "rules" }, db } as CliOptions };
}

describe("saveFile", () => {
  it("writes a new file, or another text into one that exists", async () => {
    const file = join(newFolder(), "run.html");
    for (const text of ["x".repeat(1_000_000), "é 日本", ""]) {
      await saveFile(callWith(), file, text);
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });

  it.each([
    ["none/run.html", "no such file or folder."],
    ["text/run.html", "part of its path is not a folder."],
    ["folder", "it is a folder."],
    ["x".repeat(300), "ENAMETOOLONG: name too long, open '"],
    ["nul\0", "must be a string, Uint8Array, or URL without null bytes"],
  ])("rejects with the reason for %j", async (name, reason) => {
    const folder = newFolder();
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "text"), "");
    const saved = saveFile(callWith(join(folder, "text")), join(folder, name), "text");
    await expect(saved).rejects.toThrow(reason);
  });

  it("does not write over the database, whatever the file is called", async () => {
    const folder = newFolder();
    const db = join(folder, "todo.db");
    writeFileSync(db, "runs");
    symlinkSync(db, join(folder, "link"));
    linkSync(db, join(folder, "other"));
    for (const file of [
      db,
      `${folder}/../${folder.split("/").at(-1)}/todo.db`,
      join(folder, "link"),
      join(folder, "other"),
    ]) {
      await expect(saveFile(callWith(db), file, "page")).rejects.toThrow(
        `The file "${file}" keeps the runs. Choose another one.`,
      );
    }
    expect(readFileSync(db, "utf8")).toBe("runs");
  });
});

it("describeFileError explains what is common, and repeats what is not", () => {
  expect(describeFileError(Object.assign(new Error("EACCES: …"), { code: "EACCES" }))).toBe("permission denied");
  expect(describeFileError(new Error("odd"))).toBe("odd");
});
