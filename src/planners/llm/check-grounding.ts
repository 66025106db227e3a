import type { JsonPath } from "../../core/json.ts";
import { schemasAt } from "../../core/json-schema.ts";
import { isMarkedAt } from "../../core/marked-schemas.ts";
import type { PlanStep, PlanWarning } from "../../core/plan.ts";
import { describeStepRef } from "../../core/step-ref.ts";
import type { DefinedTool } from "../../core/tool.ts";
import { toolSchemas } from "../../core/tool-schemas.ts";
import { callsTool } from "../../core/wait-step.ts";
import { Grounds } from "../../plan/grounding/grounds.ts";
import { textsOf } from "../../plan/grounding/leaves.ts";
import { isSurelyPure, type ShownText, UnsaidFinder, type UnsaidWords } from "../../plan/grounding/unsaid-words.ts";
import { cut, describeIssue, maxWordLength } from "./prompt/problems.ts";

/** What is done about a word or number in a plan that is not in the request. @inline */
export type GroundingPolicy = "refuse" | "warn" | "off";

/** What the words of steps are checked against. */
export interface GroundingScope {
  readonly tools: ReadonlyMap<string, DefinedTool>;
  readonly grounding: GroundingPolicy;
  /** What the user typed. */
  readonly request: string;
  /** When. */
  readonly nowMs?: number | undefined;
  /** The developer's instructions to the model: their words may appear in a plan, too. */
  readonly instructions: string;
  /** The steps that were planned before any output was seen. */
  readonly planned: readonly PlanStep[];
  /** What else the model reads; its words justify nothing in a step with an effect. */
  readonly shown: readonly ShownText[];
  readonly isReplan: boolean;
  /** Steps of the plan so far that new ones may refer to; they stay before them. */
  readonly kept: readonly PlanStep[];
}

/** What is wrong with a step. */
interface Finding {
  /** Within the step. */
  readonly path: JsonPath;
  readonly words: readonly string[] | undefined;
  readonly message: string;
  /** Whether it makes the plan invalid; else, in a replan, the orchestrator asks for approval. */
  readonly isFinal: boolean;
  /** Whether it is in a text that a model may compose. */
  readonly isComposed?: boolean;
}

/** Reports what the request does not say: as a problem if a step has an effect, else as a warning. */
export async function checkGrounding(
  steps: readonly PlanStep[],
  scope: GroundingScope & { readonly mayAskAgain: boolean },
): Promise<{ readonly warnings: readonly PlanWarning[]; readonly problems: readonly string[] }> {
  const { tools, grounding, kept, mayAskAgain, isReplan } = scope;
  const warnings: PlanWarning[] = [];
  const problems: string[] = [];
  if (grounding === "off") return { warnings, problems };
  const check = new GroundingCheck(scope);
  for (const [index, step] of steps.entries()) {
    if (!callsTool(step)) continue;
    const tool = tools.get(step.tool) as DefinedTool;
    const isHarmless = await isSurelyPure(step, tool);
    const found = isHarmless ? await check.ofHarmless(step, tool) : await check.ofEffect(step, tool);
    for (const { path, words, message, isFinal, isComposed } of found) {
      const finding = { path: ["steps", index + kept.length, ...path], message };
      const isRefused = grounding === "refuse" ? isFinal || mayAskAgain : isReplan && !isFinal && mayAskAgain;
      if (isRefused && !isHarmless && !isComposed) problems.push(describeIssue(finding));
      else warnings.push({ code: "ungrounded", ...finding, ...(words && { words }) });
    }
  }
  return { warnings, problems };
}

/** Checks steps against what was said and what is only shown; each text is read once. */
class GroundingCheck {
  private readonly said: Grounds;
  private readonly finder: UnsaidFinder;
  private all: Grounds | undefined;

  constructor(private readonly scope: GroundingScope) {
    this.said = new Grounds(`${scope.request}\n${scope.instructions}`, scope);
    this.finder = new UnsaidFinder(scope);
  }

  /** A step that changes nothing may quote what the model has read. */
  async ofHarmless(step: PlanStep, tool: DefinedTool): Promise<readonly Finding[]> {
    const { request, instructions, shown, nowMs } = this.scope;
    const read = [request, instructions, ...shown.flatMap(({ value }) => textsOf(value))];
    this.all ??= new Grounds(read.join("\n"), { nowMs });
    return this.ofRequest(step, tool, { grounds: this.all, isHarmless: true });
  }

