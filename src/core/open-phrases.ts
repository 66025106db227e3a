import { functionWords, lightVerbs } from "../english/verb-groups.ts";
import { schemasAt } from "./json-schema.ts";
import { examplePhrase, parsePhrase, slotNames } from "./template.ts";
import type { DefinedTool } from "./tool.ts";
import { toolSchemas } from "./tool-schemas.ts";

/** The phrases that take nearly any request, of a tool whose effect is grave: a text slot and no word that says more than "get". */
export function findOpenPhrases(tool: DefinedTool): readonly string[] {
  const isGrave = tool.declaredEffect === "once" || tool.declaredNeedsApproval !== false;
  const schemas = isGrave ? toolSchemas(tool) : undefined;
  if (schemas === undefined || schemas instanceof Promise || typeof tool.phrases === "function") return [];
  return tool.phrases.flatMap(({ phrase }) => {
    const node = parsePhrase(phrase);
    const isText = (name: string) =>
      (schemasAt(schemas.input, [name]) ?? []).some(
        ({ type, format, enum: values }) => type === "string" && format === undefined && values === undefined,
      );
    const isSaid = (word: string) => /^\p{L}/u.test(word) && !functionWords.has(word) && !lightVerbs.has(word);
    const words = examplePhrase(node).split(" ");
    return slotNames(node).size > 0 && [...slotNames(node)].every(isText) && !words.some(isSaid) ? [phrase] : [];
  });
}
