import { readFields } from "./error-data.ts";
import { isAgentError } from "./errors.ts";

const neverLeft = {
  syscall: /^(?:connect|getaddrinfo|query[A-Z]\w*)$/,
  code: new RegExp(
    "^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|" +
      "CERT_(?:HAS_EXPIRED|NOT_YET_VALID|UNTRUSTED|REVOKED|REJECTED|CHAIN_TOO_LONG)|ERR_TLS_CERT_ALTNAME_INVALID|" +
      "DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET_ISSUER_CERT\\w*|VERIFY_LEAF_SIGNATURE))$",
  ),
};

const leftOpen = {
  code: /^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_ABORTED|ABORT_ERR|ERR_CANCELED|ConnectionClosed)$|TIME(?:D_?)?OUT$/i,
  name: /^(?:AbortError|CanceledError)$|Timeout(?:Error|Exception)?$/,
  status: /^(?:408|5\d\d)$/,
};

/** Ignores `retryable` of timeouts and interruptions, because a tool may rethrow the error that aborted it. */
export function callOutcome(error: unknown): "not-done" | "unknown" | "failed" {
  const stated = statedOutcome(error);
  if (stated !== undefined) return stated;
  const isOfSignal = isAgentError(error, "timeout") || isAgentError(error, "interrupted");
  if (!isOfSignal && retryableOf(error) === true) return "not-done";
  return isLeftOpen(error, new Set()) ? "unknown" : "failed";
}

export function retryableOf(thrown: unknown): unknown {
  return readFields(thrown, "retryable").retryable;
}

/** Equals the maximum number of stored causes, so that a resumed run comes to the same decision. */
const maxCauses = 5;

function statedOutcome(error: unknown): "not-done" | "unknown" | undefined {
  let of = error;
  for (let read = 0; read < maxCauses; read++) {
    const { outcome, cause } = readFields(of, "outcome", "cause");
    if (outcome === "not-done" || outcome === "unknown") return outcome;
    of = cause;
  }
  return undefined;
}

/** Ends the search if an error creates a new cause on each read. */
const maxRead = 50;

function isLeftOpen(error: unknown, read: Set<unknown>): boolean {
  if (typeof error !== "object" || error === null || read.has(error) || read.size >= maxRead) return false;
  read.add(error);
  const { cause, errors, ...fields } = readFields(error, ...tableKeys);
  const { code, name, syscall, status, statusCode } = fields;
  const inner = [cause, ...listOf(errors)];
  if (inner.some((one) => isLeftOpen(one, read))) return true;
  if (isIn(neverLeft.syscall, syscall) || isIn(neverLeft.code, code)) return false;
  const response = readFields(fields.response, "status", "statusCode");
  if ([status, statusCode, response.status, response.statusCode].some((one) => isIn(leftOpen.status, one))) return true;
  // Some clients copy the code of the cause, which was already checked along with its system call.
  const isRepeated = code !== undefined && inner.some((one) => readFields(one, "code").code === code);
  return !isRepeated && (isIn(leftOpen.code, code) || isIn(leftOpen.name, name));
}

const tableKeys = ["name", "code", "syscall", "status", "statusCode", "response", "cause", "errors"] as const;

function isIn(row: RegExp, value: unknown): boolean {
  return (typeof value === "string" || typeof value === "number") && row.test(String(value));
}

function listOf(value: unknown): readonly unknown[] {
  try {
    return Array.isArray(value) ? value.slice(0, maxRead) : [];
  } catch {
    return [];
  }
}
