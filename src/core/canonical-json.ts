import { countPending } from "../async/pending-work.ts";

/** SHA-256 of a text in UTF-8, as 64 lowercase hex digits. */
export async function sha256(text: string): Promise<string> {
  const digest = await countPending(crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * JSON Canonicalization Scheme, RFC 8785: no white space, keys sorted by UTF-16 code units, numbers and strings as
 * ECMAScript writes them. `undefined` keys are left out, elsewhere it is null.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${members.join(",")}}`;
}
