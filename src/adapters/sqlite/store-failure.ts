import { accessSync, constants, existsSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AgentError, type StoreOperation, type StoreProblem } from "../../core/errors.ts";
import { describeThrown } from "../../core/text.ts";

/** The problems that a driver or a disk reports; a newer format is detected when the format is read. */
type FileProblem = Exclude<StoreProblem, "wrong-format" | "unreachable">;

/** The operation that failed. */
export interface StoreAttempt {
  readonly path: string;
  readonly operation: StoreOperation;
  readonly runId: string;
}

const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  notDatabase: 26,
};
/** The extended SQLite code for a file that was moved or deleted since it was opened. */
export const movedCode = 1_032;
/** A failing disk with less free space, in bytes, is considered full. */
const littleSpace = 65_536;

/** An error of a driver or of Node's `fs` as `store-failed`, with the problem if known, and what to do about it. */
export function toStoreFailure(thrown: unknown, { path, operation, runId }: StoreAttempt): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const code = readCode(thrown);
  const reason = describeThrown(thrown);
  const problem = findProblem(thrown, { code, path });
  const message = `The database "${path}" ${problem ? advice(problem, reason) : otherAdvice({ code, path, operation, reason })}`;
  return new AgentError("store-failed", message, {
    details: { runId, operation, reason, ...(problem && { problem }) },
    cause: thrown,
    retryable: problem === "busy",
  });
}

/** Whether the file was locked by another process. */
export function isBusy(thrown: unknown): boolean {
  return findProblem(thrown, { code: readCode(thrown), path: "" }) === "busy";
}

/** Throws unless the file, and those that SQLite keeps beside it, can be created and written to. */
export function checkWritable(path: string): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  let folder = dirname(real);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  accessSync(folder, constants.W_OK);
  if (existsSync(real)) accessSync(real, constants.W_OK);
}

function findProblem(thrown: unknown, { code, path }: { code: number; path: string }): FileProblem | undefined {
  if (code === movedCode) return undefined;
  if (isDamage(thrown)) return "corrupt";
  switch (code & 0xff) {
    case codes.busy:
    case codes.locked:
    case codes.protocol:
      return "busy";
    case codes.readOnly:
      return "read-only";
    case codes.corrupt:
    case codes.notDatabase:
      return "corrupt";
    case codes.full:
      return "full";
    case codes.io:
    case codes.cantOpen:
      return problemOfDisk(path);
    default:
      return problemOfFile(thrown);
  }
}

/** Whether the stored data is damaged, though SQLite can read it: it is not JSON, or a table is missing. */
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

const names: readonly (readonly [prefix: string, code: number])[] = [
  ["SQLITE_READONLY_DBMOVED", movedCode],
  ["SQLITE_BUSY", codes.busy],
  ["SQLITE_LOCKED", codes.locked],
  ["SQLITE_READONLY", codes.readOnly],
  ["SQLITE_IOERR", codes.io],
  ["SQLITE_CORRUPT", codes.corrupt],
  ["SQLITE_FULL", codes.full],
  ["SQLITE_CANTOPEN", codes.cantOpen],
  ["SQLITE_PROTOCOL", codes.protocol],
  ["SQLITE_NOTADB", codes.notDatabase],
];

function codeOfName(name: string): number {
  return names.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 0;
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

function otherAdvice({
  code,
  path,
  operation,
  reason,
}: {
  code: number;
  path: string;
  operation: string;
  reason: string;
}) {
  if (code === movedCode) return "has been moved or deleted since it was opened. Open it again.";
  if (isFolder(path)) return "is a folder. Give the path of a file.";
  return `failed to ${operation}: ${reason}. Check its disk and its path.`;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
