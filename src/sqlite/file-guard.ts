import { statSync } from "node:fs";
import { movedCode } from "./store-failure.ts";

/**
 * A function that throws once a path no longer leads to the file that it leads to now: somebody has moved, deleted or
 * replaced it, and what is written would be gone with the process. With a write-ahead log SQLite does not look.
 */
export function guardFile(path: string): () => void {
  const opened = inodeOf(path);
  return () => {
    if (inodeOf(path) === opened) return;
    throw Object.assign(new Error("the file is another one, or gone"), { errcode: movedCode });
  };
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
