import MiniSearch from "minisearch";
import { estimateTokens } from "../../core/language-model.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { smallWords } from "../../english/word-classes.ts";
import { stem } from "../../language/word-forms.ts";
import { operationsOf } from "./operations.ts";
import { describeOperation } from "./prompt.ts";

/** A model is shown at least so many tools, however long their descriptions are. */
const minTools = 5;

/** The texts of a tool that are searched, by its place in the list. */
interface ToolText {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly examples: string;
  /** Its lines in the prompt. */
  readonly lines: string;
}

/** The tools that a model is shown. */
export interface ChosenTools {
  readonly first: readonly DefinedTool[];
  /** The nearest of the rest, and the likeliest of the first, if the model finds none that is meant. */
  readonly others: () => readonly DefinedTool[];
}

/** A number of tools, of which a request gets those with the most of its words. */
export class NearestTools {
  private readonly search = new MiniSearch<ToolText>({
    fields: ["name", "description", "examples", "lines"],
    tokenize: wordsOf,
    processTerm: (word) => (smallWords.has(word) ? null : stem(word)),
    // Chosen on three published sets of tools: other weights, stemmers and measures of length made no difference.
    searchOptions: { boost: { lines: 0.25 } },
  });

  private constructor(
    private readonly tools: readonly DefinedTool[],
    private readonly sizes: ReadonlyMap<DefinedTool, number>,
    private readonly maxTokens: number,
  ) {}

  /** Reads the tools. Returns undefined if the lines of all of them have no more than so many tokens. */
  static async of(tools: readonly DefinedTool[], maxTokens: number): Promise<NearestTools | undefined> {
    const texts = await Promise.all(tools.map(textOf));
    const sizes = texts.map(({ lines }) => estimateTokens(lines));
    if (tools.length <= minTools || sizes.reduce((sum, size) => sum + size, 0) <= maxTokens) return undefined;
    const nearest = new NearestTools(tools, new Map(tools.map((tool, at) => [tool, sizes[at] ?? 0])), maxTokens);
    nearest.search.addAll(texts);
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
  const operations = await operationsOf([tool]);
  const { name, description } = tool;
  const examples = operations.flatMap(({ phrases }) => phrases.map(({ source }) => source.phrase)).join("\n");
  return { id, name, description, examples, lines: operations.map(describeOperation).join("\n") };
}

/** Words in lower case; those of `getUserName` and `get_user_name` are three. */
function wordsOf(text: string): string[] {
  const apart = text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
