import type { Attributes } from "@opentelemetry/api";
import { isOurError } from "../../core/errors.ts";
import { cutText } from "../../core/text.ts";

// gen_ai, still in development: https://github.com/open-telemetry/semantic-conventions-genai
// openinference, llm, input, output: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md

export const schemaUrl = "https://opentelemetry.io/schemas/gen-ai/1.42.0";

export const scope = "planwright";

export const attribute = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  tokenType: "gen_ai.token.type",
  tool: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolCall: "gen_ai.tool.call.id",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  errorType: "error.type",
  kind: "openinference.span.kind",
  input: "input.value",
  inputType: "input.mime_type",
  output: "output.value",
  outputType: "output.mime_type",
  model: "llm.model_name",
  promptTokens: "llm.token_count.prompt",
  completionTokens: "llm.token_count.completion",
  totalTokens: "llm.token_count.total",
  cost: "llm.cost.total",
  runId: "planwright.run.id",
  runStatus: "planwright.run.status",
  planner: "planwright.planner",
  replan: "planwright.replan",
  next: "planwright.planner.next",
  stepId: "planwright.step.id",
  iteration: "planwright.step.iteration",
  effect: "planwright.step.effect",
  attempts: "planwright.step.attempts",
  stepStatus: "planwright.step.status",
  attempt: "planwright.attempt",
  delay: "planwright.retry.delay_ms",
  reason: "planwright.reason",
  outcome: "planwright.outcome",
  circuit: "planwright.circuit.state",
  pending: "planwright.run.pending",
} as const;

export function splitModel(id: string): { readonly provider: string; readonly model: string } {
  const [provider = "", ...rest] = id.split("/");
  return { provider, model: rest.join("/") };
}

/** Keeps only codes of this package, because other codes and names may be text from a tool or model. */
export function toErrorAttributes(
  error: { readonly code?: string; readonly name: string },
  failed: "tool-failed" | "model-failed" = "tool-failed",
): Attributes {
  return { [attribute.errorType]: isOurError(error) ? error.code : failed };
}

/** Run data to record in spans: `none`, `inputs`, or `all`, which adds outputs and error messages. @inline */
export type TelemetryContent = "none" | "inputs" | "all";
const maxLength = 32_768;

export function toDataAttributes(
  content: TelemetryContent,
  { input, output, ofTool = false }: { readonly input?: unknown; readonly output?: unknown; readonly ofTool?: boolean },
): Attributes {
  const write = (value: unknown, key: "input" | "output", toolKey: "toolArguments" | "toolResult"): Attributes => {
    if (value === undefined) return {};
    const [json, type] =
      typeof value === "string" ? [value, "text/plain"] : [JSON.stringify(value), "application/json"];
    const text = cutText(json, maxLength, `… (${json.length} characters)`);
    return { [attribute[key]]: text, [attribute[`${key}Type`]]: type, ...(ofTool && { [attribute[toolKey]]: text }) };
  };
  return {
    ...(content !== "none" && write(input, "input", "toolArguments")),
    ...(content === "all" && write(output, "output", "toolResult")),
  };
}
