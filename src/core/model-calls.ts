import { onAbort } from "../async/abort.ts";
import type { CallVerdict } from "../async/circuit-breaker.ts";
import { type Clock, monotonicNow, sleep } from "../async/clock.ts";
import { type RetryOptions, type RetryPolicy, retryAfterMs, retryDelayMs, retryFailed } from "../async/retry.ts";
import { type Admission, CallGate } from "./call-gate.ts";
import { retryOptions, toolLimits } from "./define-tool.ts";
import { toErrorData } from "./error-data.ts";
import { isAgentError } from "./errors.ts";
import { type LanguageModel, type ModelRequest, type ModelResponse, modelName } from "./language-model.ts";
import { modelFailure } from "./model-failure.ts";
import { type OptionTable, readOptions } from "./options.ts";
import type { ToolLimitOptions } from "./tool.ts";

/** How calls of a model are limited and repeated; the same as for a tool. @inline */
export interface ModelCallOptions extends ToolLimitOptions {
  /**
   * How a call is repeated that may succeed later: the server is busy or cannot be reached, the answer broke off or
   * cannot be read. A server that asks to wait is waited for, up to `maxDelayMs`; else the call has failed.
   * @default 3 attempts, 500 ms before the second
   */
  readonly retry?: RetryOptions | undefined;
}

/** The options of {@link ModelCallOptions}. */
export const modelCallOptions = {
  retry: readRetry,
  ...toolLimits,
} satisfies OptionTable<ModelCallOptions>;

function readRetry(retry: unknown = {}, option: string): RetryPolicy {
  const table = { ...retryOptions, minDelayMs: { type: "duration", min: 0, default: 500 } } as const;
  return readOptions(table, retry as RetryOptions, option);
}

/** What {@link ModelCalls} needs. */
export interface ModelCallSettings extends ToolLimitOptions {
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  /** From 0 to 1, for the jitter of delays. */
  readonly random: () => number;
}

/** How long an aborted call keeps its place, as an aborted call of a tool by default. */
const abortGraceMs = 1_000;

type Attempt = { readonly ok: true; readonly value: ModelResponse } | { readonly ok: false; readonly thrown: unknown };

/** The calls of one model: repeated, limited, and refused while it keeps failing. */
export class ModelCalls {
  private readonly gate: CallGate;
  /** The errors of calls that an open circuit refused: another attempt would be refused, too. */
  private readonly refusals = new WeakSet<object>();

  constructor(
    readonly model: Pick<LanguageModel, "provider" | "modelId">,
    private readonly settings: ModelCallSettings,
  ) {
    this.gate = new CallGate(settings, settings.clock, (afterMs) => {
      const seconds = Math.ceil(afterMs / 1_000);
      const message = `${modelName(model)} has failed too often; it will be called again in ${seconds} s at the earliest.`;
      const refusal = modelFailure(model, "busy", { message });
      this.refusals.add(refusal);
      return refusal;
    });
  }

  /** Makes attempts by `ask` until one succeeds. Rejects with the last failure, or with the reason of the signal. */
  async run(request: ModelRequest, ask: (request: ModelRequest) => Promise<ModelResponse>): Promise<ModelResponse> {
    const { retry, clock, random } = this.settings;
    const { signal, attempts } = request;
    const latestStartMs = monotonicNow(clock) + retry.maxTotalMs;
    const attempt = (number: number): Promise<Attempt> =>
      this.once(request, number, ask).then(
        (value) => ({ ok: true, value }),
        (thrown: unknown) => ({ ok: false, thrown }),
      );
    const shouldRetry = async (failure: Attempt, number: number): Promise<boolean> => {
      if (failure.ok || signal.aborted || !this.mayRepeat(failure.thrown)) return false;
      const askedMs = retryAfterMs(failure.thrown, clock.now()) ?? 0;
      const delayMs = Math.max(retryDelayMs(retry, number, random), askedMs);
      if (delayMs > retry.maxDelayMs || monotonicNow(clock) + delayMs > latestStartMs) return false;
      if (this.gate.refusesIn(delayMs)) return false;
      await attempts?.retry({ attempt: number, error: toErrorData(failure.thrown), delayMs });
      return sleep(delayMs, { clock, signal });
    };
    const first = await attempt(1);
    const { maxAttempts } = retry;
    const last = first.ok
      ? first
      : await retryFailed(first as Attempt, { maxAttempts, isFailure, shouldRetry, attempt });
    if (last.ok) return last.value;
    if (signal.aborted) throw signal.reason;
    throw last.thrown;
  }

  /** Whether the same call may succeed later. */
  private mayRepeat(thrown: unknown): boolean {
    return isAgentError(thrown, "model-failed") && thrown.retryable && !this.refusals.has(thrown);
  }

  /** One attempt, when it is its turn. */
  private async once(
    request: ModelRequest,
    attempt: number,
    ask: (request: ModelRequest) => Promise<ModelResponse>,
  ): Promise<ModelResponse> {
    const { signal, attempts } = request;
    const admission = await this.gate.enter(signal);
    if (admission === undefined) throw signal.reason;
    const { clock } = this.settings;
    const make = async (limits: Partial<ModelRequest> = {}) => {
      // A provider that ignores the signal must not keep its place for ever.
      let timer: ReturnType<Clock["setTimeout"]> | undefined;
      const stopListening = onAbort(signal, () => {
        timer = clock.setTimeout(() => admission.leave("abandoned"), abortGraceMs);
      });
      try {
        return await judged(admission, () => ask({ ...request, ...limits }));
      } finally {
        stopListening();
        if (timer !== undefined) clock.clearTimeout(timer);
      }
    };
    let isMade = false;
    try {
      return await (attempts?.make(attempt, (limits) => {
        isMade = true;
        return make(limits);
      }) ?? make());
    } finally {
      if (attempts !== undefined && !isMade) admission.leave("abandoned");
    }
  }
}

function isFailure({ ok }: Attempt): boolean {
  return !ok;
}

/** Makes a call and reports to the gate what it says about the model: an error that is not retryable is an answer. */
async function judged(admission: Admission, call: () => Promise<ModelResponse>): Promise<ModelResponse> {
  let verdict: CallVerdict = "abandoned";
  try {
    const response = await call();
    verdict = "succeeded";
    return response;
  } catch (thrown) {
    if (isAgentError(thrown, "model-failed")) verdict = thrown.retryable ? "failed" : "succeeded";
    throw thrown;
  } finally {
    admission.leave(verdict);
  }
}
