import { type LanguageModel, type ModelPrice, type ModelTokens, modelName } from "./language-model.ts";

/** Number of model calls, and the tokens that they used. @group Runs and results */
export interface ModelUsage {
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Cost in the currency of the prices; absent if a called model has no price. */
  readonly cost?: number;
  /** True if tokens were estimated from the texts, because they were not reported or a call failed midway. */
  readonly isEstimated?: true;
}

/** One call of a model. @inline */
export interface ModelCall extends Omit<ModelUsage, "modelCalls"> {
  /** Provider and id, such as `ollama/qwen3`. */
  readonly model: string;
}

/** Replaces missing and invalid counts with estimates, because a NaN would spoil every sum. */
export function modelCall(
  model: LanguageModel,
  reported: ModelTokens | undefined,
  estimate: Pick<ModelUsage, "inputTokens" | "outputTokens">,
): ModelCall {
  const { inputTokens: input, outputTokens: output, cachedInputTokens: cached } = reported ?? {};
  const inputTokens = isAmount(input) ? input : estimate.inputTokens;
  const outputTokens = isAmount(output) ? output : estimate.outputTokens;
  const cachedInputTokens = isAmount(cached) ? Math.min(cached, inputTokens) : 0;
  const isEstimated = !isAmount(input) || !isAmount(output);
  const price = priceOf(model);
  return {
    model: modelName(model),
    inputTokens,
    outputTokens,
    ...(price && { cost: costOf(price, { inputTokens, outputTokens, cachedInputTokens }) }),
    ...(isEstimated && { isEstimated }),
  };
}

export function priceOf({ price }: Pick<LanguageModel, "price">): ModelPrice | undefined {
  return isAmount(price?.inputPerMillion) && isAmount(price?.outputPerMillion) ? price : undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

export function costOf(
  { inputPerMillion, cachedInputPerMillion = inputPerMillion, outputPerMillion }: ModelPrice,
  { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 }: ModelTokens,
): number {
  const input = (inputTokens - cachedInputTokens) * inputPerMillion + cachedInputTokens * cachedInputPerMillion;
  return (input + outputTokens * outputPerMillion) / 1_000_000;
}

export function addUsage(left: ModelUsage | undefined, right: ModelUsage): ModelUsage {
  if (left === undefined) return right;
  const cost = left.cost === undefined || right.cost === undefined ? undefined : left.cost + right.cost;
  return {
    modelCalls: left.modelCalls + right.modelCalls,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...(cost !== undefined && { cost }),
    ...((left.isEstimated || right.isEstimated) && { isEstimated: true }),
  };
}

export function restOfUsage(usage: ModelUsage, part: ModelUsage | undefined): ModelUsage | undefined {
  if (part === undefined) return usage;
  const modelCalls = usage.modelCalls - part.modelCalls;
  if (modelCalls <= 0) return undefined;
  const cost = usage.cost === undefined || part.cost === undefined ? undefined : Math.max(0, usage.cost - part.cost);
  return {
    modelCalls,
    inputTokens: Math.max(0, usage.inputTokens - part.inputTokens),
    outputTokens: Math.max(0, usage.outputTokens - part.outputTokens),
    ...(cost !== undefined && { cost }),
    ...(usage.isEstimated && { isEstimated: true }),
  };
}

export function sumCalls(calls: readonly ModelCall[]): ModelUsage | undefined {
  let sum: ModelUsage | undefined;
  for (const { model: _model, ...used } of calls) sum = addUsage(sum, { modelCalls: 1, ...used });
  return sum;
}
