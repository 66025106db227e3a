import { canonicalJson } from "../core/json.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { remembered } from "../core/remembered.ts";
import { auxiliaries, questionWords } from "../english/word-classes.ts";
import { sayName } from "../plan/say-call.ts";
import { type CallSlot, callsIn } from "../planners/rules/calls.ts";
import type { ToolRules } from "../planners/rules/phrase-rules.ts";
import { isPureStep } from "../planners/rules/steps.ts";
import { type MeantCall, type PlanTurn, planTurn } from "./draft-turn.ts";
import { type Filled, type FillOptions, fillCall, inputOf, spreadValues } from "./fill-call.ts";
import { timesOf } from "./half-said.ts";
import type { ThreadLine } from "./thread-line.ts";

/** A look-up of a tool that the thread has used: "read me tonight again". */
export async function readLook(line: ThreadLine): Promise<PlanTurn | undefined> {
  const used = new Set(line.focus.steps.map(({ tool }) => tool));
  const rules = line.rules.filter(({ tool }) => used.has(tool.name));
  const found = await lookUps(line, rules, { takesText: () => () => false, fits: ({ isHinted }) => isHinted });
  return found.length === 1 ? planTurn(found) : undefined;
}

const passing = "going|got|still|there|right|again|supposed|planned|meant|btw|currently|exactly|actually|put|set";

/** A question about what the thread does not know, answered by a look-up: "when are the gloves due?" */
export async function readLookUp(line: ThreadLine): Promise<PlanTurn | undefined> {
  const { wish, request } = line;
  const first = request.words[wish?.start ?? 0] ?? "";
  const isOfRecord = first === "why" || (/^(?:did|have)$/.test(first) && request.words.includes("you"));
  if (isOfRecord) return undefined;
  if (!questionWords.has(first) && !auxiliaries.has(first) && !request.words.includes("?")) return undefined;
  const takesText = (slots: readonly CallSlot[]) => {
    const texts = slots.filter(({ type }) => type.kind === "text");
    return ({ name }: CallSlot) => name === "query" || (texts.length === 1 && texts[0]?.name === name);
  };
  const passes = (rules: ToolRules) => new Set([...questionWords, ...passing.split("|"), ...fieldWords(rules)]);
  const found = await lookUps(line, line.rules, { takesText, passes, fits: () => true });
  return found.length === 1 ? planTurn(found) : undefined;
}

interface Looking {
  readonly takesText: (slots: readonly CallSlot[]) => FillOptions["takesText"];
  readonly passes?: (rules: ToolRules) => ReadonlySet<string>;
  readonly fits: (filled: Filled) => boolean;
}

async function lookUps(
  line: ThreadLine,
  tools: readonly ToolRules[],
  { takesText, passes, fits }: Looking,
): Promise<readonly MeantCall[]> {
  const found = new Map<string, MeantCall>();
  const queries = new Map<string, MeantCall>();
  const said = { ...line.withThing(undefined, undefined), keySlot: undefined, baseOf: timesOf(undefined, {}) };
  for (const rules of tools)
    for (const call of callsIn(rules)) {
      const options = { ...said, isPlain: true, takesText: takesText(call.slots), passes: passes?.(rules) };
      const filled = fillCall(call, options).find((each) => fits(each) && Object.keys(each.values).length > 0);
      const [values = {}] = spreadValues(filled?.values ?? {});
      const input = filled && (await inputOf(rules, call, values, said));
      if (input === undefined || !isPureStep(rules.tool, input)) continue;
      const own = Object.hasOwn(values, "query") ? queries : found;
      own.set(canonicalJson([rules.tool.name, input]), { rules, input });
    }
  // A search finds what a name that is not whole does not.
  const isSearched = ({ rules }: MeantCall) => [...queries.values()].some((each) => each.rules === rules);
  return [...queries.values(), ...[...found.values()].filter((call) => !isSearched(call))];
}

/** The words of the fields that a tool shows: a question may name one. */
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
