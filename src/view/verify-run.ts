import { isAgentError } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import { canonicalJson } from "../core/json.ts";
import { checkKeys, failOption } from "../core/options.ts";
import { describeEvents, digestsOf, type ExportedRun, type RunSignature, signedText } from "./export-run.ts";

/** What {@link verifyRun} has found. @group Evidence */
export type RunVerdict =
  /** It was changed after it was made; `reason` is a sentence. */
  | { readonly status: "changed"; readonly reason: string }
  /** It fits together, but is not signed by the key that was given. */
  | { readonly status: "untrusted"; readonly reason: string }
  /** It is what the owner of this key has exported. */
  | {
      readonly status: "signed";
      /** 32 bytes, in Base64: compare it with the key that you expect, or pass that. */
      readonly publicKey: string;
      readonly recordedTo: number;
    }
  /**
   * It fits together, but nobody has signed it: whoever can write the store, or the document, could have made it. Events
   * up to number `recordedTo` are covered by digests that were recorded while the run ran.
   */
  | { readonly status: "unsigned"; readonly recordedTo: number };

/** Options of {@link verifyRun}. @inline */
export interface VerifyRunOptions {
  /** The key that must have signed the export: 32 bytes, in Base64. @default any */
  publicKey?: string | undefined;
}

/**
 * Checks an {@link ExportedRun}, as parsed from JSON: each digest is computed again, everything else is derived again
 * from the events and compared, and the signature is checked. Rejects with `invalid-options` for anything that is not an
 * exported run, or was exported by a later version of planwright.
 *
 * {@includeCode ../../examples/31-evidence.ts}
 * @group Evidence
 */
export async function verifyRun(document: unknown, options: VerifyRunOptions = {}): Promise<RunVerdict> {
  checkKeys("options", options, ["publicKey"]);
  const { publicKey } = options;
  if (publicKey !== undefined && fromBase64(publicKey)?.length !== 32) {
    failOption("options.publicKey", publicKey, "the 32 bytes of an Ed25519 key in Base64");
  }
  const run = readExport(document);
  const reason = await whyChanged(run);
  if (reason !== undefined) return { status: "changed", reason };
  const { signature, recordedTo } = run;
  if (signature === undefined) {
    return publicKey === undefined
      ? { status: "unsigned", recordedTo }
      : { status: "untrusted", reason: "It is unsigned." };
  }
  if (!(await isSigned(run, signature))) return { status: "changed", reason: "Its signature does not fit." };
  return publicKey === undefined || publicKey === signature.publicKey
    ? { status: "signed", publicKey: signature.publicKey, recordedTo }
    : { status: "untrusted", reason: `It is signed by another key, ${signature.publicKey}.` };
}

function readExport(document: unknown): ExportedRun {
  const { format, version, runId, events } = (document ?? {}) as Partial<ExportedRun>;
  const isExport = format === "planwright-run" && typeof runId === "string" && Array.isArray(events);
  if (!isExport) failOption("document", document, "a run that was exported by exportRun, as an object");
  if (version !== 1) failOption("document.version", version, "1, as a later version of planwright may have written it");
  return document as ExportedRun;
}

/** Why a document is not what its events lead to; undefined if it is. */
async function whyChanged(run: ExportedRun): Promise<string | undefined> {
  const { runId, events } = run;
  for (const [index, event] of events.entries()) {
    const { runId: of, sequence } = (event ?? {}) as Partial<AgentEvent>;
    if (of !== runId || sequence !== index + 1) return `Event ${index + 1} is missing, or is another one.`;
  }
  try {
    const digests = digestsOf(events);
    if (digests.wrongAt !== undefined) return describeWrong(digests.recordedTo + 1, digests.wrongAt);
    const { signature: _signature, ...given } = run;
    const derived = await describeEvents(runId, events, digests);
    for (const key of new Set([...Object.keys(derived), ...Object.keys(given)])) {
      if (!isSameAt(key, derived, given)) return `Its "${key}" is not that of its events.`;
    }
  } catch (thrown) {
    if (isAgentError(thrown, "store-failed") && thrown.details.problem === "wrong-format") {
      failOption("document", run, "a run in a format that is known: another version of planwright has recorded it");
    }
    return "Its events are not those of a run.";
  }
  return undefined;
}

function describeWrong(first: number, last: number): string {
  if (first === last) return `Event ${last} does not fit its digest.`;
  return `One of the events ${first} to ${last} does not fit the digest of event ${last}.`;
}

type Keyed = Readonly<Record<string, unknown>>;

function isSameAt(key: string, derived: object, given: object): boolean {
  if (Object.hasOwn(derived, key) !== Object.hasOwn(given, key)) return false;
  const [one, other] = [(derived as Keyed)[key], (given as Keyed)[key]];
  // The events, of which nothing was derived, are the same list.
  return one === other || canonicalJson(one) === canonicalJson(other);
}

async function isSigned(run: ExportedRun, signature: RunSignature): Promise<boolean> {
  const { algorithm, publicKey, value, ...others } = signature ?? {};
  if (algorithm !== "Ed25519" || Object.keys(others).length > 0) return false;
  const [raw, bytes] = [fromBase64(publicKey), fromBase64(value)];
  if (raw?.length !== 32 || bytes?.length !== 64) return false;
  const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, bytes, signedText(run));
}

function fromBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== "string" || !/^[A-Za-z0-9+/]+=*$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
