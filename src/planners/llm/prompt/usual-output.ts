import { estimateTokens } from "../../../core/language-model.ts";

/** Room for a plan that repeats the request twice, and for a little thinking. */
export function usualOutput(request: string): number {
  return Math.min(8_192, Math.max(2_048, 1_024 + 2 * estimateTokens(request)));
}
