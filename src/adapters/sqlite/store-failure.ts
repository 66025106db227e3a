import { accessSync, constants, existsSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { AgentError, StoreProblem } from "../../core/errors.ts";
import { type StoreAttempt, storeFailure } from "../sql/store-failure.ts";

/** The problems that a driver or a disk reports; another format is detected when the format is read. */
type FileProblem = Exclude<StoreProblem, "wrong-format" | "unreachable">;

/** The SQLite codes that state a problem, by the names that one driver has for them. */
const codes = {
  SQLITE_READONLY_DBMOVED: 1_032,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_NOTADB: 26,
};
/** The extended SQLite code for a file that was moved or deleted since it was opened. */
export const movedCode = codes.SQLITE_READONLY_DBMOVED;
/** A failing disk with less free space, in bytes, is considered full. */
const littleSpace = 65_536;

/** Returns an error of a driver or of Node's `fs` as `store-failed`, with the problem if known, and what to do about it. */
export function toStoreFailure(thrown: unknown, attempt: StoreAttempt & { readonly path: string }): AgentError {
  const { path, operation } = attempt;
  const describeOther = (reason: string) => {
    if (readCode(thrown) === movedCode) return "has been moved or deleted since it was opened. Open it again.";
    if (isFolder(path)) return "is a folder. Give the path of a file.";
    return `failed to ${operation}: ${reason}. Check its disk and its path.`;
  };
  return storeFailure(
    thrown,
    attempt,
    () => findProblem(thrown, path),
    (problem, reason) => `The database "${path}" ${problem ? advice(problem, reason) : describeOther(reason)}`,
  );
}

/** True if the file was locked by another process. */
export function isBusy(thrown: unknown): boolean {
  return findProblem(thrown, "") === "busy";
}

/** Throws unless the file, and those that SQLite keeps beside it, can be created and written to. */
export function checkWritable(path: string): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  let folder = dirname(real);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  accessSync(folder, constants.W_OK);
  if (existsSync(real)) accessSync(real, constants.W_OK);
}

function findProblem(thrown: unknown, path: string): FileProblem | undefined {
  const code = readCode(thrown);
  if (code === movedCode) return undefined;
  if (isDamage(thrown)) return "corrupt";
  switch (code & 0xff) {
    case codes.SQLITE_BUSY:
    case codes.SQLITE_LOCKED:
    case codes.SQLITE_PROTOCOL:
      return "busy";
    case codes.SQLITE_READONLY:
      return "read-only";
    case codes.SQLITE_CORRUPT:
    case codes.SQLITE_NOTADB:
      return "corrupt";
    case codes.SQLITE_FULL:
      return "full";
    case codes.SQLITE_IOERR:
    case codes.SQLITE_CANTOPEN:
      return problemOfDisk(path);
    default:
      return problemOfFile(thrown);
  }
}

/** True if the stored data is damaged, though SQLite can read it: it is not JSON, or a table is missing. */
function isDamage(thrown: unknown): boolean {
  return thrown instanceof SyntaxError || (thrown instanceof Error && /^no such (table|column)/.test(thrown.message));
}

/** The SQLite code of a failure, 0 if there is none. */
function readCode(thrown: unknown): number {
  if (typeof thrown !== "object" || thrown === null) return 0;
  const { errcode, rawCode, code, message } = thrown as Record<string, unknown>;
  // In this order: node:sqlite; libsql; better-sqlite3, which only has the name; libsql when it opens a file.
  if (typeof errcode === "number") return errcode;
  if (typeof rawCode === "number") return rawCode;
  if (typeof code === "string" && code.startsWith("SQLITE_")) return codeOfName(code);
  return Number(/Unable to open connection to local database .*: (\d+)"/s.exec(String(message))?.[1] ?? 0);
}

function codeOfName(name: string): number {
  return Object.entries(codes).find(([prefix]) => name.startsWith(prefix))?.[1] ?? 0;
}

/** A failed read or write, or a file that SQLite cannot open, may be caused by a full disk or a missing permission. */
function problemOfDisk(path: string): FileProblem | undefined {
  try {
    checkWritable(path);
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < littleSpace ? "full" : undefined;
  } catch (thrown) {
    return problemOfFile(thrown);
  }
}

function problemOfFile(thrown: unknown): FileProblem | undefined {
  switch ((thrown as Partial<NodeJS.ErrnoException> | null | undefined)?.code) {
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return "read-only";
    case "ENOSPC":
    case "EDQUOT":
      return "full";
    default:
      return undefined;
  }
}

function advice(problem: FileProblem, reason: string): string {
  switch (problem) {
    case "busy":
      return "is locked by another process, perhaps by a database tool with an open transaction. End that, try again, or raise `busyTimeoutMs`.";
    case "read-only":
      return "cannot be written to. Let this process write to the file and to its folder, where SQLite keeps other files, or choose another path.";
    case "full":
      return "has no space left on its disk. Free some space and try again: recorded data is not lost.";
    case "corrupt":
      return `is damaged, or is not a database (${reason}). Restore a copy of it, or move it away to start with a new one.`;
    default:
      return problem satisfies never;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
