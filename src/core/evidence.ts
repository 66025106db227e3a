import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type AgentEvent, isDigested } from "./events.ts";
import { canonicalJson } from "./json.ts";

/**
 * Computes the digests of a run's events. Each is the SHA-256 of the digest before it and a line break, then of each
 * event since then as canonical JSON (RFC 8785) and a line break; the event that states the digest comes last, without
 * it. So no store has to keep the order of keys.
 */
export class EvidenceChain {
  private hash = sha256.create();
  private readonly encoder = new TextEncoder();

  /** `previous` is the last digest of the run; empty for a run without one. */
  constructor(previous = "") {
    this.update(previous);
  }

  add(event: AgentEvent): void {
    this.update(canonicalJson(isDigested(event) ? { ...event, digest: undefined } : event));
  }

  close(): string {
    const digest = bytesToHex(this.hash.digest());
    this.hash = sha256.create();
    this.update(digest);
    return digest;
  }

  private update(text: string): void {
    this.hash.update(this.encoder.encode(`${text}\n`));
  }
}
