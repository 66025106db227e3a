import type { ModelPrice } from "../../core/language-model.ts";
import { type ModelCallOptions, modelCallOptions, priceOptions } from "../../core/model-calls.ts";
import {
  checkPlainObject,
  failOption,
  type OptionTable,
  readOptions,
  type SettingsOf,
} from "../../core/option-tables.ts";

/** True to think before an answer, or the level of thinking. @inline */
export type OllamaThink = boolean | "low" | "medium" | "high" | "max";

/** Options of {@link createOllamaModel}. @group Models */
export interface OllamaModelOptions extends ModelCallOptions {
  /** Name of the model in `ollama list`, such as `qwen3` or `llama3.2:3b`. */
  model: string;
  /** Address of the server; the scheme is optional. The environment is not read. @default http://127.0.0.1:11434 */
  host?: string | undefined;
  /** Headers of each request, such as `{ authorization: "Bearer …" }`. Errors never contain them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** True to think first, which rarely improves a plan. @default `low` for gpt-oss, which must think, else false */
  think?: OllamaThink | undefined;
  /** Key for the server, sent as `authorization: Bearer …`. Errors never contain it. */
  apiKey?: string | undefined;
  /**
   * Size of the context in tokens (`num_ctx`), at least 256; `server` leaves the choice to the server. A change reloads
   * the model. @default a power of two from 4096, with room for the largest request so far and two answers
   */
  contextTokens?: number | "server" | undefined;
  /** Seed that makes answers repeatable at a temperature above 0. @default the server's */
  seed?: number | undefined;
  /** Other options of Ollama, such as `{ top_k: 20 }`. `seed`, `contextTokens` and a call's options take precedence. */
  options?: Readonly<Record<string, unknown>> | undefined;
  /** Time that the model stays loaded: in seconds, or as `10m`; forever if negative. @default the server's 5 minutes */
  keepAlive?: string | number | undefined;
  /** Price of the model's tokens. @default nothing, as it runs locally */
  price?: ModelPrice | undefined;
  /** Replaces `fetch`, for a proxy or to wait more than Node's limit of 300 s for a token. @default the global one */
  fetch?: typeof globalThis.fetch | undefined;
}

const thinkLevels = new Set<unknown>([true, false, "low", "medium", "high", "max"]);

const modelOptions = {
  model: {
    isValid: (model) => typeof model === "string" && model.trim() !== "",
    expected: "the name of a model",
    isRequired: true,
  },
  host: readOllamaHost,
  headers: readHeaders,
  think: {
    isValid: (value) => thinkLevels.has(value),
    expected: 'true, false, "low", "medium", "high" or "max"',
    isHarmless: true,
  },
  apiKey: {
    isValid: (key) => typeof key === "string" && key !== "" && isHeader("authorization", `Bearer ${key}`),
    expected: "a key that a header may contain",
  },
  contextTokens: {
    isValid: (value) => value === "server" || (Number.isSafeInteger(value) && (value as number) >= 256),
    expected: 'a whole number from 256, or "server"',
    isHarmless: true,
  },
  seed: { type: "integer", min: 0, max: 2 ** 31 - 1 },
  options: (options = {}, option): Readonly<Record<string, unknown>> => {
    checkPlainObject(option, options);
    return { ...options };
  },
  keepAlive: { isValid: isKeepAlive, expected: 'a number of seconds, or text such as "10m"', isHarmless: true },
  ...modelCallOptions,
  price: { options: priceOptions, default: { inputPerMillion: 0, outputPerMillion: 0 } },
  // Looks up `fetch` for each request, as tests and proxies replace it.
  fetch: { type: "function", default: (input, init) => globalThis.fetch(input, init) },
} satisfies OptionTable<OllamaModelOptions>;

export interface OllamaSettings extends Omit<SettingsOf<OllamaModelOptions, typeof modelOptions>, "model" | "apiKey"> {
  readonly provider: "ollama";
  readonly modelId: string;
}

export function resolveOllamaOptions(options: OllamaModelOptions): OllamaSettings {
  const call = "createOllamaModel(";
  const { model, apiKey, headers, ...settings } = readOptions(modelOptions, options, undefined, { call });
  const key: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return { provider: "ollama", modelId: model, ...settings, headers: { ...key, ...headers } };
}

/** Errors must not contain the value of a header, which may be a key. */
function readHeaders(headers: unknown = {}, option: string): Readonly<Record<string, string>> {
  checkPlainObject(option, headers, "text values");
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" || !isHeader(name, value)) failOption(`${option}.${name}`, value, "a valid header");
  }
  return { ...headers };
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

const goDuration =
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/;

function isKeepAlive(value: unknown): boolean {
  return typeof value === "string" ? goDuration.test(value) : Number.isFinite(value);
}

const defaultOllamaHost = "http://127.0.0.1:11434";

/** Limits the length, as parsing a name of many non-ASCII letters takes quadratic time. */
const maxHostLength = 2_000;

/** Without a scheme, the default port is 11434, as in the client library. */
function readOllamaHost(host: unknown = defaultOllamaHost, option: string): string {
  const expected = `an address such as ${defaultOllamaHost}`;
  if (typeof host !== "string" || host.trim() === "") return failOption(option, host, expected);
  const text = host.trim();
  if (text.length > maxHostLength)
    return failOption(option, host, `an address of at most ${maxHostLength} characters, not ${text.length}`);
  const hasScheme = text.includes("://");
  const address = hasScheme ? text : `http://${text.startsWith(":") ? "127.0.0.1" : ""}${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // The received address may contain a password.
  if (url !== undefined && url.username + url.password !== "")
    return failOption(option, "…@…", 'an address without a name and password, which go in "headers"', true);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return failOption(option, host, expected);
  if (!hasScheme && !/:\d+(?:\/|$)/.test(text)) url.port = "11434";
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}
