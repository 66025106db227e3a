import type { DefinedTool } from "./tool.ts";

/** The texts of an input as they are told: `"milk"` in quotes, a result as `the result`. @internal */
export interface ToldInput {
  readonly input: Readonly<Record<string, unknown>>;
  /** A value as it is told; undefined for one that is neither text nor number. */
  tell(key: string): string | undefined;
}

/** Says in a sentence what a step will do; undefined where the words of the request say more. @internal */
type DescribeStep = (told: ToldInput) => string | undefined;

const describers = new WeakMap<DefinedTool, DescribeStep>();

/** Gives a tool sentences for the reasons of its steps. A copy of the tool has none. @internal */
export function describeWith<TTool extends DefinedTool>(tool: TTool, describe: DescribeStep): TTool {
  describers.set(tool, describe);
  return tool;
}

/** What a step of a tool with this input does, in a sentence, if the tool has one. @internal */
export function describeStep(tool: DefinedTool, input: ToldInput["input"]): string | undefined {
  return describers.get(tool)?.({ input, tell: (key) => tellValue(input[key]) });
}

function tellValue(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value === "object" && value !== null && "$ref" in value) return "the result";
  if (typeof value !== "string") return undefined;
  if (/^\$\{[^$}][^}]*\}$/.test(value)) return "the result";
  return JSON.stringify(value.replaceAll("${$}", "$"));
}
