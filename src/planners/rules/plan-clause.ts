import type { ClauseReading } from "../../core/clause-reader.ts";
import { type JsonObject, type JsonPath, type JsonValue, setOwn } from "../../core/json.ts";
import { type JsonSchema, schemasAt, typesOf } from "../../core/json-schema.ts";
import type { PlanIssue } from "../../core/plan.ts";
import { cutText, escapeTemplate } from "../../core/text.ts";
import type { EarlierPhrases, PhraseContext, PhraseReference, Tool } from "../../core/tool.ts";
import { mentionsResult } from "../../english/references.ts";
import { checkInput } from "../../plan/check-input.ts";
import { asLiteral, asReference } from "../../plan/reference.ts";
import type { MatchInput } from "./match-input.ts";
import type { PhraseMatch } from "./match-phrases.ts";
import { lacking, readSlotValues, type Unfit, unboundWords } from "./slot-values.ts";

/** The inputs of the steps that a match makes. */
export interface ClauseInputs {
  readonly ok: true;
  readonly inputs: readonly JsonObject[];
}

/** The earlier result that a clause may use. */
export interface EarlierResult {
  readonly reference: PhraseReference;
  /** The tool whose step has it, if that is known: then its type is checked. */
  readonly tool: Tool | undefined;
  /** What was asked of the clause's own tool before. */
  readonly before: EarlierPhrases | undefined;
}

/** Steps of work for trying a match, and for checking an input it makes. */
const tryCost = 50;
const checkCost = 200;
/** For each character of a text: more where it has a schema of its own, as the phrase then reads what is in it. */
const textCost = 1;
const checkedTextCost = 5;
/** A longer text is a quote, and phrases copy it rather than read it. */
const maxLength = 10_000;

function workOf(match: PhraseMatch, { tokens }: MatchInput): number {
  const { slots = [] } = match.rules.rules[match.phraseIndex]?.program() ?? {};
  let work = tryCost;
  for (let capture = match.captures; capture !== undefined; capture = capture.before) {
    const type = slots[capture.slot]?.type;
    const length = (tokens[capture.end - 1]?.end ?? 0) - (tokens[capture.start]?.start ?? 0);
    const isRead = type?.kind === "text" && type.schema !== undefined;
    work += Math.min(length, maxLength) * (isRead ? checkedTextCost : textCost);
  }
  return work;
}

/** Makes the inputs of a match, or reports that it does not fit. Async only if a tool's schema is. */
export function planClause(
  match: PhraseMatch,
  input: MatchInput,
  earlier: EarlierResult | undefined,
): ClauseInputs | Unfit | Promise<ClauseInputs | Unfit> {
  const previous = earlier?.reference;
  input.work.spend(workOf(match, input));
  const { tool, schemas } = match.rules;
  const before = earlier?.before;
  const wishes = readWishes(match, input, { previous, before, ...input.clock });
  if (!wishes.ok) return wishes;
  const known = [...(previous === undefined ? [] : [previous]), ...(before?.results ?? [])];
  const inputs: JsonObject[] = [];
  const checks: Promise<Unfit | undefined>[] = [];
  for (const made of wishes.made) {
    const stepInput = made === undefined ? undefined : toStepInput(made, { schema: schemas.input, known });
    if (stepInput === undefined) return { ok: false };
    const unbound = previous && wishes.loose.find((text) => holdsText(made, text));
    if (unbound !== undefined) return { ok: false, code: "unbound", isUnbound: true, reason: unboundReason(unbound) };
    inputs.push(stepInput);
    input.work.spend(checkCost);
    const unfit = checkStepInput(stepInput, { tool, earlier });
    if (unfit instanceof Promise) checks.push(unfit);
    else if (unfit !== undefined) return unfit;
  }
  if (checks.length === 0) return { ok: true, inputs };
  return Promise.all(checks).then((unfit) => unfit.find((found) => found !== undefined) ?? { ok: true, inputs });
}

/** What a match makes, before it is an input: one for each step. */
interface Wishes {
  readonly ok: true;
  readonly made: readonly unknown[];
  /** Texts in which words may refer to an earlier result. */
  readonly loose: readonly string[];
}

function readWishes(match: PhraseMatch, input: MatchInput, context: PhraseContext): Wishes | Unfit {
  if (match.reading !== undefined) return fromReader(match.reading, context);
  const values = readSlotValues(match, input, context.previous);
  if (!values.ok) return values;
  const phrase = match.rules.rules[match.phraseIndex]?.source;
  const made = values.records.map((slots) =>
    phrase?.toInput === undefined ? { ...phrase?.input, ...slots } : phrase.toInput(slots, context),
  );
  return { ok: true, made, loose: values.loose };
}

