import { setTimeout as sleep } from "node:timers/promises";
import { isAgentError, type PendingItem } from "planwright";
import type { DbosClient } from "planwright/dbos";
import { endedStatuses } from "../../../src/core/run-summary.ts";
import { keyOf } from "./check-journal.ts";

/** Whether a call took effect. */
export type TookEffect = (key: string) => Promise<boolean>;

/** Waits until a run has ended: approves what it asks for, and settles what is in doubt. */
export async function finishRun(client: DbosClient, runId: string, tookEffect: TookEffect): Promise<void> {
  for (;;) {
    const run = await patiently(() => client.result(runId));
    if (run !== undefined && endedStatuses.has(run.status)) return;
    const [item] = run?.pending ?? [];
    if (item !== undefined) await patiently(() => answer(client, { runId, item, tookEffect }));
  }
}

async function answer(
  client: DbosClient,
  { runId, item, tookEffect }: { runId: string; item: PendingItem; tookEffect: TookEffect },
): Promise<void> {
  if (item.kind === "approval") return client.approve(runId, item);
  // Until a worker has the tools again that it fits.
  if (item.kind === "mismatch") return sleep(200);
  if (item.kind !== "outcome") throw new Error(`Run "${runId}" waits for ${item.kind}.`);
  const { stepId, iteration } = item;
  const isDone = await tookEffect(keyOf({ runId, ...item }));
  await client.settle(runId, stepId, { iteration, ...(isDone ? { output: { n: 0 } } : { retry: true }) });
}

/** Undefined if the server could not be reached, or somebody else was faster. */
export async function patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (isAgentError(thrown, "run-conflict")) return undefined;
    if (!isAgentError(thrown, "store-failed") && !isConnectionError(thrown)) throw thrown;
    await sleep(200);
    return undefined;
  }
}

/** As the client of DBOS reports it. */
function isConnectionError(thrown: unknown): boolean {
  const { code, message } = thrown as { readonly code?: unknown; readonly message?: unknown };
  return (
    code === "ECONNREFUSED" ||
    code === "ECONNRESET" ||
    code === "57P01" ||
    /terminat|shutting|starting/.test(String(message))
  );
}
