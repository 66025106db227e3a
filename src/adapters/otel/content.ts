import type { Attributes } from "@opentelemetry/api";
import { attribute } from "./names.ts";

/** What spans contain of a run's data: nothing, what goes in, or also what comes out and the messages of errors. @inline */
export type TelemetryContent = "none" | "inputs" | "all";

/** Longer values are cut: no backend shows more. */
const maxLength = 32_768;

/** The request, plan or input of a span. */
export function inputAttributes(content: TelemetryContent, value: unknown): Attributes {
  if (content === "none" || value === undefined) return {};
  return { [attribute.input]: textOf(value), [attribute.inputType]: typeOf(value) };
}

/** The output of a span. */
export function outputAttributes(content: TelemetryContent, value: unknown): Attributes {
  if (content !== "all" || value === undefined) return {};
  return { [attribute.output]: textOf(value), [attribute.outputType]: typeOf(value) };
}

/** What a tool gets, or returns, under the names of both conventions. */
export function toolCallAttributes(
  content: TelemetryContent,
  { input, output }: { readonly input?: unknown; readonly output?: unknown },
): Attributes {
  return {
    ...inputAttributes(content, input),
    ...(content !== "none" && input !== undefined && { [attribute.toolArguments]: textOf(input) }),
    ...outputAttributes(content, output),
    ...(content === "all" && output !== undefined && { [attribute.toolResult]: textOf(output) }),
  };
}

/** A value as text, cut with its length if it is long. */
function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length} characters)`;
}

function typeOf(value: unknown): string {
  return typeof value === "string" ? "text/plain" : "application/json";
}