function fromReader(reading: ClauseReading, context: PhraseContext): Wishes | Unfit {
  const made = reading.toInputs(context);
  if ("missing" in made || "left" in made || "unbound" in made) {
    if (made.unbound !== undefined) return unboundWords(made.unbound);
    if (made.left !== undefined) return { ok: false, reason: `nothing fits ${JSON.stringify(cutText(made.left, 60))}` };
    return lacking(made.missing ?? "something");
  }
  const inputs = made as readonly object[];
  const texts = inputs.flatMap((each) => Object.values(each).filter((value) => typeof value === "string"));
  const loose = texts.filter((text) => {
    const words = text.toLowerCase().split(/\s+/);
    return mentionsResult(words, 0, words.length);
  });
  return { ok: true, made: inputs, loose };
}

/** Whether an input contains the words verbatim: nothing resolved them. */
function holdsText(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.includes(text);
  return typeof value === "object" && value !== null && Object.values(value).some((item) => holdsText(item, text));
}

function unboundReason(text: string): string {
  const shown = JSON.stringify(cutText(text, 60));
  return `${shown} may refer to the result of an earlier step; say "the result" alone, or put the text in quotes`;
}

function checkStepInput(
  input: JsonObject,
  { tool, earlier }: { tool: Tool; earlier: EarlierResult | undefined },
): Unfit | undefined | Promise<Unfit | undefined> {
  const step = { id: "step", tool: tool.name, input };
  const before = earlier?.tool;
  const tools = new Map([[tool.name, tool]]);
  if (before !== undefined) tools.set(before.name, before);
  const stepOf = () => before && { id: "before", tool: before.name, input: {} };
  const scope = { path: [], tools, stepOf, parsed: undefined };
  const issues = checkInput(step, scope);
  return issues instanceof Promise ? issues.then(toUnfit) : toUnfit(issues);
}

function toUnfit(issues: readonly PlanIssue[]): Unfit | undefined {
  const [first] = issues;
  if (first === undefined) return undefined;
  const where = first.path.length > 1 ? `${first.path.slice(1).join(".")}: ` : "";
  return { ok: false, reason: `${where}${first.message}` };
}

/** What is needed to make an input safe. */
interface InputContext {
  readonly schema: JsonSchema;
  /** The only results the input may refer to, or to a part of one. */
  readonly known: readonly PhraseReference[];
}

/**
 * Turns what a phrase made of a request into the input of a step. Every text is escaped, so that nothing the user typed
 * is a reference. References to the earlier result stay, and become text where the tool wants text. `undefined` for
 * anything that is not a JSON object.
 */
function toStepInput(made: unknown, context: InputContext): JsonObject | undefined {
  if (typeof made !== "object" || made === null || Array.isArray(made)) return undefined;
  const copy = copyValue(made, [], { ...context, whole: made });
  return copy as JsonObject;
}

type CopyContext = InputContext & { readonly whole: object };

function copyValue(value: unknown, path: JsonPath, context: CopyContext): JsonValue {
  if (typeof value === "string") return escapeTemplate(value);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  if (Array.isArray(value)) return value.map((item, index) => copyValue(item, [...path, index], context));
  const reference = path.length > 0 ? asReference(value) : undefined;
  if (reference !== undefined) return copyReference(reference.$ref, path, context);
  if (path.length > 0 && asLiteral(value) !== undefined) return { $literal: value as JsonObject };
  const copy: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) setOwn(copy, key, copyValue(item, [...path, key], context));
  }
  return copy;
}

/**
 * Only the planner's own reference, or a part of what it names, is one: anything else that looks like one came from a
 * text.
 */
function copyReference(reference: unknown, path: JsonPath, { schema, known, whole }: CopyContext): JsonValue {
  const isOurs =
    typeof reference === "string" &&
    known.some(({ $ref }) => reference.startsWith($ref) && /^$|^[.[]/.test(reference.slice($ref.length)));
  if (!isOurs) return { $literal: { $ref: reference as JsonValue } };
  const wanted = schemasAt(schema, path, whole);
  const types = wanted && wanted.length > 0 ? typesOf(wanted) : undefined;
  const isText = types?.has("string") === true && types.size === 1;
  return isText ? `\${${reference}}` : { $ref: reference };
}
