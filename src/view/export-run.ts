import { AgentError } from "../core/errors.ts";
import { type AgentEvent, checkEventFormat, isDigested } from "../core/events.ts";
import { EvidenceChain } from "../core/evidence.ts";
import { checkKeys, checkObject, checkOption, failOption } from "../core/options.ts";
import type { Plan } from "../core/plan.ts";
import { type ApprovalRecord, toRunSnapshot } from "../core/run-result.ts";
import { initialRunState, reduceRunState } from "../core/run-state.ts";
import type { RunStore } from "../core/run-store.ts";
import type { RunStatus } from "../core/run-summary.ts";
import { hashPlan } from "../plan/hash-plan.ts";

/** A run as one JSON document; `verifyRun` checks it. @group Evidence */
export interface ExportedRun {
  readonly format: "planwright-run";
  /** Of this format. */
  readonly version: 1;
  readonly runId: string;
  readonly status: RunStatus;
  /** Absent if it was started with a plan. */
  readonly request?: string;
  /** The latest; absent if there is none. */
  readonly plan?: Plan;
  /** As `hashPlan` computes it; absent if values of the plan may be sealed, as it is the hash of the opened ones that is approved. */
  readonly planHash?: string;
  /** Who approved or rejected what, and when. */
  readonly approvals: readonly ApprovalRecord[];
  /** As they are stored: sealed values are sealed. */
  readonly events: readonly AgentEvent[];
  /** The number of the last event that is covered by a digest recorded while the run ran: 0 without `evidence`. */
  readonly recordedTo: number;
  /** That of all events: the last recorded one, unless events follow it. */
  readonly digest: string;
  /** Over the lines `planwright-run 1`, the id and the digest, in UTF-8, without a line break at the end. */
  readonly signature?: RunSignature;
}

/** @inline */
export interface RunSignature {
  readonly algorithm: "Ed25519";
  /** 32 bytes, in Base64. */
  readonly publicKey: string;
  /** 64 bytes, in Base64. */
  readonly value: string;
}

/** Options of {@link exportRun}. @inline */
export interface ExportRunOptions {
  /** Where the run is kept. */
  store: Pick<RunStore, "read">;
  runId: string;
  /**
   * Signs the export: two Ed25519 keys of WebCrypto, the public one extractable. Whoever knows the public key can tell
   * that nobody else has made or changed the export.
   * @default none: unsigned
   */
  key?: { readonly privateKey: Key; readonly publicKey: Key } | undefined;
}

/** A `CryptoKey`: its name is global with the types of some platforms only. @inline */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/**
 * Exports a stored run, in whatever state it is, as a JSON document with its plan, its decisions and every recorded event.
 * Sealed values stay sealed. A run that was changed in the store is exported as it is: `verifyRun` tells. Rejects with `run-not-found`, `invalid-options`, or what the store throws.
 *
 * {@includeCode ../../examples/31-evidence.ts}
 * @group Evidence
 */
export async function exportRun(options: ExportRunOptions): Promise<ExportedRun> {
  checkKeys("options", options, ["store", "runId", "key"]);
  const { store, runId, key } = options;
  checkOption({ methods: ["read"], expected: "a run store", isRequired: true }, store, "options.store");
  checkOption({ type: "text", isRequired: true }, runId, "options.runId");
  if (key !== undefined) checkKey(key);
  const events = await store.read(runId);
  if (events.length === 0) {
    throw new AgentError("run-not-found", `There is no run "${runId}" in the store.`, { details: { runId } });
  }
  const unsigned = await describeEvents(runId, events, digestsOf(events));
  return key === undefined ? unsigned : { ...unsigned, signature: await sign(unsigned, key) };
}

function checkKey(pair: NonNullable<ExportRunOptions["key"]>): void {
  checkObject("options.key", pair);
  const { privateKey, publicKey } = pair;
  for (const [name, key, usage] of [
    ["privateKey", privateKey, "sign"],
    ["publicKey", publicKey, "verify"],
  ] as const) {
    if (key?.algorithm?.name === "Ed25519" && key.usages.includes(usage)) continue;
    failOption(`options.key.${name}`, key, `an Ed25519 key of WebCrypto that may ${usage}`);
  }
  if (!publicKey.extractable) failOption("options.key.publicKey", publicKey, "an extractable key");
}

/** All of an export that follows from its events. Rejects if they are not those of a run. */
export async function describeEvents(
  runId: string,
  events: readonly AgentEvent[],
  { digest, recordedTo }: EventDigests,
): Promise<ExportedRun> {
  const state = initialRunState(runId);
  checkEventFormat(runId, events);
  for (const event of events) reduceRunState(state, event);
  const { status, request, plan, approvals = [] } = toRunSnapshot(state);
  return {
    format: "planwright-run",
    version: 1,
    runId,
    status,
    ...(request !== undefined && { request }),
    ...(plan && { plan }),
    ...(plan && !state.mayBeSealed && { planHash: await hashPlan(plan) }),
    approvals,
    events,
    recordedTo,
    digest,
  };
}

/** The digests of a run's events, computed again. */
export interface EventDigests {
  /** See {@link ExportedRun.digest}. */
  readonly digest: string;
  /** See {@link ExportedRun.recordedTo}. */
  readonly recordedTo: number;
  /** The number of the first event that states another digest. */
  readonly wrongAt?: number;
}

/** Computes the digests of events, up to the first that states another one. */
export function digestsOf(events: readonly AgentEvent[]): EventDigests {
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

/** The text of an export that is signed. @internal */
export function signedText({ runId, digest }: Pick<ExportedRun, "runId" | "digest">): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`planwright-run 1\n${runId}\n${digest}`);
}

async function sign(run: ExportedRun, { privateKey, publicKey }: NonNullable<ExportRunOptions["key"]>) {
  const [value, raw] = await Promise.all([
    crypto.subtle.sign("Ed25519", privateKey, signedText(run)),
    crypto.subtle.exportKey("raw", publicKey),
  ]);
  return { algorithm: "Ed25519", publicKey: toBase64(raw), value: toBase64(value) } as const;
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
