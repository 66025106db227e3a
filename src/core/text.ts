const maxKeys = 20;

/**
 * What was thrown, as text; never throws. Of an object that is not an error only the keys are shown, as the values may
 * be the headers or the body of a response.
 */
export function describeThrown(thrown: unknown): string {
  try {
    if (typeof thrown === "function") return "a function";
    if (typeof thrown !== "object" || thrown === null) return String(thrown);
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
    const kind = Object.prototype.toString.call(thrown).slice("[object ".length, -1);
    const keys = Object.keys(thrown);
    if (keys.length === 0) return `${kind} without keys`;
    return `${kind} with the keys ${keys.slice(0, maxKeys).join(", ")}${keys.length > maxKeys ? " …" : ""}`;
  } catch {
    return "something that cannot be read";
  }
}

/** A text of at most `max` UTF-16 code units, with `end` where it was cut; never half a surrogate pair. */
export function cutText(text: string, max: number, end = "…"): string {
  if (text.length <= max) return text;
  return text.slice(0, max - end.length).replace(/[\uD800-\uDBFF]$/, "") + end;
}

/**
 * Makes text safe to put into a plan's input: it is never read as a reference, even when other text is appended to it.
 * `use ${HOME}` becomes `use ${$}{HOME}`, which is `use ${HOME}` again when the plan runs.
 *
 * {@includeCode ../../examples/16-your-own-planner.ts}
 * @group Plans
 */
export function escapeTemplate(text: string): string {
  return text.includes("$") ? text.replace(/\$(?=\{|$)/g, () => "${$}") : text;
}
