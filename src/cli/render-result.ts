import type { RunSnapshot } from "../core/run-result.ts";
import type { Tool } from "../core/tool.ts";
import type { Colors } from "./colors.ts";
import { renderOutput } from "./render-output.ts";

/** The result of a run as readable lines, with the usage of models. */
export function renderResult(
  run: Pick<RunSnapshot, "steps" | "output" | "usage">,
  { tools, colors }: { readonly tools: readonly Tool[]; readonly colors: Colors },
): string[] {
  const last = run.steps.findLast(({ status }) => status === "completed");
  const tool = tools.find(({ name }) => name === last?.tool);
  const lines = renderOutput(run.output, { tool, style: colors });
  return ["", colors.bold("Result"), ...lines.map((text) => `  ${text}`), ...usageLines(run, colors)];
}

function usageLines({ usage }: Pick<RunSnapshot, "usage">, colors: Colors): string[] {
  if (usage === undefined || usage.inputTokens === 0) return [];
  const { modelCalls, inputTokens, outputTokens } = usage;
  const calls = modelCalls === 1 ? "1 model call" : `${modelCalls} model calls`;
  return [colors.dim(`  (${calls}: ${inputTokens} tokens read, ${outputTokens} written)`)];
}
