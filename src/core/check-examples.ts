import { canonicalJson } from "./canonical-json.ts";
import { failOption } from "./options.ts";
import { parseWith, type StandardSchema } from "./schema.ts";
import { cutText } from "./text.ts";
import type { DefinedTool, ToolPhrase } from "./tool.ts";

const templateSigns = /[()[\]{}|]/;
/** The rule planner refuses a longer phrase. */
const maxLength = 4_096;

/** A phrase as it is compared with others: an example, that is a sentence without slots or choices. */
function sentenceOf({ phrase }: ToolPhrase): string | undefined {
  return phrase.length > maxLength || templateSigns.test(phrase)
    ? undefined
    : phrase.trim().toLowerCase().replace(/\s+/g, " ");
}

/** Throws `invalid-options` for an example whose input does not fit the tool, or is another one than before. */
export function checkExamples(name: string, phrases: readonly ToolPhrase[], inputSchema: StandardSchema): void {
  const known = new Map<string, string>();
  for (const [index, each] of phrases.entries()) {
    const sentence = sentenceOf(each);
    // What a function makes of a sentence is checked when a request is planned.
    if (sentence === undefined || sentence === "" || each.toInput !== undefined) continue;
    const option = `${name}.phrases[${index}]`;
    const input = each.input ?? {};
    const parsed = parseWith(inputSchema, input);
    if (!(parsed instanceof Promise) && !parsed.ok) {
      const [issue] = parsed.issues;
      const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
      failOption(
        `${option}.input`,
        each.input,
        `an input that fits the tool, as ${JSON.stringify(cutText(each.phrase, 60))} has no slots (${where}${issue?.message ?? "invalid"})`,
      );
    }
    const json = canonicalJson(input);
    const other = known.get(sentence);
    if (other !== undefined && other !== json)
      failOption(option, each.phrase, `a sentence with one meaning: an earlier phrase gives it the input ${other}`);
    known.set(sentence, json);
  }
}

/** Throws `invalid-options` for a sentence that two tools give as an example. */
export function checkSharedExamples(tools: Iterable<DefinedTool>): void {
  const owners = new Map<string, string>();
  for (const { name, phrases } of tools) {
    if (typeof phrases === "function") continue;
    for (const [index, each] of phrases.entries()) {
      const sentence = sentenceOf(each);
      if (sentence === undefined) continue;
      const owner = owners.get(sentence);
      if (owner !== undefined && owner !== name)
        failOption(`${name}.phrases[${index}]`, each.phrase, `a sentence that no other tool has; ${owner} has it, too`);
      owners.set(sentence, name);
    }
  }
}
