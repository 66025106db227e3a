import type { AgentErrorData } from "../../core/errors.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import type { Run } from "../run.ts";
import { interruptedBy } from "../run-errors.ts";
import type { RunRegistry } from "../run-registry.ts";
import { secretsOfStored } from "../secrets/secrets-of-run.ts";
import { shownResult } from "../show.ts";
import { readExisting } from "../stored-runs.ts";
import { post, type RunMessage } from "./send-message.ts";

/** A message that is left for whoever runs the run next, while no step of it runs here. */
interface Leaving {
  readonly runId: string;
  /** Whether the run waits for it; false if it was received before. Throws if it can never be acted on. */
  readonly check: (run: Pick<Run, "state" | "secrets">) => boolean | Promise<boolean>;
  readonly message: () => RunMessage | Promise<RunMessage>;
  /** How many messages the run may keep. @default no limit */
  readonly maxKept?: (state: RunState) => number;
}

/**
 * Leaves a message for the owner of a run, present or next, and resolves to the run as it is stored. Rejects as `check`
 * and `post` do.
 */
export async function leaveMessage(runs: RunRegistry, { runId, check, message, maxKept }: Leaving): Promise<RunResult> {
  for (;;) {
    const { state } = await readExisting(runs.settings, runId);
    const secrets = await secretsOfStored(runs.settings, state);
    if (!(await check({ state, secrets }))) return resultNow(runs, state);
    const { number } = await post(runs, runId, await message(), { maxKept: maxKept?.(state) });
    if (number !== undefined) return resultNow(runs, state);
    // The run has ended since it was read, and its record shows how.
  }
}

/** A run that continues elsewhere has no result yet: to whoever does not wait for one, it is interrupted. */
function resultNow({ settings }: RunRegistry, state: RunState): RunResult {
  if (state.status !== "planning" && state.status !== "running") return shownResult(state, settings);
  const error = interruptedBy("another process runs it, or will").toJSON() as AgentErrorData;
  return shownResult({ ...state, status: "interrupted", error }, settings);
}
