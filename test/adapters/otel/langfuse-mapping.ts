/**
 * How Langfuse names an observation by the attributes of its span, as far as they are ours: a table written after
 * packages/shared/src/server/otel/ObservationTypeMapper.ts of https://github.com/langfuse/langfuse at commit
 * 005da4e537e82284b83f9f3c8a5b4ceb83e731fd. The first key that a span has, with a value in its table, decides.
 */
const table: readonly (readonly [key: string, types: Readonly<Record<string, string>>])[] = [
  [
    "openinference.span.kind",
    {
      AGENT: "AGENT",
      CHAIN: "CHAIN",
      EMBEDDING: "EMBEDDING",
      EVALUATOR: "EVALUATOR",
      GUARDRAIL: "GUARDRAIL",
      LLM: "GENERATION",
      RETRIEVER: "RETRIEVER",
      TOOL: "TOOL",
    },
  ],
  [
    "gen_ai.operation.name",
    {
      chat: "GENERATION",
      create_agent: "AGENT",
      embeddings: "EMBEDDING",
      execute_tool: "TOOL",
      generate_content: "GENERATION",
      invoke_agent: "AGENT",
      text_completion: "GENERATION",
    },
  ],
];

/** What Langfuse calls a span. */
export function langfuseTypeOf(attributes: Readonly<Record<string, unknown>>): string {
  for (const [key, types] of table) {
    const type = types[String(attributes[key] ?? "")];
    if (type !== undefined) return type;
  }
  const has = (key: string) => attributes[key] !== undefined && attributes[key] !== "";
  if (has("gen_ai.tool.name") || has("gen_ai.tool.call.id")) return "TOOL";
  return has("gen_ai.request.model") || has("llm.model_name") ? "GENERATION" : "SPAN";
}
