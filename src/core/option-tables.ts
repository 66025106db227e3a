import { maxTimerMs } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import { AgentError, type AgentErrorDetails } from "./errors.ts";
import { isPlainObject, isRecord } from "./json.ts";
import { remembered } from "./remembered.ts";
import { suggestName } from "./text.ts";

export type OptionReader<T> = (value: unknown, option: string) => T;

type OptionSpec<T = unknown> =
  | OptionReader<unknown>
  | ((
      | { readonly type: keyof typeof readers }
      | NumberSpec
      | { readonly oneOf: readonly T[] }
      | { readonly isValid: IsValid; readonly expected: string; readonly isHarmless?: true }
      | { readonly methods: readonly string[]; readonly expected: string }
      | { readonly options: AnyTable }
      | { readonly read: OptionReader<unknown> }
    ) & { readonly default?: T; readonly isRequired?: true });

type IsValid = (value: unknown) => boolean;

interface NumberSpec {
  readonly type: "number" | "integer" | "duration";
  readonly min: number;
  readonly max?: number;
}

export type OptionTable<TOptions> = { readonly [TKey in keyof TOptions]-?: OptionSpec<TOptions[TKey]> };

interface AnyTable {
  readonly [key: string]: OptionSpec;
}

export type SettingsOf<TOptions, TTable> = {
  readonly [TKey in keyof TTable]: SettingOf<TKey extends keyof TOptions ? TOptions[TKey] : never, TTable[TKey]>;
};

type SettingOf<T, TSpec> =
  TSpec extends OptionReader<infer TSetting>
    ? TSetting
    :
        | (TSpec extends { readonly read: OptionReader<infer TSetting> }
            ? TSetting
            : TSpec extends { readonly options: infer TTable }
              ? SettingsOf<NonNullable<T>, TTable>
              : Exclude<T, undefined>)
        | (TSpec extends { readonly default: unknown } | { readonly isRequired: true } ? never : undefined);

interface ReadOptions {
  readonly known?: readonly string[] | undefined;
  readonly call?: string;
  readonly example?: string;
  readonly whereElse?: WhereElse;
}

type WhereElse = (key: string) => string | undefined;

export function readOptions<TOptions extends object, TTable extends AnyTable>(
  table: TTable,
  options: TOptions,
  option?: string,
  { known, call = "", example, whereElse }: ReadOptions = {},
): SettingsOf<TOptions, TTable> {
  const { keys, entries, defaults } = prepare(table);
  const place = option ?? "options";
  const required = entries.find(({ isAlwaysRead }) => isAlwaysRead)?.key;
  checkObject(place, options, example ?? (required && `${call}{ ${required}: … }${call && ")"}`));
  checkKeys(place, options, known ?? keys, whereElse);
  const settings = { ...defaults };
  for (const { key, read, isAlwaysRead } of entries) {
    const value = (options as typeof defaults)[key];
    if (value === undefined && !isAlwaysRead) continue;
    settings[key] = read(value, option === undefined ? key : `${option}.${key}`);
  }
  return settings as SettingsOf<TOptions, TTable>;
}

export function checkOption(spec: OptionSpec, value: unknown, option: string): void {
  if (value !== undefined || isAlwaysRead(spec)) readerOf(spec)(value, option);
}

const prepare = remembered((table: AnyTable) => {
  const specs = Object.entries(table);
  const defaults: Record<string, unknown> = {};
  for (const [key, spec] of specs) defaults[key] = "default" in spec ? spec.default : undefined;
  const entries = specs.map(([key, spec]) => ({ key, read: readerOf(spec), isAlwaysRead: isAlwaysRead(spec) }));
  return { keys: Object.keys(table), entries, defaults };
});

function isAlwaysRead(spec: OptionSpec): boolean {
  return typeof spec === "function" || spec.isRequired === true;
}

function readerOf(spec: OptionSpec): OptionReader<unknown> {
  if (typeof spec === "function") return spec;
  if ("read" in spec) return spec.read;
  if ("options" in spec) return (value, option) => readOptions(spec.options, value as object, option);
  if ("isValid" in spec) return readerFor(spec.isValid, spec.expected, spec.isHarmless);
  if ("min" in spec) return numberReader(spec);
  if ("type" in spec) return readers[spec.type];
  if ("oneOf" in spec) {
    const { oneOf } = spec;
    return readerFor((value) => oneOf.includes(value), `${oneOf.slice(0, -1).join(", ")} or ${oneOf.at(-1)}`, true);
  }
  const { methods } = spec;
  return readerFor((value) => hasMethods(value, methods), `${spec.expected} (with ${methods.join(", ")})`);
}

