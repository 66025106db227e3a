import { countPending } from "../async/pending-work.ts";
import type { EvidenceChain } from "../core/evidence.ts";
import type { RunState } from "../core/run-state.ts";
import type { EngineSettings } from "./options.ts";
import { toStoreError } from "./run-recorder.ts";

/**
 * What computes the digests of a run; undefined unless the agent keeps evidence. `state` is that of a run that is
 * resumed: its events since the last digest are read again, as they are stored, whatever format they have. Rejects with
 * `store-failed`.
 */
export async function evidenceOf(
  { evidence, store }: Pick<EngineSettings, "evidence" | "store">,
  state?: RunState,
): Promise<EvidenceChain | undefined> {
  if (!evidence) return undefined;
  const core = await countPending(import("../core/evidence.ts"));
  const chain = new core.EvidenceChain(state?.digest?.value);
  if (state === undefined) return chain;
  const { runId, digest } = state;
  try {
    for (const event of await store.read(runId, { after: digest?.sequence ?? 0 })) chain.add(event);
  } catch (thrown) {
    throw toStoreError(thrown, { runId, operation: "read" });
  }
  return chain;
}
