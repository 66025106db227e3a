import { statSync } from "node:fs";
import { movedCode } from "./store-failure.ts";

/**
 * Returns a function that throws once a path no longer leads to its current file: if that was moved, deleted or
 * replaced, everything written would be lost with the process. With a write-ahead log SQLite does not check this.
 */
export function guardFile(path: string): () => void {
  const opened = inodeOf(path);
  return () => {
    if (inodeOf(path) === opened) return;
    throw Object.assign(new Error("the file was replaced or is gone"), { errcode: movedCode });
  };
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
