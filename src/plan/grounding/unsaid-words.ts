import type { WordSource } from "../../core/approval.ts";
import { copyJson, type JsonPath } from "../../core/json.ts";
import { schemasAt } from "../../core/json-schema.ts";
import type { PlanStep } from "../../core/plan.ts";
import type { ReplanRequest } from "../../core/planner.ts";
import { parseWith } from "../../core/schema.ts";
import { stepRefOf } from "../../core/step-ref.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { inputOf, toolOf } from "../../core/wait-step.ts";
import { Grounds } from "./grounds.ts";
import { constantsOf, type Leaf, leavesOf, namesIn, spaced, textOf, textsOf } from "./leaves.ts";
import { isPrescribed } from "./prescribed.ts";
import { isDate } from "./said-times.ts";

/*
 * The output or the error of a tool may be written by anybody: a page, a mail, a file. A planner that reads it may do
 * what it says. So its words justify no input of a tool with an effect: what such a tool needs of an output, it gets by
 * a reference.
 */

/** Something that is shown to a planner and does not speak for the user. */
export interface ShownText {
  readonly source: WordSource;
  readonly value: unknown;
}

/** Words of a step that nobody with authority has said. */
export interface UnsaidWords {
  /** Within the step. */
  readonly path: JsonPath;
  readonly words: readonly string[];
  /** The shown texts that have some of the words. */
  readonly shown: readonly ShownText[];
  /** Whether a schema allows only a choice there, such as an operation or a switch. */
  readonly isChoice: boolean;
}

/** The texts with authority, and those that are only shown. */
interface Sayings {
  /** What the user typed. */
  readonly request: string;
  /** The developer's instructions to a model. */
  readonly instructions?: string;
  /** The steps that were planned before any output was seen. */
  readonly planned: readonly PlanStep[];
  readonly shown: readonly ShownText[];
}

/** What a planner is shown for a replan. */
export function shownIn({ steps, error, context }: Pick<ReplanRequest, "steps" | "error" | "context">): ShownText[] {
  const shown: ShownText[] = [];
  for (const { output, error: own, ...record } of steps) {
    if (output !== undefined) shown.push({ source: { type: "output", ...stepRefOf(record) }, value: output });
    if (own !== undefined) shown.push({ source: { type: "error", ...stepRefOf(record) }, value: valuesOf(own) });
  }
  const failed = steps.find(({ status }) => status === "failed");
  if (failed !== undefined) shown.push({ source: { type: "error", ...stepRefOf(failed) }, value: valuesOf(error) });
  return [...shown, ...contextShown(context)];
}

/** All values, but not the keys, which are ours. */
function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(valuesOf) : [value];
}

/** The context of a run, as something that is only shown. */
export function contextShown(context: string | undefined): readonly ShownText[] {
  return context === undefined || context === "" ? [] : [{ source: { type: "context" }, value: context }];
}

/** Finds words in steps that nobody has said. It reads the texts that were said and shown only once. */
export class UnsaidFinder {
  private readonly typed: Grounds;
  private readonly said: Grounds;
  private readonly saidText: string;
  /** The values, and their places, that a tool was to get in the first plan. */
  private readonly planned = new Set<string>();
  private together: ShownWords | undefined;
  private each: readonly { readonly text: ShownText; readonly words: ShownWords }[] | undefined;

  constructor(private readonly sayings: Sayings) {
    const { request, instructions = "", planned } = sayings;
    const texts: string[] = [request, instructions];
    for (const step of planned) {
      for (const leaf of leavesOf(inputOf(step), [])) {
        texts.push(textsOf(textOf(leaf)).join("\n"));
        for (const [index] of leaf.path.entries()) this.planned.add(keyOf(toolOf(step), leaf.path.slice(0, index + 1)));
        this.planned.add(keyOf(toolOf(step), leaf.path, leaf.value));
      }
      texts.push(...constantsOf(step.forEach).map(String));
    }
    this.typed = new Grounds(`${request}\n${instructions}`);
    this.saidText = texts.join("\n");
    this.said = new Grounds(this.saidText);
  }

  /** Whether a tool was to be called before any output was seen. */
  isPlanned(tool: string): boolean {
    return this.sayings.planned.some((step) => step.tool === tool);
  }

