import type { DefinedTool } from "../../core/tool.ts";

/** Sets of tools that are kept: an app has few, one for each kind of user. */
const maxSets = 20;

/** What is made of sets of tools. A set is known by its tools, not by its list, which may be made for each request. */
export class ToolSets<T> {
  private known: { readonly tools: readonly DefinedTool[]; made: Promise<T> }[] = [];

  constructor(private readonly make: (tools: readonly DefinedTool[]) => Promise<T>) {}

  /** What was made of these tools; made once, unless that fails or many others came in between. */
  get(tools: readonly DefinedTool[]): Promise<T> {
    const isSame = (known: readonly DefinedTool[]) =>
      known.length === tools.length && known.every((tool, index) => tool === tools[index]);
    const found = this.known.find((entry) => isSame(entry.tools));
    if (found !== undefined) return found.made;
    const entry = { tools: [...tools], made: this.make(tools) };
    entry.made.catch(() => {
      this.known = this.known.filter((other) => other !== entry);
    });
    if (this.known.push(entry) > maxSets) this.known.shift();
    return entry.made;
  }
}
