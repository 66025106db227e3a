import { defined } from "../../core/options.ts";
import type { DefinedTool, ToolPhrase } from "../../core/tool.ts";
import type { ToolSchemas } from "../../core/tool-schemas.ts";
import type { RecordedTool } from "./tool-recording.ts";

/** What a recording keeps of a tool, so that it can be replayed without it. */
export function describeForReplay(tool: DefinedTool, { input, output }: ToolSchemas): RecordedTool {
  const { name, description, declaredEffect, declaredNeedsApproval, result, phrases } = tool;
  const plain = Array.isArray(phrases) ? phrases.filter(isPlain).map(toPlain) : [];
  return {
    name,
    description,
    effect: declaredEffect,
    ...defined({
      needsApproval: declaredNeedsApproval || undefined,
      hasUndo: tool.undo && (true as const),
      result,
      retry: finite(tool.retry),
      circuitBreaker: finite(tool.circuitBreaker),
      phrases: plain.length > 0 ? plain : undefined,
    }),
    inputSchema: input,
    ...(output && { outputSchema: output }),
  };
}

/** JSON has no `Infinity`: without it, the agent's setting counts, or none. */
function finite(settings: object | undefined): Readonly<Record<string, number>> | undefined {
  if (settings === undefined) return undefined;
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => Number.isFinite(value)));
}

function isPlain({ slots, toInput }: ToolPhrase): boolean {
  return slots === undefined && toInput === undefined;
}

function toPlain({ phrase, input }: ToolPhrase) {
  return input === undefined ? phrase : { phrase, input };
}
