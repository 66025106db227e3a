import { type Clock, systemClock } from "../../async/clock.ts";
import type { RetryOptions, RetryPolicy } from "../../async/retry.ts";
import { checkRetryOptions } from "../../core/check-tool.ts";
import type { ModelPrice } from "../../core/language-model.ts";
import {
  checkClock,
  checkFunction,
  checkKeys,
  checkNumber,
  checkObject,
  checkPrice,
  failOption,
} from "../../core/options.ts";
import { defaultOllamaHost, parseOllamaHost } from "./ollama-host.ts";

/** Whether a model thinks before it answers, and how hard. @inline */
export type OllamaThink = boolean | "low" | "medium" | "high";

/** Options of {@link createOllamaModel}. @group Models */
export interface OllamaModelOptions {
  /** Which model, as `ollama list` names it, such as `qwen3` or `llama3.2:3b`. */
  model: string;
  /** Where the server is; the scheme may be left out. The environment is not read. @default http://127.0.0.1:11434 */
  host?: string | undefined;
  /** Sent with each request, such as `{ authorization: "Bearer …" }`. Never in an error. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether it thinks first; never sent to a model that cannot. @default `low` for gpt-oss, which always thinks, else
   * false: it seldom makes a plan better, and always slower
   */
  think?: OllamaThink | undefined;
  /**
   * The context to ask for, in tokens, at least 256: `num_ctx`. The server reloads a model when it changes.
   * @default what the largest request so far needs, at least 4096 and at most what the model has
   */
  contextTokens?: number | undefined;
  /**
   * How long the server keeps the model loaded after a call: seconds, or a text such as `10m`; negative means forever.
   * @default the server's, which is 5 minutes unless configured otherwise
   */
  keepAlive?: string | number | undefined;
  /** What it costs. @default nothing: it runs locally */
  price?: ModelPrice | undefined;
  /**
   * How a call is retried if the server is too busy; one whose runner crashed is retried once at most.
   * @default 3 attempts, 500 ms before the second
   */
  retry?: RetryOptions | undefined;
  /**
   * For a proxy, or to wait longer than the 300 seconds that Node's waits for the first token. @default the global one
   */
  fetch?: typeof globalThis.fetch | undefined;
  /** For the delays between attempts. @default the machine's */
  clock?: Clock | undefined;
  /** For the jitter of delays: from 0 to 1. @default Math.random */
  random?: (() => number) | undefined;
}

/** {@link OllamaModelOptions}, checked and with the defaults filled in. */
export interface OllamaSettings {
  readonly provider: "ollama";
  readonly modelId: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly think: OllamaThink | undefined;
  readonly contextTokens: number | undefined;
  readonly keepAlive: string | number | undefined;
  readonly price: ModelPrice;
  readonly retry: RetryPolicy;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: () => number;
}

const keys = [
  "model",
  "host",
  "headers",
  "think",
  "contextTokens",
  "keepAlive",
  "price",
  "retry",
  "fetch",
  "clock",
  "random",
];

const defaultRetry: RetryPolicy = {
  maxAttempts: 3,
  minDelayMs: 500,
  maxDelayMs: 30_000,
  factor: 2,
  maxTotalMs: Number.POSITIVE_INFINITY,
};

/** Throws `invalid-options`. */
export function resolveOllamaOptions(options: OllamaModelOptions): OllamaSettings {
  checkKeys("options", options, keys);
  const { model, host = defaultOllamaHost, headers, think, contextTokens, keepAlive, price, retry } = options;
  if (typeof model !== "string" || model.trim() === "") failOption("model", model, "the name of a model");
  checkHeaders(headers);
  if (think !== undefined && typeof think !== "boolean" && !["low", "medium", "high"].includes(think)) {
    failOption("think", think, 'true, false, "low", "medium" or "high"');
  }
  checkNumber("contextTokens", contextTokens, { min: 256, max: Number.MAX_SAFE_INTEGER, isInteger: true });
  checkKeepAlive(keepAlive);
  checkPrice("price", price);
  checkRetryOptions("retry", retry);
  checkClock("clock", options.clock);
  for (const key of ["fetch", "random"] as const) checkFunction(key, options[key]);
  return {
    provider: "ollama",
    modelId: model,
    host: parseOllamaHost("host", host),
    headers: { ...headers },
    think,
    contextTokens,
    keepAlive,
    price: price ?? { inputPerMillion: 0, outputPerMillion: 0 },
    retry: {
      maxAttempts: retry?.maxAttempts ?? defaultRetry.maxAttempts,
      minDelayMs: retry?.minDelayMs ?? defaultRetry.minDelayMs,
      maxDelayMs: retry?.maxDelayMs ?? defaultRetry.maxDelayMs,
      factor: retry?.factor ?? defaultRetry.factor,
      maxTotalMs: retry?.maxTotalMs ?? defaultRetry.maxTotalMs,
    },
    // Looked up with each request, so that the current one is used.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/** Errors name the header, and never show its value: it may be a key. */
function checkHeaders(headers: unknown): void {
  if (headers === undefined) return;
  checkObject("headers", headers);
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string" || !isHeader(name, value)) {
      failOption(`headers.${name}`, typeof value === "string" ? "…" : typeof value, "text that a header can have");
    }
  }
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

function checkKeepAlive(keepAlive: unknown): void {
  const isNumber = typeof keepAlive === "number" && Number.isFinite(keepAlive);
  if (keepAlive === undefined || isNumber || (typeof keepAlive === "string" && goDuration.test(keepAlive))) return;
  failOption("keepAlive", keepAlive, 'a number of seconds, or a text such as "10m"');
}
