import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type AgentEvent, isDigested } from "./events.ts";
import { canonicalJson } from "./json.ts";

/** Each digest is of the digest before it and of each event since then, as canonical JSON: no store keeps the order of keys. */
export class EvidenceChain {
  private hash = sha256.create();
  private readonly encoder = new TextEncoder();

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
