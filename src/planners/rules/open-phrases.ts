import { isOpenText } from "../../core/define-tool.ts";
import { schemasAt } from "../../core/json-schema.ts";
import { slotNames } from "../../core/phrase-syntax.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { functionWords, lightVerbs } from "../../english/word-classes.ts";
import { examplePhrase, parsePhrase } from "../../language/phrases.ts";

export function findOpenPhrases(tool: DefinedTool): readonly string[] {
  const schemas = toolSchemas(tool);
  if (schemas instanceof Promise || typeof tool.phrases === "function") return [];
  return tool.phrases.flatMap(({ phrase }) => {
    const node = parsePhrase(phrase);
    const isText = (name: string) => (schemasAt(schemas.input, [name]) ?? []).some(isOpenText);
    const isSaid = (word: string) => /^\p{L}/u.test(word) && !functionWords.has(word) && !lightVerbs.has(word);
    const words = examplePhrase(node).split(" ");
    return slotNames(node).size > 0 && [...slotNames(node)].every(isText) && !words.some(isSaid) ? [phrase] : [];
  });
}
