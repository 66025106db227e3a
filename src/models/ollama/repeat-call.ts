import { monotonicNow, sleep } from "../../async/clock.ts";
import { retryDelayMs, retryFailed } from "../../async/retry.ts";
import { isAgentError } from "../../core/errors.ts";
import type { OllamaSettings } from "./ollama-options.ts";
import { ServerError } from "./server-error.ts";

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly thrown: unknown };

/**
 * Retries a call while the server is too busy, and once after its runner crashed. Waits as long as the server asks for,
 * or gives up if that is longer than `maxDelayMs`.
 */
export async function repeatCall<T>(
  call: () => Promise<T>,
  { retry, clock, random }: OllamaSettings,
  signal: AbortSignal,
): Promise<T> {
  const latestStartMs = monotonicNow(clock) + retry.maxTotalMs;
  let hasCrashed = false;
  const attempt = (): Promise<Attempt<T>> =>
    call().then(
      (value) => ({ ok: true, value }),
      (thrown: unknown) => ({ ok: false, thrown }),
    );
  const shouldRetry = async (failure: Attempt<T>, number: number): Promise<boolean> => {
    const kind = failure.ok ? undefined : retryKind(failure.thrown);
    if (failure.ok || kind === undefined || (kind === "crash" && hasCrashed)) return false;
    hasCrashed ||= kind === "crash";
    const delayMs = Math.max(retryDelayMs(retry, number, random), askedDelayMs(failure.thrown, clock.now()));
    if (delayMs > retry.maxDelayMs || monotonicNow(clock) + delayMs > latestStartMs) return false;
    return sleep(delayMs, { clock, signal });
  };
  const first = await attempt();
  const last = first.ok
    ? first
    : await retryFailed(first as Attempt<T>, {
        maxAttempts: retry.maxAttempts,
        isFailure: ({ ok }) => !ok,
        shouldRetry,
        attempt,
      });
  if (!last.ok) throw last.thrown;
  return last.value;
}

function retryKind(thrown: unknown): "busy" | "crash" | undefined {
  if (!isAgentError(thrown, "model-failed")) return undefined;
  if (thrown.details.reason === "busy") return "busy";
  const { cause } = thrown;
  return cause instanceof ServerError && cause.message.includes("unexpectedly stopped") ? "crash" : undefined;
}

function askedDelayMs(thrown: unknown, nowMs: number): number {
  const { cause } = thrown as { cause?: unknown };
  return (cause instanceof ServerError ? cause.retryAfterMs(nowMs) : undefined) ?? 0;
}