function readerFor(isValid: IsValid, expected: string, isHarmless?: boolean): OptionReader<unknown> {
  return (value, option) => (isValid(value) ? value : failOption(option, value, expected, isHarmless));
}

function numberReader({ type, min, ...bounds }: NumberSpec): OptionReader<unknown> {
  const { max = type === "duration" ? maxTimerMs : Number.POSITIVE_INFINITY } = bounds;
  const range = max === Number.POSITIVE_INFINITY ? `of at least ${min}` : `from ${min} to ${max}`;
  const isValid = (value: unknown) =>
    (type === "duration" && value === Number.POSITIVE_INFINITY) ||
    (typeof value === "number" && value >= min && value <= max && (type !== "integer" || Number.isInteger(value)));
  return readerFor(isValid, `${type === "integer" ? "a whole number" : "a number"} ${range}`, true);
}

const readers = {
  any: (value: unknown) => value,
  text: readerFor((value) => typeof value === "string", "text"),
  "short-text": readerFor((value) => typeof value === "string" && value !== "", "text that is not empty"),
  boolean: readerFor((value) => typeof value === "boolean", "true or false", true),
  function: readerFor((value) => typeof value === "function", "a function"),
  signal: readerFor((value) => hasMethods(value, ["addEventListener"]), "an AbortSignal"),
  clock(value: unknown, option: string): unknown {
    checkOption({ methods: ["now", "setTimeout", "clearTimeout"], expected: "a clock" }, value, option);
    checkOption({ type: "function" }, (value as { readonly monotonic?: unknown }).monotonic, `${option}.monotonic`);
    return value;
  },
};

export function hasMethods(value: unknown, names: readonly string[]): boolean {
  const methods = (value ?? {}) as Readonly<Record<string, unknown>>;
  return names.every((name) => typeof methods[name] === "function");
}

/** Names of recent time zones. Cached, because the lookup costs as much as several steps. */
const zoneNames = new RecentMap<string>(20);

export function readTimeZone(timeZone: unknown, option: string): string {
  try {
    const known = zoneNames.get(String(timeZone));
    if (known !== undefined) return known;
    const { timeZone: name } = new Intl.DateTimeFormat("en", { timeZone: timeZone as string }).resolvedOptions();
    zoneNames.set(String(timeZone), name);
    return name;
  } catch {
    failOption(option, timeZone, 'the IANA name of a time zone, such as "Europe/Berlin"', true);
  }
}

export function failOption(
  option: string,
  received: unknown,
  expected: string,
  isHarmless = false,
  cause?: unknown,
): never {
  const text =
    isHarmless && typeof received === "string" ? JSON.stringify(received.slice(0, 200)) : describeValue(received);
  const problem = received === undefined ? "it is missing" : `received ${text}`;
  fail(`Option "${option}" must be ${expected}; ${problem}.`, { option, received: text, expected }, cause);
}

function fail(message: string, details: AgentErrorDetails["invalid-options"], cause?: unknown): never {
  throw new AgentError("invalid-options", message, { details, cause });
}

export function defined<T extends object>(options: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export function checkObject(option: string, value: unknown, example?: string): asserts value is object {
  if (isRecord(value) && !(value instanceof Promise)) return;
  const expected = example === undefined ? "an object" : `an object such as ${example}`;
  const [call] = /^\w+(?=\()/.exec(example ?? "") ?? [];
  if (call === undefined) failOption(option, value, expected);
  const received = describeValue(value);
  fail(`${call} takes an object: write ${example}. Received ${received}.`, { option, received, expected });
}

/** Refuses a `Map` and `Headers`, whose entries would be lost. */
export function checkPlainObject(option: string, value: unknown, of = "values"): asserts value is object {
  if (!isPlainObject(value)) failOption(option, value, `a plain object of ${of} by name`);
}

/** Names an unknown key without its value, which may be a secret. */
export function checkKeys(option: string, value: unknown, known: readonly string[], whereElse?: WhereElse): void {
  checkObject(option, value);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const elsewhere = whereElse?.(unknown);
  const place = option === "options" ? unknown : `${option}.${unknown}`;
  const expected = elsewhere ?? `one of ${known.join(", ")}`;
  const advice = elsewhere
    ? ` It is ${elsewhere}.`
    : `${suggestName(unknown, known)} The options are ${known.join(", ")}.`;
  fail(`Unknown option "${place}".${advice}`, { option: `${option}.${unknown}`, received: unknown, expected });
}

export function describeValue(value: unknown): string {
  if (typeof value === "string") return value === "" ? '""' : "text";
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object") return String(value);
  try {
    if (value instanceof Promise) return "a Promise: await it";
    return Array.isArray(value) ? `an array of length ${value.length}` : "an object";
  } catch {
    return "something that cannot be read";
  }
}
