import { createMemoryNotes } from "planwright";
import { describe, expect, it } from "vitest";
import { insertion, testNoteStorage } from "./note-storage-contract.ts";

describe("createMemoryNotes", () => {
  testNoteStorage({ describe, it, expect }, createMemoryNotes);

  it("drops the oldest records beyond rememberedWrites, over all scopes", async () => {
    const storage = createMemoryNotes({ rememberedWrites: 3 });
    for (const scope of ["a", "b"]) for (const id of ["1", "2"]) await storage.apply(scope, insertion({ id }));
    expect(await storage.recall("a", "insert 1")).toBeUndefined();
    expect(await storage.recall("a", "insert 2")).toBeDefined();
    expect((await storage.find("a", { limit: 9 })).count).toBe(2);
  });

  it("refuses wrong options", () => {
    for (const rememberedWrites of [0, Number.NaN, "3"]) {
      const options = JSON.parse(JSON.stringify({ rememberedWrites }));
      expect(() => createMemoryNotes(options)).toThrow("memoryNotes.rememberedWrites");
    }
    expect(() => createMemoryNotes(JSON.parse('{"size":3}'))).toThrow("memoryNotes.size");
  });
});
