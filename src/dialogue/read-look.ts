import { canonicalJson } from "../core/json.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { only } from "../core/lists.ts";
import { remembered } from "../core/remembered.ts";
import { auxiliaries, questionWords } from "../english/word-classes.ts";
import { stem } from "../language/word-forms.ts";
import { sayName } from "../plan/say-call.ts";
import { type CallSlot, callsIn } from "../planners/rules/calls.ts";
import type { ToolRules } from "../planners/rules/phrase-rules.ts";
import { isPureStep } from "../planners/rules/steps.ts";
import { type MeantCall, type PlanTurn, planTurn } from "./draft-turn.ts";
import { fillCall, inputOf, spreadValues } from "./fill-call.ts";
import type { ThreadLine } from "./thread-line.ts";

const recorded = /^(?:still|yet|already)$/;
const passing = "going|got|still|there|right|again|supposed|planned|meant|btw|currently|exactly|actually|put|set";

/** Reads a question as a look-up, or a fragment as the look-up of a tool in the thread: "read me tonight again". */
export async function readLookUp(line: ThreadLine): Promise<PlanTurn | undefined> {
  const { wish, request, focus, rules } = line;
  const [first = ""] = request.words.slice(wish?.start ?? 0);
  const isOfRecord = first === "why" || (/^(?:did|have)$/.test(first) && request.words.includes("you"));
  if (isOfRecord) return undefined;
  const asks = questionWords.has(first) || auxiliaries.has(first) || request.words.includes("?");
  const used = new Set(focus.steps.map(({ tool }) => tool));
  const found = only(await lookUps(line, asks ? rules : rules.filter(({ tool }) => used.has(tool.name))));
  if (found === undefined) return undefined;
  const { call, isSearch, isHinted } = found;
  if (!asks && (isSearch || !isHinted)) return undefined;
  // "Still" implies that the thing was recorded.
  const isKnown =
    line.references.some(({ how }) => how === "name") || request.words.some((word) => recorded.test(word));
  if (!isSearch || isKnown) return planTurn([call]);
  // Any words can be searched for, so a line without a word of the tool may not be meant for it.
  const isOfTool = (word: string) => callsIn(call.rules).some(({ weights }) => weights.has(stem(word)));
  return request.words.some(isOfTool) ? planTurn([{ ...call, doubt: "meant" }]) : undefined;
}

interface LookUp {
  readonly call: MeantCall;
  /** True if free words of the line fill a slot. */
  readonly isSearch: boolean;
  readonly isHinted: boolean;
}

/** Look-ups that the line may ask for, each once. Those with a query come first and replace others of their tool. */
async function lookUps(line: ThreadLine, tools: readonly ToolRules[]): Promise<readonly LookUp[]> {
  const found = new Map<string, LookUp>();
  const queries = new Map<string, LookUp>();
  const said = line.withThing(undefined, undefined);
  for (const rules of tools) {
    const passes = new Set([...questionWords, ...passing.split("|"), ...fieldWords(rules)]);
    for (const call of callsIn(rules)) {
      const texts = call.slots.filter(({ type }) => type.kind === "text");
      const mayTake = ({ name }: CallSlot) => name === "query" || (texts.length === 1 && texts[0]?.name === name);
      const find = (takesText?: (slot: CallSlot) => boolean) =>
        fillCall(call, { ...said, isPlain: true, takesText, passes }).find(
          ({ values }) => Object.keys(values).length > 0,
        );
      const filled = find() ?? find(mayTake);
      const [values = {}] = spreadValues(filled?.values ?? {});
      const input = filled && (await inputOf(rules, call, values, said));
      if (filled === undefined || input === undefined || !isPureStep(rules.tool, input)) continue;
      const { isHinted, textWords } = filled;
      const own = Object.hasOwn(values, "query") ? queries : found;
      const lookUp = { call: { rules, input }, isSearch: textWords > 0, isHinted };
      own.set(canonicalJson([rules.tool.name, input]), lookUp);
    }
  }
  // A search also finds incomplete names.
  const isSearched = ({ call }: LookUp) => [...queries.values()].some((each) => each.call.rules === call.rules);
  return [...queries.values(), ...[...found.values()].filter((each) => !isSearched(each))];
}

/** Words in the names of a tool's output fields. A question may contain them. */
const fieldWords = remembered(({ schemas }: ToolRules): readonly string[] => {
  const words = new Set<string>();
  const visit = (schema: JsonSchema, depth: number): void => {
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      for (const word of sayName(name).split(" ")) words.add(word);
      if (depth < maxDepth) visit(child, depth + 1);
    }
    const parts = [schema.items, schema.anyOf, schema.oneOf, schema.allOf].flatMap((part) => part ?? []);
    if (depth < maxDepth) for (const part of parts as readonly JsonSchema[]) visit(part, depth + 1);
  };
  if (schemas.output !== undefined) visit(schemas.output, 0);
  return [...words];
});

const maxDepth = 6;
