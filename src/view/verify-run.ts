import { canonicalJson } from "../core/canonical-json.ts";
import type { AgentEvent } from "../core/events.ts";
import { failOption } from "../core/options.ts";
import { describeThrown } from "../core/text.ts";
import { describeEvents, digestOf, type ExportedRun, type RunSignature, signedText } from "./export-run.ts";

/** What {@link verifyRun} has found. @group Evidence */
export type RunVerdict =
  /** It is not what was exported; `reason` is a sentence. */
  | { readonly status: "changed"; readonly reason: string }
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

/**
 * Checks an {@link ExportedRun}, as parsed from JSON: each digest is computed again, everything else is derived again
 * from the events and compared, and the signature is checked. With `publicKey` (32 bytes, in Base64), a signature by
 * another key, or none, counts as changed. Rejects with `invalid-options` for anything that is not an exported run.
 *
 * {@includeCode ../../examples/31-evidence.ts}
 * @group Evidence
 */
export async function verifyRun(
  document: unknown,
  { publicKey }: { publicKey?: string | undefined } = {},
): Promise<RunVerdict> {
  const run = readExport(document);
  const reason = (await whyChanged(run)) ?? (await whyNotSigned(run, publicKey));
  if (reason !== undefined) return { status: "changed", reason };
  const { signature, recordedTo } = run;
  return signature === undefined
    ? { status: "unsigned", recordedTo }
    : { status: "signed", publicKey: signature.publicKey, recordedTo };
}

function readExport(document: unknown): ExportedRun {
  const { format, version, runId, events } = (document ?? {}) as Partial<ExportedRun>;
  const isExport = format === "planwright-run" && typeof runId === "string" && Array.isArray(events);
  if (!isExport) failOption("document", document, "a run that was exported by exportRun, as an object");
  if (version !== 1) failOption("document.version", version, "1: a later version of planwright has written it");
  return document as ExportedRun;
}

/** Why a document is not what its events lead to; undefined if it is. */
async function whyChanged(run: ExportedRun): Promise<string | undefined> {
  const { runId, events } = run;
  for (const [index, event] of events.entries()) {
    const { runId: of, sequence } = (event ?? {}) as Partial<AgentEvent>;
    if (of !== runId || sequence !== index + 1) return `Event ${index + 1} is missing, or is another one.`;
  }
  const { wrongAt, recordedTo } = digestOf(events);
  if (wrongAt !== undefined) {
    const first = recordedTo + 1;
    return first === wrongAt
      ? `Event ${wrongAt} does not fit its digest.`
      : `One of the events ${first} to ${wrongAt} does not fit the digest of event ${wrongAt}.`;
  }
  try {
    const { signature: _signature, ...given } = run;
    const derived = await describeEvents(runId, events);
    for (const key of new Set([...Object.keys(derived), ...Object.keys(given)])) {
      if (textAt(derived, key) !== textAt(given, key)) return `Its "${key}" is not that of its events.`;
    }
  } catch (thrown) {
    return `Its events are not those of a run: ${describeThrown(thrown)}.`;
  }
  return undefined;
}

function textAt(holder: object, key: string): string {
  return canonicalJson((holder as Readonly<Record<string, unknown>>)[key]);
}

async function whyNotSigned(run: ExportedRun, expected: string | undefined): Promise<string | undefined> {
  const { signature } = run;
  if (signature === undefined) return expected === undefined ? undefined : "It is not signed.";
  if (expected !== undefined && signature?.publicKey !== expected) return "It is signed by another key.";
  return (await isSigned(run, signature)) ? undefined : "Its signature does not fit.";
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
