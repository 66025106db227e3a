import { checkKeys, checkNumber, failOption, maxDurationMs } from "../core/options.ts";
import { placeOf, type StepPlace } from "../core/step-place.ts";
import type { InferToolOutput, Tool } from "../core/tool.ts";
import { checkName } from "./decision-options.ts";
import { checkSignal, checkSwitch, type ResumeOptions } from "./run-options.ts";

/**
 * Options of settling a step: exactly one of `output`, `retry` and `failed`, and what the run needs to be resumed.
 * @interface
 * @group Runs and results
 */
export type SettleOptions<TTool extends Tool = Tool> = ResumeOptions<TTool> & {
  /** Which iteration of a `forEach`, from 0. */
  iteration?: number | undefined;
  /** It took effect, with this output. */
  output?: InferToolOutput<TTool> | undefined;
  /** It did not take effect: it runs again, with the same idempotency key. */
  retry?: true | undefined;
  /** It did not take effect and must not run again: the step has failed, for this reason. */
  failed?: string | undefined;
};

/** Options of closing. @inline */
export interface CloseOptions {
  /** How long running steps may take to end, from 0. @default 10000 */
  timeoutMs?: number | undefined;
}

const continueKeys = ["resources", "signal", "throwOnFailure"];

/** Checks the options of resuming. Throws `invalid-options`. */
export function checkResumeOptions(options: ResumeOptions): ResumeOptions {
  checkKeys("options", options, continueKeys);
  checkSignal(options.signal);
  checkSwitch("throwOnFailure", options.throwOnFailure);
  return options;
}

/** What is settled, and the options to resume the run with. Throws `invalid-options`. */
export function readSettleOptions(
  stepId: string,
  options: SettleOptions,
): { readonly place: StepPlace; readonly settlement: Settlement; readonly options: ResumeOptions } {
  checkName("stepId", stepId);
  checkKeys("options", options, [...continueKeys, "iteration", "output", "retry", "failed"]);
  const { iteration, output, retry, failed, ...rest } = options;
  checkNumber("iteration", iteration, { min: 0, isInteger: true });
  const given = ["output", "retry", "failed"].filter((key) => Object.hasOwn(options, key));
  if (given.length !== 1) {
    failOption("options", given.join(" and ") || "none", "exactly one of output, retry and failed");
  }
  if (given[0] === "retry" && retry !== true) failOption("retry", retry, "true");
  if (given[0] === "failed" && (typeof failed !== "string" || failed === "")) failOption("failed", failed, "a reason");
  const settlement: Settlement =
    given[0] === "retry" ? { retry: true } : given[0] === "failed" ? { failed: failed ?? "" } : { output };
  return { place: placeOf({ stepId, iteration }), settlement, options: checkResumeOptions(rest as ResumeOptions) };
}

/** The time for closing. Throws `invalid-options`. */
export function readCloseOptions(options: CloseOptions): number {
  checkKeys("options", options, ["timeoutMs"]);
  const { timeoutMs = 10_000 } = options;
  checkNumber("timeoutMs", timeoutMs, { min: 0, max: maxDurationMs });
  return timeoutMs;
}

/** What happened in a step whose outcome was unknown. */
export type Settlement = { readonly output: unknown } | { readonly retry: true } | { readonly failed: string };
