import MiniSearch from "minisearch";
import type { JsonSchema } from "../../core/json-schema.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { smallWords } from "../../english/small-words.ts";
import { lineTokens } from "./prompt.ts";

/** How many tools a model is shown at least, however long their descriptions are. */
const minTools = 5;
const maxDepth = 5;

/** What is searched of a tool, by its place in the list. */
interface ToolText {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly examples: string;
  readonly fields: string;
}

/** Which tools a model is shown. */
export interface ChosenTools {
  readonly first: readonly DefinedTool[];
  /** The nearest of the rest, and the likeliest of the first, if the model finds none that is meant. */
  readonly others: () => readonly DefinedTool[];
}

/** A number of tools, of which a request gets those with the most of its words. */
export class NearestTools {
  private readonly search = new MiniSearch<ToolText>({
    fields: ["name", "description", "examples", "fields"],
    tokenize: wordsOf,
    processTerm: (word) => (smallWords.has(word) ? null : withoutEnding(word)),
    // Chosen on three published sets of tools: other weights, stemmers and measures of length made no difference.
    searchOptions: { boost: { fields: 0.25 } },
  });

  private constructor(
    private readonly tools: readonly DefinedTool[],
    private readonly sizes: ReadonlyMap<DefinedTool, number>,
    private readonly maxTokens: number,
  ) {}

  /** Reads the tools. Returns undefined if the lines of all of them have no more than so many tokens. */
  static async of(tools: readonly DefinedTool[], maxTokens: number): Promise<NearestTools | undefined> {
    const sizes = await Promise.all(tools.map(lineTokens));
    if (tools.length <= minTools || sizes.reduce((sum, size) => sum + size, 0) <= maxTokens) return undefined;
    const byTool = new Map(tools.map((tool, index) => [tool, sizes[index] ?? 0]));
    const nearest = new NearestTools(tools, byTool, maxTokens);
    nearest.search.addAll(await Promise.all(tools.map(textOf)));
    return nearest;
  }

  /** The tools that a model is shown first, `kept` among them, and those for what is missing then. */
  choose(request: string, kept: ReadonlySet<string>): ChosenTools {
    const first = this.fill(this.ranked(request), kept);
    // The likeliest stay, as a part of the request may need them.
    const likeliest = new Set([...kept, ...first.slice(0, minTools).map(({ name }) => name)]);
    const shown = new Set(first.map(({ name }) => name));
    return {
      first: this.inOrder(first),
      others: () => {
        const rest = this.ranked(request).filter(({ name }) => likeliest.has(name) || !shown.has(name));
        return this.inOrder(this.fill(rest, likeliest));
      },
    };
  }

  /** All tools. Behind those that share a word stand the others: a request in other words may mean any of them. */
  private ranked(text: string): readonly DefinedTool[] {
    const found = this.search.search(text).map(({ id }) => this.tools[id as number] as DefinedTool);
    return [...new Set([...found, ...this.tools])];
  }

  /** The tools named in `always`, and the first of the others for which there is room. */
  private fill(ranked: readonly DefinedTool[], always: ReadonlySet<string>): readonly DefinedTool[] {
    const chosen: DefinedTool[] = [];
    let room = this.maxTokens;
    const isAlways = ({ name }: DefinedTool) => always.has(name);
    for (const tool of [...ranked.filter(isAlways), ...ranked.filter((each) => !isAlways(each))]) {
      const size = this.sizes.get(tool) ?? 0;
      if (size > room && chosen.length >= minTools && !isAlways(tool)) continue;
      chosen.push(tool);
      room -= size;
    }
    return chosen;
  }

  /** In the order of the list, so that the same tools are the same prompt. */
  private inOrder(chosen: readonly DefinedTool[]): readonly DefinedTool[] {
    const set = new Set(chosen);
    return this.tools.filter((tool) => set.has(tool));
  }
}

async function textOf(tool: DefinedTool, id: number): Promise<ToolText> {
  const { input } = await toolSchemas(tool);
  const phrases = typeof tool.phrases === "function" ? await tool.phrases() : tool.phrases;
  return {
    id,
    name: tool.name,
    description: tool.description,
    examples: phrases.map(({ phrase }) => phrase).join("\n"),
    fields: fieldsOf(input).join("\n"),
  };
}

/** The names of the fields of an input, what is said of them, and the constants that they may be. */
function fieldsOf(schema: unknown, depth = 0): readonly string[] {
  if (typeof schema !== "object" || schema === null || depth > maxDepth) return [];
  const { properties = {}, items, description, enum: values = [], const: constant, $defs = {} } = schema as JsonSchema;
  const { anyOf = [], oneOf = [], allOf = [] } = schema as JsonSchema;
  const parts = [...Object.values(properties), items, ...anyOf, ...oneOf, ...allOf, ...Object.values($defs as object)];
  const constants = [...values, constant].filter((value) => typeof value === "string");
  return [
    ...Object.keys(properties),
    ...(typeof description === "string" && depth > 0 ? [description] : []),
    ...constants,
    ...parts.flatMap((part) => fieldsOf(part, depth + 1)),
  ];
}

/** Words in lower case; those of `getUserName` and `get_user_name` are three. */
function wordsOf(text: string): string[] {
  const apart = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Cuts what English adds to a word: it is enough that all forms of a word become the same. */
function withoutEnding(word: string): string {
  if (word.length < 4) return word;
  if (word.length === 4) return word.replace(/s$/, "");
  return word
    .replace(/ies$/, "y")
    .replace(/(?:ing|ed|es|s)$/, "")
    .replace(/(.)\1$/, "$1")
    .replace(/e$/, "");
}
