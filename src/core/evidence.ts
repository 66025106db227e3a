import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type AgentEvent, isDigested } from "./events.ts";
import { canonicalJson } from "./json.ts";

/** Each digest covers the previous digest and the events since. Stores may reorder keys, so events are canonical JSON. */
export class EvidenceChain {
  #hash = sha256.create();
  readonly #encoder = new TextEncoder();

  constructor(previous = "") {
    this.#update(previous);
  }

  add(event: AgentEvent): void {
    this.#update(canonicalJson(isDigested(event) ? { ...event, digest: undefined } : event));
  }

  close(): string {
    const digest = bytesToHex(this.#hash.digest());
    this.#hash = sha256.create();
    this.#update(digest);
    return digest;
  }

  #update(text: string): void {
    this.#hash.update(this.#encoder.encode(`${text}\n`));
  }
}
