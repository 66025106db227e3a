import { maxTimerMs } from "../../async/clock.ts";
import { failOption, type OptionTable, readOptions } from "../../core/options.ts";
import { namePattern, namePatternText } from "../../core/plan.ts";
import { type StepRef, stepRefOf } from "../../core/step.ts";
import type { InferToolOutput, Tool } from "../../core/tool.ts";
import {
  type CommandOptions,
  checkName,
  type DecidingOptions,
  decidingOptions,
  type ResumeOptions,
  resumeOptions,
  runIdOption,
} from "../run-options.ts";

/**
 * Options of settling a step: exactly one of `output`, `retry` and `failed`, and what the run needs to be resumed.
 * @group Runs and results
 */
export type SettleOptions<TTool extends Tool = Tool> = DecidingOptions<TTool> & {
  /** The iteration of a `forEach`, from 0. */
  iteration?: number | undefined;
  /** It took effect, with this output. */
  output?: InferToolOutput<TTool> | undefined;
  /** It did not take effect: it runs again, with the same idempotency key. */
  retry?: true | undefined;
  /** It did not take effect and must not run again: the step has failed, for this reason. */
  failed?: string | undefined;
};

/**
 * Options of a fork: what is copied, and what is needed to resume it.
 * @interface
 * @group Runs and results
 */
export type ForkOptions<TTool extends Tool = Tool> = ResumeOptions<TTool> & {
  /** The `sequence` of the last event to copy, at least 1. @default that of the last one recorded */
  after?: number | undefined;
  /**
   * The id of the new run: 1 to 128 of `A-Z a-z 0-9 _ . -`. The same fork again is the same run, resumed if it stopped
   * before its end; the id of any other run is `run-conflict`. @default a new id
   */
  runId?: string | undefined;
};

/** Options of closing. @inline */
export interface CloseOptions {
  /** The time that running steps may take to end, from 0. @default 10000 */
  timeoutMs?: number | undefined;
}

/** Checks the options of resuming. Throws `invalid-options`. */
export function checkResumeOptions(options: ResumeOptions): ResumeOptions {
  return readOptions(resumeOptions, options);
}

/** Checks the options of a command that has no others. Throws `invalid-options`. */
export function readDecidingOptions(options: Partial<DecidingOptions>): CommandOptions {
  const { resume, ...rest } = readOptions(decidingOptions, options);
  return { resumes: resume, options: rest };
}

const forkOptions = {
  ...resumeOptions,
  after: { type: "integer", min: 1 },
  runId: runIdOption,
} satisfies OptionTable<ForkOptions>;

/** The options of a fork. Throws `invalid-options`. */
export function readForkOptions(options: ForkOptions): {
  readonly after: number | undefined;
  readonly runId: string | undefined;
  readonly options: ResumeOptions;
} {
  const { after, runId, ...rest } = readOptions(forkOptions, options);
  return { after, runId, options: rest };
}

const settleOptions = {
  ...decidingOptions,
  iteration: { type: "integer", min: 0 },
  output: { type: "any" },
  retry: { type: "any" },
  failed: { type: "any" },
} satisfies OptionTable<SettleOptions>;

/** The settlement of a step, and the options to resume the run with. Throws `invalid-options`. */
export function readSettleOptions(
  stepId: string,
  options: SettleOptions,
): CommandOptions & { readonly ref: StepRef; readonly settlement: Settlement } {
  checkName("stepId", stepId);
  const { iteration, output, retry, failed, resume, ...rest } = readOptions(settleOptions, options);
  const given = ["output", "retry", "failed"].filter((key) => Object.hasOwn(options, key));
  if (given.length !== 1) {
    failOption("options", given.join(" and ") || "none", "exactly one of output, retry and failed");
  }
  if (given[0] === "retry" && retry !== true) failOption("retry", retry, "true");
  if (given[0] === "failed" && (typeof failed !== "string" || failed === "")) failOption("failed", failed, "a reason");
  const settlement: Settlement =
    given[0] === "retry" ? { retry: true } : given[0] === "failed" ? { failed: failed ?? "" } : { output };
  return { ref: stepRefOf({ stepId, iteration }), settlement, resumes: resume, options: rest };
}

const closeOptions = {
  timeoutMs: { type: "number", min: 0, max: maxTimerMs, default: 10_000 },
} satisfies OptionTable<CloseOptions>;

/** The time for closing. Throws `invalid-options`. */
export function readCloseOptions(options: CloseOptions): number {
  return readOptions(closeOptions, options).timeoutMs;
}

/**
 * Options of delivering an event, and what the run needs to be resumed.
 * @group Runs and results
 */
export type DeliverOptions<TTool extends Tool = Tool> = DecidingOptions<TTool> & {
  /** Identifies the event, such as the id of a webhook: a second one with the same id does not count. */
  id: string;
};

/** An event for a run, its value unchecked. */
export interface NamedEvent {
  readonly name: string;
  readonly value: unknown;
  readonly id: string;
}

const deliverOptions = {
  id: (id, option): string => {
    const isText = typeof id === "string" && id !== "";
    return isText ? id : failOption(option, id, "text that identifies the event, such as the id of a webhook");
  },
  ...decidingOptions,
} satisfies OptionTable<DeliverOptions>;

/** The event, and the options to resume the run with. Throws `invalid-options`. */
export function readDelivery(
  runId: string,
  { name, value }: Omit<NamedEvent, "id">,
  options: DeliverOptions,
): CommandOptions & { readonly given: NamedEvent } {
  checkName("runId", runId);
  if (typeof name !== "string" || !namePattern.test(name))
    failOption("name", name, `the name of an event: ${namePatternText}`);
  const { id, resume, ...rest } = readOptions(deliverOptions, options);
  return { given: { name, value, id }, resumes: resume, options: rest };
}

/** The outcome of a step that was unknown, as somebody settles it. */
export type Settlement = { readonly output: unknown } | { readonly retry: true } | { readonly failed: string };
