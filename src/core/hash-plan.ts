import { countOutside } from "../async/outside-work.ts";
import { AgentError } from "./errors.ts";
import { toJson } from "./json.ts";
import { type AnyPlan, maxPlanBytes, type PlanIssue } from "./plan.ts";

/**
 * The SHA-256 of a plan's version, request and steps: 64 lowercase hex digits.
 *
 * They are hashed as the JSON that runs (a `Date` is ISO text), in canonical form; only a missing version counts as 1
 * and a missing request as "". Id, source and time do not count. Tools are not checked: `validatePlan` does that.
 * Rejects with `invalid-plan` for anything that is not JSON or has no steps.
 *
 * {@includeCode ../../examples/04-approve-a-plan.ts}
 * @group Plans
 */
export async function hashPlan(plan: AnyPlan): Promise<string> {
  const json = toJson(plan, { maxBytes: maxPlanBytes });
  if (!json.ok) throw notHashed({ code: "not-json", ...json.issue });
  const copy = json.value as Partial<AnyPlan> | null;
  if (!Array.isArray(copy?.steps))
    throw notHashed({ code: "invalid-shape", path: ["steps"], message: "a plan has steps" });
  return sha256(canonicalPlan(copy as AnyPlan));
}

function notHashed(issue: PlanIssue): AgentError<"invalid-plan"> {
  const message = `The plan has no hash: ${[...issue.path, issue.message].join(": ")}`;
  return new AgentError("invalid-plan", message, { details: { issues: [issue] } });
}

/** The text that {@link hashPlan} hashes, for a plan that is JSON: plans with the same text are the same. */
export function canonicalPlan({ version = 1, request = "", steps }: AnyPlan): string {
  return canonicalJson({ version, request, steps });
}

/** SHA-256 of a text in UTF-8, as 64 lowercase hex digits. */
export async function sha256(text: string): Promise<string> {
  const digest = await countOutside(crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
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
