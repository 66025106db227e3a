import type { DefinedTool } from "./tool.ts";

/** Where the output of a step has a list that is empty if the answer is no, such as `.todos`; undefined where it has none. @internal */
type FindList = (input: Readonly<Record<string, unknown>>) => string | undefined;

const lists = new WeakMap<DefinedTool, FindList>();

/** Tells where a tool's answers can be tested, where its output schema alone does not. A copy of the tool has none. @internal */
export function testWith<TTool extends DefinedTool>(tool: TTool, findList: FindList): TTool {
  lists.set(tool, findList);
  return tool;
}

/** The path of a list in the output of a step that is empty if the answer is no. @internal */
export function listTested(tool: DefinedTool, input: Readonly<Record<string, unknown>>): string | undefined {
  return lists.get(tool)?.(input);
}
