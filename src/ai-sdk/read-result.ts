import { type LanguageModel, type ModelRequest, type ModelResponse, modelName } from "../core/language-model.ts";
import { modelFailure } from "../core/model-failure.ts";
import { readEnd } from "./model-end.ts";
import { readFields } from "./read-fields.ts";

/**
 * Reads the result of `doGenerate`: the texts and reasoning in its content. Throws `model-failed` if it is not an
 * answer.
 */
export function readResult(
  model: Pick<LanguageModel, "provider" | "modelId">,
  result: unknown,
  { responseFormat }: Pick<ModelRequest, "responseFormat">,
): ModelResponse {
  const { content, structuredOutputText } = readFields(result, "content", "structuredOutputText");
  if (!Array.isArray(content)) {
    const message = `${modelName(model)} answered without a list of content.`;
    throw modelFailure(model, "invalid-response", { message });
  }
  // Version 4: which text is the JSON, if a model wrote drafts before it.
  const isChosen = responseFormat?.type === "json" && typeof structuredOutputText === "string";
  const text = isChosen ? structuredOutputText : textsOf(content, "text").join("");
  const reasoning = textsOf(content, "reasoning").join("\n\n").trim();
  return { text, ...(reasoning !== "" && { reasoning }), ...readEnd(model, result) };
}

function textsOf(content: readonly unknown[], wanted: "text" | "reasoning"): readonly string[] {
  return content.flatMap((part) => {
    const { type, text } = readFields(part, "type", "text");
    return type === wanted && typeof text === "string" ? [text] : [];
  });
}
