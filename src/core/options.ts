import { maxTimerMs } from "../async/clock.ts";
import { AgentError } from "./errors.ts";

/** Bounds of a numeric option. */
interface NumberBounds {
  readonly min: number;
  readonly max?: number;
  readonly isInteger?: boolean;
  /** Whether it may not be left out. */
  readonly isRequired?: boolean;
}

/** Throws `invalid-options` with what was received and what would have worked. */
export function failOption(option: string, received: unknown, expected: string): never {
  const text = typeof received === "string" ? JSON.stringify(received.slice(0, 200)) : describeValue(received);
  const actual = received === undefined ? "it is missing" : `received ${text}`;
  throw new AgentError("invalid-options", `Option "${option}" must be ${expected}; ${actual}.`, {
    details: { option, received: text, expected },
  });
}

/**
 * Throws `invalid-options` unless the value is a number within the bounds (`Infinity` counts), or undefined if allowed.
 */
export function checkNumber(
  option: string,
  value: unknown,
  { min, max = Number.POSITIVE_INFINITY, isInteger, isRequired }: NumberBounds,
) {
  if (value === undefined && !isRequired) return;
  const isNumber = typeof value === "number" && value >= min && value <= max;
  if (isNumber && (!isInteger || Number.isInteger(value))) return;
  const range = max === Number.POSITIVE_INFINITY ? `of at least ${min}` : `from ${min} to ${max}`;
  failOption(option, value, `${isInteger ? "a whole number" : "a number"} ${range}`);
}

export { maxTimerMs as maxDurationMs } from "../async/clock.ts";

/** Throws `invalid-options` unless the value is undefined, `Infinity`, or a duration that a timer can have. */
export function checkDuration(option: string, value: unknown, { min }: { min: number }): void {
  if (value === Number.POSITIVE_INFINITY) return;
  checkNumber(option, value, { min, max: maxTimerMs });
}

/** Throws `invalid-options` unless the value is undefined or a function. */
export function checkFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") failOption(option, value, "a function");
}

/** Throws `invalid-options` unless the value is undefined or a clock. */
export function checkClock(option: string, value: unknown): void {
  if (value === undefined) return;
  const { now, monotonic, setTimeout, clearTimeout } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isClock = [now, setTimeout, clearTimeout].every((method) => typeof method === "function");
  if (!isClock) failOption(option, value, "a clock (with now, setTimeout, clearTimeout)");
  checkFunction(`${option}.monotonic`, monotonic);
}

/** Throws `invalid-options` unless the value is undefined or a model's price; `option` is the caller's name for it. */
export function checkPrice(option: string, price: unknown): void {
  if (price === undefined) return;
  checkKeys(option, price, ["inputPerMillion", "outputPerMillion"]);
  const { inputPerMillion, outputPerMillion } = price as Readonly<Record<string, unknown>>;
  const bounds = { min: 0, max: Number.MAX_VALUE, isRequired: true };
  checkNumber(`${option}.inputPerMillion`, inputPerMillion, bounds);
  checkNumber(`${option}.outputPerMillion`, outputPerMillion, bounds);
}

/** Throws `invalid-options` for anything that is not an object. */
export function checkObject(option: string, value: unknown): asserts value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) failOption(option, value, "an object");
}

/**
 * Throws `invalid-options` for the first unknown key, and for anything that is not an object. `whereElse` may say what
 * an unknown key is an option of, and how to pass it there.
 */
export function checkKeys(
  option: string,
  value: unknown,
  known: readonly string[],
  whereElse?: (key: string) => string | undefined,
): void {
  checkObject(option, value);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const elsewhere = whereElse?.(unknown);
  const reason = elsewhere ? `"${unknown}" is ${elsewhere}` : `there is no such option, only ${known.join(", ")}`;
  failOption(`${option}.${unknown}`, (value as Record<string, unknown>)[unknown], `left out: ${reason}`);
}

function describeValue(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object") return String(value);
  return Array.isArray(value) ? `an array of ${value.length}` : "an object";
}
