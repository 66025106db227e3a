import { type CutModel, decodeCuts } from "./learned-cuts.ts";

let shipped: CutModel | undefined;

/** Where wishes begin, as it is shipped: loaded by the first request that no phrase fits, and decoded once. */
export async function loadCuts(): Promise<CutModel> {
  shipped ??= decodeCuts((await import("./cut-weights.ts")).cutWeights);
  return shipped;
}
