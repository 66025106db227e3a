import MiniSearch from "minisearch";
import type { JsonSchema } from "../../core/json-schema.ts";
import { estimateTokens } from "../../core/language-model.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { smallWords } from "../../english/word-classes.ts";
import { stem } from "../../language/word-forms.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { describeOperation } from "./prompt.ts";

const minTools = 5;

export type ChooseTools = (
  request: string,
  kept: ReadonlySet<string>,
) => { readonly first: readonly DefinedTool[]; readonly others: () => readonly DefinedTool[] };

interface ToolRoom {
  readonly maxTokens: number;
  readonly schemaOf: ((operations: readonly Operation[]) => JsonSchema) | undefined;
}

export async function readNearest(
  tools: readonly DefinedTool[],
  { maxTokens, schemaOf }: ToolRoom,
): Promise<ChooseTools | undefined> {
  const schemaTokens = (operations: readonly Operation[]) =>
    schemaOf === undefined ? 0 : estimateTokens(JSON.stringify(schemaOf(operations)));
  const texts = await Promise.all(tools.map(textOf));
  const ofNone = schemaTokens([]);
  const sizes = new Map(
    texts.map(({ lines, operations }, at) => [tools[at], estimateTokens(lines) + schemaTokens(operations) - ofNone]),
  );
  if (tools.length <= minTools || [...sizes.values()].reduce((sum, size) => sum + size, 0) <= maxTokens)
    return undefined;
  const search = new MiniSearch<(typeof texts)[number]>({
    fields: ["name", "description", "examples", "lines"],
    tokenize: wordsOf,
    processTerm: (word) => (smallWords.has(word) ? null : stem(word)),
    // Chosen on three published sets of tools; other weights and stemmers made no difference.
    searchOptions: { boost: { lines: 0.25 } },
  });
  search.addAll(texts);
  const fill = (ranked: readonly DefinedTool[], always: ReadonlySet<string>): readonly DefinedTool[] => {
    const chosen: DefinedTool[] = [];
    let room = maxTokens;
    const isAlways = ({ name }: DefinedTool) => always.has(name);
    for (const tool of [...ranked.filter(isAlways), ...ranked.filter((each) => !isAlways(each))]) {
      const size = sizes.get(tool) ?? 0;
      if (size > room && chosen.length >= minTools && !isAlways(tool)) continue;
      chosen.push(tool);
      room -= size;
    }
    return chosen;
  };
  // Keeps the order of `tools`, so that servers can cache the prompt.
  const inOrder = (chosen: readonly DefinedTool[]) => tools.filter((tool) => chosen.includes(tool));
  return (request, kept) => {
    const found = search.search(request).map(({ id }) => tools[id as number] as DefinedTool);
    const ranked = [...new Set([...found, ...tools])];
    const first = fill(ranked, kept);
    const likeliest = new Set([...kept, ...first.slice(0, minTools).map(({ name }) => name)]);
    const isOther = (tool: DefinedTool) => likeliest.has(tool.name) || !first.includes(tool);
    return { first: inOrder(first), others: () => inOrder(fill(ranked.filter(isOther), likeliest)) };
  };
}

async function textOf(tool: DefinedTool, id: number) {
  const operations = await operationsOf([tool]);
  const { name, description } = tool;
  const examples = operations.flatMap(({ phrases }) => phrases.map(({ source }) => source.phrase)).join("\n");
  return { id, name, description, examples, operations, lines: operations.map(describeOperation).join("\n") };
}

function wordsOf(text: string): string[] {
  const apart = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
