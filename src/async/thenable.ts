/** Whether a value is a promise of whatever make: of another realm, or of a library that begins its work in `then`. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
