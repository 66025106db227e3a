import type { PostedMessage } from "../../core/run-store.ts";
import { describeStepRef } from "../../core/step-ref.ts";
import { instanceAt } from "../../core/step-state.ts";
import { describeThrown } from "../../core/text.ts";
import type { Run } from "../run.ts";
import { cancelledBy } from "../run-errors.ts";
import { sealEvent } from "../secrets/secrets-of-run.ts";
import { decideHere } from "./decide-run.ts";
import { takePosted } from "./deliver.ts";
import { parseMessage, type RunMessage } from "./send-message.ts";

/**
 * Acts on what was posted to a run that is active in this process. A message is acknowledged together with the event
 * that it results in, so that it is acted on once, whichever process dies; one that leads to nothing, with the next
 * event. A message that this execution cannot act on is left for the next. Never rejects.
 */
export async function receivePosted(
  run: Run,
  posted: readonly PostedMessage[],
  { isOpening = false }: { readonly isOpening?: boolean } = {},
): Promise<void> {
  for (const { number, message } of posted) {
    if (number <= run.lastReceived) continue;
    run.lastReceived = number;
    try {
      await act(run, parseMessage(message), { number, isOpening });
    } catch (thrown) {
      // The end of this execution prevented it.
      if (run.abortReason !== undefined || run.phase === "ending" || run.phase === "closed") {
        run.hasLeft = true;
        continue;
      }
      run.recorder.acknowledge(number);
      run.warn({
        code: "message-refused",
        message: `Run ${run.runId} received a message that it cannot act on: ${describeThrown(thrown)}`,
      });
    }
  }
}

interface Receipt {
  readonly number: number;
  /** Whether no step of the execution has had its turn yet. */
  readonly isOpening: boolean;
}

async function act(run: Run, message: RunMessage, { number, isOpening }: Receipt): Promise<void> {
  switch (message.type) {
    case "cancel":
      // The end of the run drops the message; an execution that is suspended nevertheless leaves it.
      run.hasLeft = true;
      run.abort(cancelledBy(message.reason));
      return;
    case "decide":
      if (!(await decideHere(run, message.decision, number))) run.hasLeft = true;
      return;
    case "deliver": {
      const { type: _type, ...delivery } = message;
      if (!(await takePosted(run, delivery, number))) run.hasLeft = true;
      return;
    }
    case "settle": {
      const { ref, outcome } = message;
      const status = instanceAt(run.state.steps, ref)?.status;
      if (status !== "unknown") throw new Error(`step "${describeStepRef(ref)}" is not in doubt`);
      if (!isOpening) {
        run.hasLeft = true;
        return;
      }
      const event = await sealEvent(run, { type: "run-settle", ...ref, outcome });
      run.recorder.acknowledge(number);
      await run.emit(event);
      return;
    }
    default:
      message satisfies never;
  }
}
