import { isThenable } from "../../async/thenable.ts";
import { canonicalJson } from "../../core/canonical-json.ts";
import { AgentError, type AgentErrorData } from "../../core/errors.ts";
import type { RunSettleEvent } from "../../core/events.ts";
import { type JsonValue, toJson } from "../../core/json.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import { endedStatuses } from "../../core/run-summary.ts";
import { parseWith } from "../../core/schema.ts";
import { describeStepRef, type StepRef } from "../../core/step-ref.ts";
import { instanceAt } from "../../core/step-state.ts";
import { continueStored } from "../resume/continue-run.ts";
import type { Settlement } from "../resume/resume-options.ts";
import { beginStopped } from "../resume/resume-run.ts";
import type { Run } from "../run.ts";
import { notWaiting } from "../run-errors.ts";
import type { ResumeOptions } from "../run-options.ts";
import type { Opening, RunRegistry } from "../run-registry.ts";
import { opened, sealEvent, secretsOfStored } from "../secrets/secrets-of-run.ts";
import { invalidOutput } from "../steps/step-errors.ts";
import { readExisting } from "../stored-runs.ts";
import { leaveMessage } from "./leave-message.ts";
import { doOrSend } from "./send-message.ts";

/** A settlement on its way to a run. */
interface Settling extends Opening {
  readonly ref: StepRef;
  readonly settlement: Settlement;
  readonly options: ResumeOptions;
  /** False if no step may run here: unless the run is active here, the outcome is left for its owner. */
  readonly resumes: boolean;
}

/**
 * Settles a step whose outcome is `unknown`, and resumes its run. Rejects with `run-conflict` if the run does not wait
 * for that, `invalid-tool-output` for an output that the tool could not have returned, and as `continueStored` does.
 */
export function settleRun(runs: RunRegistry, settling: Settling): Promise<RunResult> {
  const { runId, ref, settlement } = settling;
  // Made by `here`, which is always called first.
  let outcome: RunSettleEvent["outcome"] | undefined;
  const message = async () => {
    const made = outcome as RunSettleEvent["outcome"];
    return { type: "settle", ref, outcome: await sealPosted(runs, { runId, ...ref, outcome: made }) } as const;
  };
  return doOrSend(runs, {
    ...settling,
    here: () =>
      runs.withRun(runId, {
        // It may yet settle the step, or start to wait for this.
        whenActive: async ({ result }) => {
          await result.catch(() => {});
          return undefined;
        },
        whenStored: async () => {
          if (outcome !== undefined) return continueSettled(runs, { ...settling, outcome });
          const { state } = await readExisting(runs.settings, runId);
          // It may be active by now.
          if (runs.has(runId)) return undefined;
          requireUnknown(state, ref);
          outcome = await toOutcome(runs, { state, ref, settlement });
          if (settling.resumes) return undefined;
          const check = (run: Pick<Run, "state">) => {
            requireUnknown(run.state, ref);
            return true;
          };
          return leaveMessage(runs, { runId, check, message });
        },
      }),
    check: (run: Pick<Run, "state" | "secrets">) => requireSettledAs(run, ref, outcome),
    message,
  });
}

/** Throws `run-conflict` if somebody else has settled a step differently. */
function requireSettledAs(
  { state, secrets }: Pick<Run, "state" | "secrets">,
  ref: StepRef,
  outcome: RunSettleEvent["outcome"] | undefined,
): void {
  if (outcome === undefined || outcome.status === "retry") return;
  const { status, output = null } = instanceAt(state.steps, ref) ?? {};
  // It is still in doubt: whoever resumes the run acts on what was posted.
  if (status === "unknown") return;
  const isSame =
    outcome.status === "failed"
      ? status === "failed"
      : (status === "completed" || status === "undone") &&
        canonicalJson(opened({ secrets }, output)) === canonicalJson(outcome.output as JsonValue);
  if (!isSame) throw notWaiting(state.runId, `step "${describeStepRef(ref)}" was settled differently`);
}

/** An outcome as it is posted, without secrets in it: until it is received, it is in the store. */
async function sealPosted(
  { settings }: RunRegistry,
  { runId, ...settled }: StepRef & Pick<RunSettleEvent, "runId" | "outcome">,
): Promise<RunSettleEvent["outcome"]> {
  const { state } = await readExisting(settings, runId);
  const secrets = await secretsOfStored(settings, state);
  const event = await sealEvent({ state, secrets }, { type: "run-settle", ...settled });
  return (event as RunSettleEvent).outcome;
}

/** Resumes a run with the outcome of a step: resumption and outcome are both recorded, or neither. */
function continueSettled(
  runs: RunRegistry,
  { outcome, ref, ...opening }: Settling & { readonly outcome: RunSettleEvent["outcome"] },
): Promise<RunResult> {
  return continueStored(runs, {
    ...opening,
    mayResume: (state) => {
      requireUnknown(state, ref);
      return true;
    },
    begin: (state) => ({ events: [...beginStopped(state).events, { type: "run-settle", ...ref, outcome }] }),
  });
}

function requireUnknown(state: RunState, ref: StepRef): void {
  const { runId, status } = state;
  const part = instanceAt(state.steps, ref);
  const name = `step "${describeStepRef(ref)}"`;
  if (part === undefined) throw notWaiting(runId, `it has no ${name}`);
  if (part.iterations !== undefined) {
    const last = part.iterations.states.length - 1;
    throw notWaiting(runId, `${name} waits per iteration: give iteration, from 0 to ${last}`);
  }
  if (part.status === "running") throw notWaiting(runId, `${name} has not ended: resume the run first`);
  if (part.status !== "unknown") throw notWaiting(runId, `the outcome of ${name} is known: ${part.status}`);
  if (endedStatuses.has(status)) throw notWaiting(runId, `it is ${status}`);
}

interface Settled {
  readonly state: RunState;
  readonly ref: StepRef;
  readonly settlement: Settlement;
}

async function toOutcome(runs: RunRegistry, settled: Settled): Promise<RunSettleEvent["outcome"]> {
  const { settlement, ref, state } = settled;
  if ("retry" in settlement) return { status: "retry" };
  if ("output" in settlement) return { status: "completed", output: await toOutput(runs, settled) };
  const tool = instanceAt(state.steps, ref)?.tool ?? "";
  const error = new AgentError("tool-failed", settlement.failed, {
    details: { tool, ...ref, attempts: 1, errors: [{ name: "Error", message: settlement.failed }] },
  });
  return { status: "failed", error: error.toJSON() as AgentErrorData };
}

/** The output as JSON, as if the tool had returned it. */
async function toOutput({ settings }: RunRegistry, { state, ref, settlement }: Settled): Promise<unknown> {
  const part = instanceAt(state.steps, ref);
  const tool = settings.toolsByName.get(part?.tool ?? "");
  const task = {
    step: { id: ref.stepId, tool: part?.tool ?? "" },
    iteration: ref.iteration === undefined ? undefined : { index: ref.iteration },
  };
  let { output } = settlement as { readonly output: unknown };
  if (tool?.outputSchema !== undefined) {
    const parsing = parseWith(tool.outputSchema, output);
    const parsed = isThenable(parsing) ? await parsing : parsing;
    if (!parsed.ok) throw invalidOutput(task, parsed.issues);
    output = parsed.value;
  }
  const json = toJson(output, { maxBytes: settings.maxOutputBytes });
  if (!json.ok) throw invalidOutput(task, [json.issue]);
  return json.value;
}
