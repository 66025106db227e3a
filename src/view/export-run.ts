import { AgentError, isAgentError } from "../core/errors.ts";
import { type AgentEvent, checkEventFormat, isDigested, type Keyed } from "../core/events.ts";
import { EvidenceChain } from "../core/evidence.ts";
import { canonicalJson, endOfString } from "../core/json.ts";
import { checkKeys, checkObject, checkOption, failOption } from "../core/option-tables.ts";
import type { Plan } from "../core/plan.ts";
import { type ApprovalRecord, toRunSnapshot } from "../core/run-result.ts";
import { foldEvents } from "../core/run-state.ts";
import type { RunStore } from "../core/run-store.ts";
import type { RunStatus } from "../core/run-summary.ts";
import { hashPlan } from "../plan/hash-plan.ts";

/** A run as one JSON document; `verifyRun` checks it. @group Evidence */
export interface ExportedRun {
  readonly format: "planwright-run";
  readonly version: 1;
  readonly runId: string;
  readonly status: RunStatus;
  /** The request; absent if the run was started with a plan. */
  readonly request?: string;
  /** The latest plan; absent if there is none. */
  readonly plan?: Plan;
  /** The result of `hashPlan`; absent if values may be sealed, because the approved hash is that of the opened plan. */
  readonly planHash?: string;
  /** The decisions: who approved or rejected what, and when. */
  readonly approvals: readonly ApprovalRecord[];
  /** The events as stored. Sealed values stay sealed. */
  readonly events: readonly AgentEvent[];
  /** Number of the last event that a recorded digest covers: 0 without `evidence`. */
  readonly recordedTo: number;
  /** Digest of all events: the last recorded digest, unless events follow it. */
  readonly digest: string;
  /** Signature of three lines: `planwright-run 1`, the id and the digest, in UTF-8, without a line break at the end. */
  readonly signature?: RunSignature;
}

/** @inline */
export interface RunSignature {
  readonly algorithm: "Ed25519";
  /** Public key: 32 bytes in Base64. */
  readonly publicKey: string;
  /** Signature: 64 bytes in Base64. */
  readonly value: string;
}

/** Options of {@link exportRun}. @inline */
export interface ExportRunOptions {
  store: Pick<RunStore, "read">;
  runId: string;
  /**
   * Signs with a private Ed25519 key: unencrypted PEM, a `KeyObject` of `node:crypto`, or a pair of WebCrypto keys, the
   * public one extractable. Others can then verify who exported the run. @default none: unsigned
   */
  key?: PortableKey | KeyPair | undefined;
}

/** A `CryptoKey`. Only some platforms declare that name globally. @inline */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** @inline */
interface KeyPair {
  readonly privateKey: Key;
  readonly publicKey: Key;
}

/** PEM, or a `KeyObject` of `node:crypto`. @inline */
type PortableKey = string | { export(options: { readonly format: "jwk" }): object };

/**
 * Exports a stored run in any state as a JSON document with its plan, its decisions and every recorded event. Sealed
 * values stay sealed. If events in the store no longer match a recorded digest, `verifyRun` finds that in the export.
 * Rejects with `run-not-found`, `store-failed`, `invalid-options`, or what the store throws.
 * {@includeCode ../../examples/31-evidence.ts} @group Evidence
 */
export async function exportRun(options: ExportRunOptions): Promise<ExportedRun> {
  checkKeys("options", options, ["store", "runId", "key"]);
  const { store, runId, key } = options;
  checkOption({ methods: ["read"], expected: "a run store", isRequired: true }, store, "options.store");
  checkOption({ type: "text", isRequired: true }, runId, "options.runId");
  const pair = key === undefined ? undefined : await readKeyPair(key);
  const events = await store.read(runId);
  if (events.length === 0) {
    throw new AgentError("run-not-found", `There is no run "${runId}" in the store.`, { details: { runId } });
  }
  let unsigned: ExportedRun;
  try {
    unsigned = await describeEvents(runId, events, computeDigests(events));
  } catch (thrown) {
    if (isAgentError(thrown)) throw thrown;
    const reason = "what was read is not a run";
    throw new AgentError("store-failed", `The run "${runId}" is damaged: ${reason}. Restore the store from a copy.`, {
      cause: thrown,
      details: { runId, operation: "read", reason, problem: "corrupt" },
    });
  }
  return pair === undefined ? unsigned : { ...unsigned, signature: await sign(unsigned, pair) };
}

