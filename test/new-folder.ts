import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder, deleted when the test is over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "planwright-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
