import type { JsonSchema, JsonValue, Tool } from "planwright";
import { type JsonSchemaOf, jsonSchema } from "planwright/schemas";
import type { GoldPlan, GoldTool } from "./gold.ts";

/** A call of a tool, as its `execute` got it. */
export interface GoldCall {
  readonly stepId: string;
  readonly input: unknown;
}

/** The tools of a plan, which tell their calls. Schemas are made once for all plans: see {@link schemasOf}. */
export function goldTools(tools: readonly GoldTool[], plan: GoldPlan, onCall: (call: GoldCall) => void): Tool[] {
  return tools.map((tool) => {
    const { inputSchema, outputSchema } = schemasOf(tool);
    return {
      name: tool.name,
      description: tool.description,
      inputSchema,
      effect: "idempotent",
      ...(outputSchema && { outputSchema }),
      execute: (input, { stepId }) => {
        onCall({ stepId, input });
        return outputOf(tool, plan, { stepId, input });
      },
    };
  });
}

/** What a step puts out: what the set has recorded, a sample of the tool's output, or its input. */
export function outputOf({ outputSchema }: GoldTool, { outputs }: GoldPlan, { stepId, input }: GoldCall): JsonValue {
  const recorded = outputs?.[stepId];
  if (recorded !== undefined) return recorded;
  return outputSchema === undefined ? (input as JsonValue) : sampleOf(outputSchema);
}

interface Schemas {
  readonly inputSchema: JsonSchemaOf<unknown>;
  readonly outputSchema?: JsonSchemaOf<unknown>;
}

const made = new WeakMap<GoldTool, Schemas>();

export function schemasOf(tool: GoldTool): Schemas {
  let schemas = made.get(tool);
  if (schemas === undefined) {
    schemas = {
      inputSchema: jsonSchema(tool.inputSchema),
      ...(tool.outputSchema && { outputSchema: jsonSchema(tool.outputSchema) }),
    };
    made.set(tool, schemas);
  }
  return schemas;
}

/** A value of a schema, as the description of the sets lays it down. */
function sampleOf({ type, enum: values, properties = {}, items }: JsonSchema): JsonValue {
  if (values !== undefined) return values[0] as JsonValue;
  switch (typeof type === "string" ? type : type?.[0]) {
    case "integer":
      return 7;
    case "number":
      return 1.5;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [sampleOf((items ?? {}) as JsonSchema)];
    case "object":
      return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, sampleOf(schema)]));
    default:
      return "text";
  }
}