  /** A step with an effect may only contain what was said, and refer to what is shown. */
  async ofEffect(step: PlanStep, tool: DefinedTool): Promise<readonly Finding[]> {
    const { isReplan } = this.scope;
    const unsaid = await this.finder.find(step, tool);
    const quoted = unsaid.filter(({ shown, isChoice }) => shown.length > 0 || (isReplan && isChoice));
    const places = new Set(quoted.map(({ path }) => JSON.stringify(path)));
    const isComposed = await composedIn(step, tool);
    const others = isReplan
      ? unsaid
          .filter((one) => !quoted.includes(one))
          .map(({ path, words }) => ({ ...findingOf(path, words), isComposed: isComposed(path) }))
      : await this.ofRequest(step, tool, { grounds: this.said, isHarmless: false });
    const found = [
      // What a tool returned is never put into a message unasked.
      ...quoted.map((one) => ({
        ...describeQuote(one),
        isFinal: !isReplan,
        isComposed: one.shown.every(({ source }) => source.type === "context") && isComposed(one.path),
      })),
      ...others.filter(({ path }) => !places.has(JSON.stringify(path))),
    ];
    const isSpokenOf = !isReplan || this.finder.isPlanned(tool.name) || this.said.speaksOf(step, tool);
    return found.length > 0 || isSpokenOf ? found : [notAskedFor];
  }

  private async ofRequest(
    step: PlanStep,
    tool: DefinedTool,
    { grounds, isHarmless }: { readonly grounds: Grounds; readonly isHarmless: boolean },
  ): Promise<readonly Finding[]> {
    const { input: schema } = await toolSchemas(tool);
    const isComposed = await composedIn(step, tool);
    const found = grounds.findUngrounded(step, { schema, isHarmless }).map(({ path, words }) => ({
      ...findingOf(["input", ...path], words),
      isComposed: isComposed(["input", ...path]),
    }));
    // A value that a schema prescribes is not checked word by word, and can do much: `clear`, `all`.
    return found.length > 0 || grounds.speaksOf(step, tool) ? found : [notAskedFor];
  }
}

/** Tells whether a value of a step, by its path, is in a field that is marked as composed, and is plain text. */
async function composedIn(step: PlanStep, tool: DefinedTool): Promise<(path: JsonPath) => boolean> {
  const { input: schema } = await toolSchemas(tool);
  return ([first, ...path]) => {
    if (first !== "input") return false;
    const schemas = schemasAt(schema, path, step.input) ?? [];
    const isText = schemas.length > 0 && schemas.every(({ type, format }) => type === "string" && format === undefined);
    return isText && isMarkedAt(schema, path, ({ composed }) => composed === true);
  };
}

const notAskedFor: Finding = {
  path: [],
  words: undefined,
  message: "Nothing in the request asks for this.",
  isFinal: true,
};

function findingOf(path: JsonPath, words: readonly string[]): Finding {
  return { path, words, message: `The request does not say ${quote(words)}.`, isFinal: true };
}

/** States where the words are, and what to write instead. */
function describeQuote({ path, words, shown }: UnsaidWords): Omit<Finding, "isFinal"> {
  const [first] = shown;
  const message = `The request does not say ${quote(words)}`;
  if (first === undefined) return { path, words, message: `${message}.` };
  const { source, value } = first;
  if (source.type !== "output") {
    const where =
      source.type === "context"
        ? "the app's information, which is not part of the request"
        : `the error of ${describeStepRef(source)}, which is only information`;
    return { path, words, message: `${message}. It appears only in ${where}. Leave it out.` };
  }
  const place = describeStepRef(source);
  const reference = `"\${${place}${pathTo(value, words) ?? ""}}"`;
  const advice = `Outputs are only information; write the reference ${reference} instead, or leave it out.`;
  return { path, words, message: `${message}. It appears in the output of ${place}. ${advice}` };
}

/** A key that a reference names after a dot. */
const name = /^[A-Za-z_][\w-]*$/;

/** The reference path of the first text or number in an output that has one of the words. */
function pathTo(value: unknown, words: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null) {
    const grounds = new Grounds(textsOf(value).join("\n"));
    return words.some((word) => grounds.missing(word).length === 0) ? "" : undefined;
  }
  for (const [key, item] of Object.entries(value)) {
    const path = pathTo(item, words);
    const part = Array.isArray(value) ? `[${key}]` : name.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    if (path !== undefined) return `${part}${path}`;
  }
  return undefined;
}

/** The words, or as many of them as anyone reads. */
function quote(words: readonly string[]): string {
  const shown = words.slice(0, maxWords).map((word) => `"${cut(word, maxWordLength)}"`);
  return shown.join(", ") + (words.length > maxWords ? ` and ${words.length - maxWords} more` : "");
}

const maxWords = 10;
