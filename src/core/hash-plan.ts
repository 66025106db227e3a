import type { PlanInput } from "./plan.ts";
import type { Tool } from "./tool.ts";

/**
 * The SHA-256 of a plan's version, request and steps: 64 lowercase hex digits.
 *
 * They are hashed exactly as written, in canonical JSON; only a missing version counts as 1 and a missing request as "".
 * Id, source and time do not count. What is not JSON makes no sense here: validate the plan first.
 */
export function hashPlan<TTool extends Tool = Tool>(plan: PlanInput<TTool>): Promise<string> {
  return sha256(canonicalPlan(plan));
}

/** The text that {@link hashPlan} hashes: two plans are the same if theirs are. */
export function canonicalPlan<TTool extends Tool = Tool>({
  version = 1,
  request = "",
  steps,
}: PlanInput<TTool>): string {
  return canonicalJson({ version, request, steps });
}

/** SHA-256 of a text in UTF-8, as 64 lowercase hex digits. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
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
