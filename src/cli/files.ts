import { createWriteStream, statSync } from "node:fs";
import type { CliCall } from "./cli-call.ts";

/** The file of a database, and those that SQLite keeps beside it. */
const databaseFiles = ["", "-wal", "-shm", "-journal"];

/** Writes a file, in place of one that exists. Rejects with the reason in one line. */
export async function saveFile({ options }: Pick<CliCall, "options">, file: string, text: string): Promise<void> {
  const { db } = options;
  if (db !== undefined && databaseFiles.some((ending) => isSameFile(file, db + ending))) {
    throw new Error(`The file "${file}" keeps the runs. Choose another one.`);
  }
  await new Promise<void>((resolve, reject) => {
    const stream = createWriteStream(file);
    stream.on("error", (error) =>
      reject(new Error(`The file "${file}" cannot be written: ${describeFileError(error)}.`)),
    );
    stream.on("finish", resolve);
    stream.end(text);
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "part of its path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
};

/** Why a file cannot be read or written, in a few words. */
export function describeFileError({ code = "", message }: NodeJS.ErrnoException): string {
  return reasons[code] ?? message;
}

/** Whether two paths lead to the same file. */
export function isSameFile(file: string, other: string): boolean {
  try {
    const [one, two] = [statSync(file), statSync(other)];
    return one.ino === two.ino && one.dev === two.dev;
  } catch {
    // It is new, or writing it will tell what is wrong.
    return false;
  }
}
