import type { ToolRules } from "../tool-rules.ts";
import type { ExampleModel } from "./example-model.ts";

/** The model of each set of tools, by its first tool: most programs have one set. */
const models = new WeakMap<
  ToolRules,
  { readonly tools: readonly ToolRules[]; readonly model: ExampleModel | undefined }
>();

/** What the examples of some tools mean, learned once for a set of tools; undefined if they have none. */
export async function loadExamples(rules: readonly ToolRules[]): Promise<ExampleModel | undefined> {
  const tools = rules.filter((each) => each.rules.some(({ sentence }) => sentence !== undefined));
  const [first] = tools;
  if (first === undefined) return undefined;
  const known = models.get(first);
  if (known?.tools.length === tools.length && known.tools.every((tool, at) => tool === tools[at])) return known.model;
  const [{ learnExamples }, { exampleWeights }] = await Promise.all([
    import("./example-model.ts"),
    import("../../../language/example-weights.ts"),
  ]);
  const model = learnExamples(tools, exampleWeights);
  models.set(first, { tools, model });
  return model;
}
