import { onAbort } from "../async/abort.ts";
import type { CallVerdict } from "../async/circuit-breaker.ts";
import { type Clock, monotonicNow, sleep, systemClock } from "../async/clock.ts";
import { settleOrAbort } from "../async/promises.ts";
import {
  askedTooLong,
  type RetryOptions,
  type RetryPolicy,
  retryAfterMs,
  retryDelayMs,
  retryFailed,
} from "../async/retry.ts";
import { CallGate, callLimitOptions, retryOptions } from "./call-gate.ts";
import { toErrorData } from "./error-data.ts";
import { AgentError, isAgentError } from "./errors.ts";
import {
  type LanguageModel,
  type ModelPrice,
  type ModelRequest,
  type ModelResponse,
  modelName,
} from "./language-model.ts";
import { modelFailure } from "./model-failure.ts";
import { type OptionTable, readOptions, type SettingsOf } from "./option-tables.ts";
import type { ToolLimitOptions } from "./tool.ts";

/** Options for calls of a model: limits, price and retries. @inline */
export interface ModelCallOptions extends ToolLimitOptions {
  /** Retry policy for calls that may succeed later, with delays of up to `maxDelayMs`. @default 3 attempts, 500 ms before the second */
  readonly retry?: RetryOptions | undefined;
  /** Price of the model's tokens, needed for a budget of `cost`. @default unknown */
  readonly price?: ModelPrice | undefined;
  /** Clock for the delays between attempts. @default the machine's */
  readonly clock?: Clock | undefined;
  /** Source of random numbers from 0 to 1 for the jitter of delays. @default Math.random */
  readonly random?: (() => number) | undefined;
}

export const priceOptions = {
  inputPerMillion: { type: "number", min: 0, max: Number.MAX_VALUE, isRequired: true },
  cachedInputPerMillion: { type: "number", min: 0, max: Number.MAX_VALUE },
  outputPerMillion: { type: "number", min: 0, max: Number.MAX_VALUE, isRequired: true },
} satisfies OptionTable<ModelPrice>;

export const modelCallOptions = {
  price: { options: priceOptions },
  retry: readRetry,
  ...callLimitOptions,
  clock: { type: "clock", default: systemClock },
  random: { type: "function", default: () => Math.random() },
} satisfies OptionTable<ModelCallOptions>;

function readRetry(retry: unknown = {}, option: string): RetryPolicy {
  const table = { ...retryOptions, minDelayMs: { type: "duration", min: 0, default: 500 } } as const;
  return readOptions(table, retry as RetryOptions, option);
}

type ModelCallSettings = ToolLimitOptions &
  Pick<SettingsOf<ModelCallOptions, typeof modelCallOptions>, "retry" | "clock" | "random">;

const abortGraceMs = 1_000;

type Attempt = { readonly ok: true; readonly value: ModelResponse } | { readonly ok: false; thrown: unknown };
type Ask = (request: ModelRequest) => Promise<ModelResponse>;

export class ModelCalls {
  readonly #gate: CallGate;
  /** Refusals of an open circuit, which are not retried, because the next attempt would be refused too. */
  readonly #refusals = new WeakSet<object>();

  constructor(
    readonly model: Pick<LanguageModel, "provider" | "modelId">,
    private readonly settings: ModelCallSettings,
  ) {
    this.#gate = new CallGate(settings, settings.clock, (afterMs) => {
      const seconds = Math.ceil(afterMs / 1_000);
      const message = `${modelName(model)} has failed too often; it will be called again in ${seconds} s at the earliest.`;
      const refusal = modelFailure(model, "busy", { message });
      this.#refusals.add(refusal);
      return refusal;
    });
  }

  async run(request: ModelRequest, ask: Ask): Promise<ModelResponse> {
    const { signal } = request;
    signal.throwIfAborted();
    // A provider may leave listeners on the signal, so each call has its own.
    const call = new AbortController();
    const stopListening = onAbort(signal, () => call.abort(signal.reason));
    try {
      return await settleOrAbort(this.#repeat({ ...request, signal: call.signal }, ask), signal);
    } finally {
      stopListening();
    }
  }

  async #repeat(request: ModelRequest, ask: Ask): Promise<ModelResponse> {
    const { retry, clock, random } = this.settings;
    const { signal, attempts } = request;
    const latestStartMs = monotonicNow(clock) + retry.maxTotalMs;
    const attempt = (number: number): Promise<Attempt> =>
      this.#attempt(request, number, ask).then(
        (value) => ({ ok: true, value }),
        (thrown: unknown) => ({ ok: false, thrown }),
      );
    const shouldRetry = async (failure: Attempt, number: number): Promise<boolean> => {
      if (failure.ok || signal.aborted) return false;
      const { thrown } = failure;
      if (!isAgentError(thrown, "model-failed") || !thrown.retryable || this.#refusals.has(thrown)) return false;
      const askedMs = retryAfterMs(thrown, clock.now()) ?? 0;
      if (askedMs > retry.maxDelayMs) {
        const { message, details, cause } = thrown;
        const text = `${message}${askedTooLong(askedMs, retry)}`;
        failure.thrown = new AgentError("model-failed", text, { details, cause, retryable: true });
        return false;
      }
      const delayMs = Math.max(retryDelayMs(retry, number, random), askedMs);
      if (monotonicNow(clock) + delayMs > latestStartMs || this.#gate.refusesIn(delayMs)) return false;
      await attempts?.retry({ attempt: number, error: toErrorData(thrown), delayMs });
      return sleep(delayMs, { clock, signal });
    };
    const { maxAttempts } = retry;
    let last = await attempt(1);
    if (!last.ok)
      last = await retryFailed(last as Attempt, { maxAttempts, isFailure: ({ ok }) => !ok, shouldRetry, attempt });
    if (last.ok) return last.value;
    throw last.thrown;
  }

  async #attempt(request: ModelRequest, number: number, ask: Ask): Promise<ModelResponse> {
    const { signal, attempts } = request;
    const admission = await this.#gate.enter(signal);
    if (admission === undefined) throw signal.reason;
    const { clock } = this.settings;
    let isMade = false;
    const make = async (limits: Partial<ModelRequest> = {}) => {
      isMade = true;
      let verdict: CallVerdict = "abandoned";
      // A provider that ignores the signal must not occupy its place forever.
      let timer: ReturnType<Clock["setTimeout"]> | undefined;
      const stopListening = onAbort(signal, () => {
        timer = clock.setTimeout(() => admission.leave("abandoned"), abortGraceMs);
      });
      try {
        const response = await ask({ ...request, ...limits });
        verdict = "succeeded";
        return response;
      } catch (thrown) {
        if (isAgentError(thrown, "model-failed")) verdict = thrown.retryable ? "failed" : "succeeded";
        throw thrown;
      } finally {
        admission.leave(verdict);
        stopListening();
        if (timer !== undefined) clock.clearTimeout(timer);
      }
    };
    try {
      return await (attempts === undefined ? make() : attempts.make(number, make));
    } finally {
      if (!isMade) admission.leave("abandoned");
    }
  }
}
