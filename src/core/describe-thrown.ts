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