async function readKeyPair(key: PortableKey | KeyPair): Promise<KeyPair> {
  if (isPortable(key)) {
    const { x, d } = await readPortable(key);
    if (d === undefined) return failKey("options.key", key, "private");
    const jwk = { kty: "OKP", crv: "Ed25519", x };
    const [privateKey, publicKey] = await Promise.all([
      crypto.subtle.importKey("jwk", { ...jwk, d }, "Ed25519", false, ["sign"]),
      crypto.subtle.importKey("jwk", jwk, "Ed25519", true, ["verify"]),
    ]);
    return { privateKey, publicKey };
  }
  checkObject("options.key", key);
  const { publicKey } = key;
  for (const [name, usage] of [["privateKey", "sign"] as const, ["publicKey", "verify"] as const]) {
    if (key[name]?.algorithm?.name === "Ed25519" && key[name].usages.includes(usage)) continue;
    failOption(`options.key.${name}`, key[name], `a WebCrypto Ed25519 key that may ${usage}`);
  }
  if (!publicKey.extractable) failOption("options.key.publicKey", publicKey, "an extractable key");
  return key;
}

function isPortable(key: unknown): key is PortableKey {
  return typeof key === "string" || typeof (key as { export?: unknown } | null)?.export === "function";
}

async function readPortable(key: PortableKey): Promise<{ readonly x?: string; readonly d?: string }> {
  try {
    const { crv, x, d } = Object(typeof key === "string" ? await readPem(key) : key.export({ format: "jwk" }));
    return crv === "Ed25519" ? { x, ...(d && { d }) } : {};
  } catch {
    // The error could contain the key.
    return {};
  }
}

async function readPem(text: string): Promise<object> {
  const [, kind, body = ""] = /-----BEGIN (PRIVATE|PUBLIC) KEY-----([\sA-Za-z\d+/=]+)-----END/.exec(text) ?? [];
  const [format, usage] = kind === "PRIVATE" ? (["pkcs8", "sign"] as const) : (["spki", "verify"] as const);
  const bytes = fromBase64(body.replace(/\s/g, "")) ?? new Uint8Array();
  return crypto.subtle.exportKey("jwk", await crypto.subtle.importKey(format, bytes, "Ed25519", true, [usage]));
}

/** Omits the received value, which may be a private key. */
function failKey(option: string, key: PortableKey, kind: "private" | "public"): never {
  const expected = `an unencrypted Ed25519 ${kind} key in PEM format or as a KeyObject`;
  return failOption(option, key, expected);
}

async function describeEvents(
  runId: string,
  events: readonly AgentEvent[],
  { digest, recordedTo }: EventDigests,
): Promise<ExportedRun> {
  checkEventFormat(runId, events);
  const state = foldEvents(runId, events);
  const { status, plan, approvals = [] } = toRunSnapshot(state);
  const { request } = state;
  return {
    ...{ format: "planwright-run", version: 1, runId, status },
    ...(request !== undefined && { request }),
    ...(plan && { plan }),
    ...(plan && !state.mayBeSealed && { planHash: await hashPlan(plan) }),
    ...{ approvals, events, recordedTo, digest },
  };
}

type EventDigests = Pick<ExportedRun, "digest" | "recordedTo"> & { readonly wrongAt?: number };

function computeDigests(events: readonly AgentEvent[]): EventDigests {
  const chain = new EvidenceChain();
  let [digest, recordedTo] = ["", 0];
  for (const event of events) {
    chain.add(event);
    if (!isDigested(event) || event.digest === undefined) continue;
    digest = chain.close();
    if (digest !== event.digest) return { digest, recordedTo, wrongAt: event.sequence };
    recordedTo = event.sequence;
  }
  return { digest: recordedTo === events.at(-1)?.sequence ? digest : chain.close(), recordedTo };
}

function toSignedText({ runId, digest }: Pick<ExportedRun, "runId" | "digest">): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`planwright-run 1\n${runId}\n${digest}`);
}

