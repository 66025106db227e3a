import type { JsonPath } from "../../../core/json.ts";
import type { PlanMend } from "../../../core/plan.ts";

const maxLength = 100;

/** A mend as a plan's source has it. Without `read`, what was written was left out. */
export function describeMend(
  kind: PlanMend["kind"],
  { path, written, read }: { readonly path: JsonPath; readonly written: unknown; readonly read: unknown },
): PlanMend {
  return { kind, path, written: shorten(written), ...(read !== undefined && { read: shorten(read) }) };
}

/** A hostile answer may be long. */
function shorten(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.slice(0, maxLength).toWellFormed();
}
