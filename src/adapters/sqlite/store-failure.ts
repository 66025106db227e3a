import { accessSync, constants, existsSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { AgentError, StoreProblem } from "../../core/errors.ts";
import { type StoreAttempt, storeFailure } from "../sql/statement.ts";

type FileProblem = Exclude<StoreProblem, "wrong-format" | "unreachable">;

export const movedCode = 1_032;
const codes: Readonly<Record<string, readonly [code: number, problem?: FileProblem | "disk"]>> = {
  SQLITE_READONLY_DBMOVED: [movedCode],
  SQLITE_BUSY: [5, "busy"],
  SQLITE_LOCKED: [6, "busy"],
  SQLITE_READONLY: [8, "read-only"],
  SQLITE_IOERR: [10, "disk"],
  SQLITE_CORRUPT: [11, "corrupt"],
  SQLITE_FULL: [13, "full"],
  SQLITE_CANTOPEN: [14, "disk"],
  SQLITE_PROTOCOL: [15, "busy"],
  SQLITE_NOTADB: [26, "corrupt"],
};

const littleSpace = 65_536;

export function toStoreFailure(thrown: unknown, attempt: StoreAttempt & { readonly path: string }): AgentError {
  const { path, operation } = attempt;
  const problem = findProblem(thrown, path);
  const describe = (reason: string) => {
    if (problem !== undefined) return advice[problem](reason);
    if (readCode(thrown) === movedCode) return "has been moved or deleted since it was opened. Open it again.";
    if (isFolder(path)) return "is a folder. Give the path of a file.";
    return `failed to ${operation}: ${reason}. Check its disk and its path.`;
  };
  return storeFailure(thrown, attempt, problem, (reason) => `The database "${path}" ${describe(reason)}`);
}

export function isBusy(thrown: unknown): boolean {
  return findProblem(thrown, "") === "busy";
}

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
  // SQLite can read the file, but its contents are damaged: for example, a value is not JSON.
  if (thrown instanceof SyntaxError) return "corrupt";
  if (thrown instanceof Error && /^no such (table|column)/.test(thrown.message)) return "corrupt";
  const [, problem] = Object.values(codes).find(([one]) => one === (code & 0xff)) ?? [code, findFileProblem(thrown)];
  return problem === "disk" ? findDiskProblem(path) : problem;
}

function readCode(thrown: unknown): number {
  if (typeof thrown !== "object" || thrown === null) return 0;
  const { errcode, rawCode, code, message } = thrown as Record<string, unknown>;
  // In this order: node:sqlite; libsql; better-sqlite3, which gives only the name; libsql when it opens a file.
  if (typeof errcode === "number") return errcode;
  if (typeof rawCode === "number") return rawCode;
  if (typeof code === "string" && code.startsWith("SQLITE_"))
    return Object.entries(codes).find(([name]) => code.startsWith(name))?.[1][0] ?? 0;
  return Number(/Unable to open connection to local database .*: (\d+)"/s.exec(String(message))?.[1] ?? 0);
}

function findDiskProblem(path: string): FileProblem | undefined {
  try {
    checkWritable(path);
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < littleSpace ? "full" : undefined;
  } catch (thrown) {
    return findFileProblem(thrown);
  }
}

function findFileProblem(thrown: unknown): FileProblem | undefined {
  const code = String((thrown as { readonly code?: unknown } | null | undefined)?.code);
  if (/^(EROFS|EACCES|EPERM)$/.test(code)) return "read-only";
  return /^(ENOSPC|EDQUOT)$/.test(code) ? "full" : undefined;
}

const advice: Readonly<Record<FileProblem, (reason: string) => string>> = {
  busy: () =>
    "is locked by another process, perhaps by a database tool with an open transaction. End that transaction, try again, or raise `busyTimeoutMs`.",
  "read-only": () =>
    "cannot be written to. Let this process write to the file and to its folder, where SQLite keeps other files, or choose another path.",
  full: () => "has no space left on its disk. Free some space and try again: recorded data is not lost.",
  corrupt: (reason) =>
    `is damaged, or is not a database (${reason}). Restore a copy of it, or move it away to start with a new one.`,
};

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