async function sign(run: ExportedRun, { privateKey, publicKey }: KeyPair) {
  const [value, raw] = await Promise.all([
    crypto.subtle.sign("Ed25519", privateKey, toSignedText(run)),
    crypto.subtle.exportKey("raw", publicKey),
  ]);
  return { algorithm: "Ed25519", publicKey: toBase64(raw), value: toBase64(value) } as const;
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

/** The result of {@link verifyRun}. @group Evidence */
export type RunVerdict =
  /** The document, or the stored run before its export, was changed; `reason` is a sentence. */
  | { readonly status: "changed"; readonly reason: string }
  /** The document is consistent, but not signed by the given key. */
  | { readonly status: "untrusted"; readonly reason: string }
  /** The document is unchanged since the owner of this key exported it. */
  | {
      readonly status: "signed";
      /** Public key, 32 bytes in Base64. Unless `options.publicKey` was given, compare it with the key that you expect. */
      readonly publicKey: string;
      readonly recordedTo: number;
    }
  /** The document is consistent, but anyone who can write to the store could have made it. */
  | { readonly status: "unsigned"; readonly recordedTo: number };

/** Options of {@link verifyRun}. @inline */
export interface VerifyRunOptions {
  /** The required key: its 32 bytes in Base64, as PEM, or as a `KeyObject` of `node:crypto`. @default any */
  publicKey?: PortableKey | undefined;
}

/**
 * Checks an {@link ExportedRun}, as JSON text or parsed: its digests, its signature, and everything that follows from
 * its events. In JSON text, a duplicate key counts as a change. Rejects with `invalid-options` for anything that is
 * not an exported run of this version. {@includeCode ../../examples/31-evidence.ts} @group Evidence
 */
export async function verifyRun(document: unknown, options: VerifyRunOptions = {}): Promise<RunVerdict> {
  checkKeys("options", options, ["publicKey"]);
  const publicKey = options.publicKey === undefined ? undefined : await readPublicKey(options.publicKey);
  const run = readExport(document);
  const repeated = typeof document === "string" ? findRepeatedKey(document) : undefined;
  const reason = repeated === undefined ? await findChange(run) : `The key "${repeated}" occurs twice in one object.`;
  if (reason !== undefined) return { status: "changed", reason };
  const { signature, recordedTo } = run;
  if (signature === undefined) {
    return publicKey === undefined
      ? { status: "unsigned", recordedTo }
      : { status: "untrusted", reason: "The document is unsigned." };
  }
  if (!(await isSigned(run, signature))) return { status: "changed", reason: "The signature does not match." };
  return publicKey === undefined || publicKey === signature.publicKey
    ? { status: "signed", publicKey: signature.publicKey, recordedTo }
    : { status: "untrusted", reason: `The document is signed by another key, ${signature.publicKey}.` };
}

async function readPublicKey(key: PortableKey): Promise<string> {
  if (typeof key === "string" && fromBase64(key)?.length === 32) return key;
  const { x } = isPortable(key) ? await readPortable(key) : {};
  if (x === undefined) return failKey("options.publicKey", key, "public");
  return `${x.replaceAll("-", "+").replaceAll("_", "/")}=`;
}

function readExport(document: unknown): ExportedRun {
  let run = document as Partial<ExportedRun> | null | undefined;
  try {
    if (typeof document === "string") run = JSON.parse(document);
  } catch {
    // Text that is not JSON is refused below.
  }
  if (run?.format !== "planwright-run" || typeof run.runId !== "string" || !Array.isArray(run.events))
    failOption("document", document, "a run that was exported by exportRun, as JSON text or parsed");
  if (run.version !== 1) failOption("document.version", run.version, "1: another version of planwright wrote this run");
  return run as ExportedRun;
}

function findRepeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  let quoted = "";
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = endOfString(text, at);
      quoted = text.slice(at, end + 1);
      at = end;
    } else if (sign === "{") open.push(new Set());
    else if (sign === "}") open.pop();
    else if (sign === ":") {
      const key: string = JSON.parse(quoted);
      if (open.at(-1)?.has(key)) return key;
      open.at(-1)?.add(key);
    }
  }
  return undefined;
}

async function findChange(run: ExportedRun): Promise<string | undefined> {
  const { runId, events } = run;
  for (const [index, event] of events.entries()) {
    const { runId: of, sequence } = (event ?? {}) as Partial<AgentEvent>;
    if (of !== runId || sequence !== index + 1) return `Event ${index + 1} is missing or was replaced.`;
  }
  try {
    const digests = computeDigests(events);
    const [first, last] = [digests.recordedTo + 1, digests.wrongAt];
    if (last === first) return `Event ${last} does not match its digest.`;
    if (last !== undefined) return `One of the events ${first} to ${last} does not match the digest of event ${last}.`;
    const { signature: _signature, ...given } = run;
    const derived = await describeEvents(runId, events, digests);
    for (const key of new Set([...Object.keys(derived), ...Object.keys(given)])) {
      if (!isSameAt(key, derived, given)) return `The field "${key}" does not match the events.`;
    }
  } catch (thrown) {
    if (isAgentError(thrown, "store-failed") && thrown.details.problem === "wrong-format") {
      failOption("document.events", events, "in a known format: another version of planwright has recorded them");
    }
    return "The events do not form a run.";
  }
  return undefined;
}

function isSameAt(key: string, derived: object, given: object): boolean {
  if (Object.hasOwn(derived, key) !== Object.hasOwn(given, key)) return false;
  const [one, other] = [(derived as Keyed)[key], (given as Keyed)[key]];
  return one === other || canonicalJson(one) === canonicalJson(other);
}

async function isSigned(run: ExportedRun, signature: RunSignature): Promise<boolean> {
  const { algorithm, publicKey, value, ...others } = signature ?? {};
  if (algorithm !== "Ed25519" || Object.keys(others).length > 0) return false;
  const [raw, bytes] = [fromBase64(publicKey), fromBase64(value)];
  if (raw?.length !== 32 || bytes?.length !== 64) return false;
  const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, bytes, toSignedText(run));
}

function fromBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== "string" || !/^[A-Za-z0-9+/]+=*$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