  /** The words of a step, of each value of its input and each constant of its list, that nobody has said. */
  async find(step: PlanStep, tool: DefinedTool): Promise<readonly UnsaidWords[]> {
    const { input: schema } = await toolSchemas(tool);
    const found: UnsaidWords[] = [];
    const add = (path: JsonPath, words: readonly string[], isChoice: boolean) => {
      if (words.length > 0) found.push({ path, words, shown: this.shownWith(words), isChoice });
    };
    const schemasOf = (path: JsonPath) => schemasAt(schema, path, step.input);
    for (const leaf of leavesOf(inputOf(step), [])) {
      const { value, path } = leaf;
      const isKnown = this.planned.has(keyOf(tool.name, path, value));
      const schemas = schemasOf(path);
      const isChoice = isPrescribed(value, schemas);
      const isUsual = value === null || schemas?.some((one) => "default" in one && one.default === value);
      const names = new Set<unknown>(namesIn(path, schemasOf));
      const own = path.filter(
        (key, index) => names.has(key) && !this.planned.has(keyOf(tool.name, path.slice(0, index + 1))),
      );
      const words = isKnown || (isChoice && isUsual) ? [] : this.unsaid(leaf, isChoice);
      add(["input", ...path], [...own.flatMap((name) => this.said.missing(spaced(String(name)))), ...words], isChoice);
    }
    for (const constant of constantsOf(step.forEach)) add(["forEach"], this.said.missing(constant), false);
    return found;
  }

  /** A choice must be typed: that a word is somewhere in the plan does not mean that it was chosen here. */
  private unsaid(leaf: Leaf, isChoice: boolean): readonly string[] {
    const { value, path } = leaf;
    if (isChoice) {
      const name = String(path.findLast((key) => typeof key === "string") ?? "");
      return this.typed.missing(typeof value === "boolean" ? spaced(name) : spaced(String(value)));
    }
    if (isDate(value) && !this.saidText.includes(value) && this.isShown(value)) return [value];
    const text = textOf(leaf);
    if (typeof text === "string" && isSigns(text)) return this.saidText.includes(text) ? [] : [text];
    return this.said.missing(text);
  }

  /** Whether its numbers are in texts that are only shown, whatever a planner may derive from "tomorrow". */
  private isShown(date: string): boolean {
    const [first = "", second = "", third = second] = date.split(/\D+/);
    return [first, third].every((part) => this.all.says(String(Number(part))));
  }

  /** The first texts that have one of the first of these words. */
  private shownWith(words: readonly string[]): readonly ShownText[] {
    const quoted = words.filter((word) => this.all.says(word)).slice(0, maxWords);
    const found: ShownText[] = [];
    if (quoted.length === 0) return found;
    this.each ??= this.sayings.shown.map((text) => ({ text, words: new ShownWords([text]) }));
    for (const { text, words } of this.each) {
      if (quoted.some((word) => words.says(word))) found.push(text);
      if (found.length === maxSources) break;
    }
    return found;
  }

  private get all(): ShownWords {
    this.together ??= new ShownWords(this.sayings.shown);
    return this.together;
  }
}

/** As many as anybody would read. */
const maxSources = 10;
const maxWords = 100;

/** The words of texts, and their signs. */
class ShownWords {
  private readonly text: string;
  private readonly grounds: Grounds;

  constructor(shown: readonly ShownText[]) {
    this.text = shown.flatMap(({ value }) => textsOf(value)).join("\n");
    this.grounds = new Grounds(this.text);
  }

  says(word: string): boolean {
    return isSigns(word) ? this.text.includes(word) : this.grounds.missing(word).length === 0;
  }
}

/** Whether a text is not empty and has neither a letter nor a digit: `*`. */
function isSigns(text: string): boolean {
  return text.trim() !== "" && !/[\p{L}\p{N}]/u.test(text);
}

/** The place of a value in the input of a tool; all items of a list share one place. */
function keyOf(tool: string, path: JsonPath, ...value: readonly unknown[]): string {
  return JSON.stringify([tool, path.map((key) => (typeof key === "number" ? 0 : key)), ...value]);
}

/** Whether a step surely changes nothing. A tool that does not declare that counts as one with an effect. */
export async function isSurelyPure({ input }: PlanStep, tool: DefinedTool): Promise<boolean> {
  if (tool.declaredEffect !== "by-input") return tool.declaredEffect === "pure";
  const parsed = await parseWith(tool.inputSchema, copyJson(input));
  if (!parsed.ok) return false;
  try {
    return tool.effect(parsed.value) === "pure";
  } catch {
    return false;
  }
}
