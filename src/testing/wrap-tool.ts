import { define } from "../core/define-tool.ts";
import { type JsonValue, toJson } from "../core/json.ts";
import { type StandardSchema, zodVersionOf } from "../core/schema.ts";
import type { DefinedTool, ToolContext, ToolEffect, UndoneCall } from "../core/tool.ts";

/** An input in both of its forms. */
export class ParsedInput {
  constructor(
    /** The value that the tool's schema made of it. */
    readonly parsed: unknown,
    /** As the plan has it: JSON. */
    readonly written: JsonValue,
  ) {}
}

/** The functions that are called in place of a tool's own. */
export interface ToolFunctions {
  execute(input: ParsedInput, context: ToolContext): unknown;
  undo(input: ParsedInput, output: unknown, context: ToolContext): unknown;
  /** Only for a tool whose effect depends on the input. */
  effect(input: ParsedInput): ToolEffect;
  /** Only for a tool whose need for approval depends on the input. */
  needsApproval(input: ParsedInput): boolean | Promise<boolean>;
  /** Checks an output in place of the tool's schema. */
  readonly checkOutput?: Validate | undefined;
}

type Validate = StandardSchema["~standard"]["validate"];

/**
 * A tool like another one, for planners and runs, that calls other functions. They get the input as it was written, too:
 * the parsed one may contain what is not JSON, or differ at each attempt.
 */
export function wrapTool(tool: DefinedTool, functions: ToolFunctions): DefinedTool {
  const { inputSchema, outputSchema, declaredEffect, declaredNeedsApproval } = tool;
  const { checkOutput } = functions;
  return define({
    ...tool,
    inputSchema: keepWritten(inputSchema),
    outputSchema: outputSchema && checkOutput ? withValidate(outputSchema, checkOutput) : outputSchema,
    effect: declaredEffect === "by-input" ? (input) => functions.effect(toParsedInput(input)) : declaredEffect,
    needsApproval:
      declaredNeedsApproval === "by-input"
        ? (input) => functions.needsApproval(toParsedInput(input))
        : declaredNeedsApproval,
    execute: (input, context) => functions.execute(toParsedInput(input), context),
    undo:
      tool.undo &&
      (({ input, output }: UndoneCall<unknown, unknown>, context: ToolContext) =>
        functions.undo(toParsedInput(input), output, context)),
  });
}

/** A test may call a tool directly, with an input that no schema has parsed. */
function toParsedInput(input: unknown): ParsedInput {
  return input instanceof ParsedInput ? input : new ParsedInput(input, writtenOf(input));
}

function writtenOf(value: unknown): JsonValue {
  const json = toJson(value);
  return json.ok ? json.value : null;
}

function keepWritten(schema: StandardSchema): StandardSchema<unknown, ParsedInput> {
  const standard = schema["~standard"];
  return withValidate(schema, (value) => {
    // Before the tool gets it, which may change it.
    const written = writtenOf(value);
    const parsing = standard.validate(value);
    const keep = (result: Awaited<typeof parsing>) =>
      result.issues === undefined ? { value: new ParsedInput(result.value, written) } : result;
    return parsing instanceof Promise ? parsing.then(keep) : keep(parsing);
  }) as StandardSchema<unknown, ParsedInput>;
}

/** A copy of a schema, of the same library and with the same JSON Schema, that checks values in another way. */
function withValidate(schema: StandardSchema, validate: Validate): StandardSchema {
  const standard = { ...schema["~standard"], validate };
  return Object.defineProperty(copyOf(schema), "~standard", { value: standard }) as StandardSchema;
}

function copyOf(schema: StandardSchema): object {
  switch (zodVersionOf(schema)) {
    case 3: {
      const { constructor: Schema, _def } = schema as unknown as {
        constructor: new (definition: unknown) => object;
        _def: unknown;
      };
      return new Schema(_def);
    }
    case 4:
      // It keeps what the original was registered with.
      return (schema as unknown as { clone(): object }).clone();
    default:
      return {};
  }
}
