import { createHash } from "node:crypto";
import { canonicalJson } from "../../core/canonical-json.ts";
import type { JsonObject } from "../../core/json.ts";

/** A key of metadata and its value, as canonical JSON, hashed to a short text. */
export function metadataHash(key: string, value: string): string {
  return createHash("sha256")
    .update(`${JSON.stringify(key)}:${value}`)
    .digest("base64url")
    .slice(0, 22);
}

/** The hashes of all metadata of a run. */
export function metadataHashes(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata).map(([key, value]) => metadataHash(key, canonicalJson(value)));
}
