import { type DefinedTool, defineTool } from "planwright";
import { jsonSchema as schemaOf } from "planwright/schemas";

/** A tool as the data for function calling describes it. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly jsonSchema: object;
}

/** Such a tool as one of ours, which nobody calls. Its name may have signs that ours cannot; the scorer reads over them. */
export function toTool({ name, description, jsonSchema }: DescribedTool): DefinedTool {
  return defineTool({
    name: name.replace(/[^\w-]/g, "_").slice(0, 64),
    description,
    inputSchema: schemaOf<unknown>(jsonSchema),
    effect: "idempotent",
    execute: () => null,
  }) as unknown as DefinedTool;
}
