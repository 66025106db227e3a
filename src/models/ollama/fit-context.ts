const leastContextTokens = 4_096;
const contextStep = 1_024;
/** An answer with room for fewer is not worth requesting, unless no more was wanted. */
const leastOutputTokens = 256;

/** What a call has room for, in tokens. */
export interface ContextFit {
  readonly contextTokens: number;
  readonly outputTokens: number;
}

/** Inputs of {@link fitContext}, in tokens. */
export interface FitContextOptions {
  readonly promptTokens: number;
  readonly maxOutputTokens: number;
  /** The context that the options set. */
  readonly wanted: number | undefined;
  /** The model's own. */
  readonly contextLength: number | undefined;
  /** The largest that was used so far: a server loads the model again when the context changes, so it never shrinks. */
  readonly largest: number;
}

/** How large a context a call needs, with the answer shortened if necessary. Undefined if the prompt does not fit. */
export function fitContext(options: FitContextOptions): ContextFit | undefined {
  const { promptTokens, maxOutputTokens, wanted, largest } = options;
  const limit = Math.min(wanted ?? Number.POSITIVE_INFINITY, options.contextLength ?? Number.POSITIVE_INFINITY);
  const outputTokens = Math.min(maxOutputTokens, limit - promptTokens);
  if (outputTokens < Math.min(maxOutputTokens, leastOutputTokens)) return undefined;
  const needed = Math.ceil((promptTokens + outputTokens) / contextStep) * contextStep;
  return {
    contextTokens: wanted === undefined ? Math.min(limit, Math.max(leastContextTokens, largest, needed)) : limit,
    outputTokens,
  };
}
