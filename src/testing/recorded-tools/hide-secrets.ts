import { canonicalJson } from "../../core/canonical-json.ts";
import type { JsonValue } from "../../core/json.ts";
import { hasSensitive, isSensitiveTool } from "../../core/sensitive.ts";
import { SensitiveView } from "../../core/sensitive-paths.ts";
import type { Tool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { mapSensitive, type SensitiveViews } from "../../runs/secrets/map-sensitive.ts";
import { placeholderOf, SecretTexts } from "./secret-texts.ts";
import type { RecordedError, RecordedToolCall, ToolCallOutcome } from "./tool-recording.ts";

const noViews: SensitiveViews = { input: undefined, output: undefined };

/** Where a tool's input and output are sensitive. */
export async function sensitiveViewsOf(tool: Tool): Promise<SensitiveViews> {
  if (!isSensitiveTool(tool)) return noViews;
  const { input, output } = await toolSchemas(tool);
  return {
    input: hasSensitive(tool.inputSchema) ? new SensitiveView(input) : undefined,
    output: output && hasSensitive(tool.outputSchema) ? new SensitiveView(output) : undefined,
  };
}

/**
 * Calls as a file may have them. Each secret is replaced by a placeholder with its number, in the order in which secrets
 * first appear; equal secrets have the same one. Their texts are replaced wherever else they appear in the calls.
 */
export function hideSecrets(
  calls: readonly RecordedToolCall[],
  viewsOf: (tool: string) => SensitiveViews | undefined,
): { readonly calls: readonly RecordedToolCall[]; readonly texts: SecretTexts } {
  const placeholders = new Map<string, string>();
  const texts = new SecretTexts();
  const replace = (secret: unknown) => {
    const key = canonicalJson(secret);
    const placeholder = placeholders.get(key) ?? placeholderOf(placeholders.size + 1);
    placeholders.set(key, placeholder);
    texts.add(secret, placeholder);
    return placeholder;
  };
  const mask = (value: JsonValue, view: SensitiveViews["input"]) =>
    mapSensitive({ value, view, path: [] }, { replace }) as JsonValue;
  const masked = calls.map(({ tool, input, undone, outcome }): RecordedToolCall => {
    const { input: inputView, output: outputView } = viewsOf(tool) ?? noViews;
    return {
      tool,
      input: mask(input, inputView),
      undone: undone === undefined ? undefined : mask(undone, outputView),
      outcome: outcome.type === "output" ? { type: "output", output: mask(outcome.output, outputView) } : outcome,
    };
  });
  return { calls: masked.map((call) => hideTexts(call, texts)), texts };
}

function hideTexts({ tool, input, undone, outcome }: RecordedToolCall, texts: SecretTexts): RecordedToolCall {
  return { tool, input: texts.hideIn(input), undone: texts.hideIn(undone), outcome: hideInOutcome(outcome, texts) };
}

function hideInOutcome(outcome: ToolCallOutcome, texts: SecretTexts): ToolCallOutcome {
  switch (outcome.type) {
    case "output":
      return { type: "output", output: texts.hideIn(outcome.output) };
    case "error":
      return { type: "error", error: hideInError(outcome.error, texts) };
    case "invalid-output": {
      const issues = outcome.issues.map(({ path, message }) => ({
        path: texts.hideIn(path),
        message: texts.hide(message),
      }));
      return { type: "invalid-output", issues };
    }
    default:
      return outcome satisfies never;
  }
}

function hideInError(error: RecordedError, texts: SecretTexts): RecordedError {
  const { name, message, code, details, cause } = error;
  return {
    ...error,
    name: texts.hide(name),
    message: texts.hide(message),
    ...(code !== undefined && { code: texts.hide(code) }),
    ...(details !== undefined && { details: texts.hideIn(details) }),
    ...(cause !== undefined && { cause: hideInError(cause, texts) }),
  };
}
