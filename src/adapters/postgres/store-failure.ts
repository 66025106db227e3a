import { AgentError, type StoreOperation, type StoreProblem } from "../../core/errors.ts";
import { type StoreAttempt, storeFailure } from "../sql/statement.ts";

type DatabaseProblem = Exclude<StoreProblem, "wrong-format">;

export function toStoreFailure(thrown: unknown, attempt: StoreAttempt): AgentError {
  const problem = findProblem(thrown);
  const describe = advice[problem ?? "other"];
  return storeFailure(thrown, attempt, problem, (reason) => `The database ${describe(reason, attempt.operation)}`);
}

export function isPassing(thrown: unknown): boolean {
  const problem = thrown instanceof AgentError ? undefined : findProblem(thrown);
  const isRolledBack = ["40001", "40P01"].includes(readCode(thrown));
  return problem === "unreachable" || problem === "read-only" || isRolledBack;
}

/** The statement may have been executed if the connection broke before the answer. */
export function isInDoubt(thrown: unknown): boolean {
  return !(thrown instanceof AgentError) && findProblem(thrown) === "unreachable";
}

export function isOfOtherConnection(thrown: unknown): boolean {
  return readCode(thrown) === "26000" || readCode(thrown) === "42P05";
}

function findProblem(thrown: unknown): DatabaseProblem | undefined {
  if (thrown instanceof SyntaxError) return "corrupt";
  const code = readCode(thrown);
  // https://www.postgresql.org/docs/current/errcodes-appendix.html
  if (/^(08|25P03|57P0[1235]|E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN))/.test(code)) return "unreachable";
  if (code === "25006") return "read-only";
  if (code === "53300" || code === "55P03") return "busy";
  if (code === "53100" || code === "53200") return "full";
  if (/^(42P01|42703|XX00[12])$/.test(code)) return "corrupt";
  return findProblemInText(thrown instanceof Error ? thrown.message : "");
}

/** These errors of `pg` and PgBouncer have no code. */
function findProblemInText(message: string): DatabaseProblem | undefined {
  if (/timeout exceeded when trying to connect/i.test(message)) return "busy";
  const isLost = /connection (terminated|ended|timeout)|read timeout|client has encountered a connection error/i;
  if (isLost.test(message) || /server (conn crashed|login|closed)|not queryable/i.test(message)) return "unreachable";
  return undefined;
}

function readCode(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return "";
  const { code, errors } = thrown as { readonly code?: unknown; readonly errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return readCode(errors[0]);
  return typeof code === "string" ? code : "";
}

const advice: Readonly<Record<DatabaseProblem | "other", (reason: string, operation: StoreOperation) => string>> = {
  busy: (reason) => `is busy (${reason}). Try again, or allow more connections in the pool or the server.`,
  "read-only": (reason) => `cannot be written to (${reason}). Connect to the primary server.`,
  full: (reason) => `has no disk space or memory left (${reason}). Free some and try again: recorded data is not lost.`,
  corrupt: (reason) =>
    `has damaged or foreign tables (${reason}). Restore them, or give the store a schema of its own.`,
  unreachable: (reason) =>
    `cannot be reached (${reason}). Check its address, and that it is running; recorded data is not lost.`,
  other: (reason, operation) => `failed to ${operation}: ${reason}. Check its address, its permissions and its tables.`,
};
