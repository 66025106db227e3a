import { canonicalJson, type JsonValue } from "../core/json.ts";
import { only } from "../core/lists.ts";
import { isPureStep } from "../planners/rules/steps.ts";
import type { MeantCall, PlanTurn } from "./draft-turn.ts";
import { type Filled, fillCall, inputOf, mayCorrect, withTarget } from "./fill-call.ts";
import { isSameThing, isSameValue, type KnownThing, takesKey } from "./focus.ts";
import { hasTime, lastTimes, timesOf } from "./half-said.ts";
import type { Reference } from "./references.ts";
import type { ThreadLine } from "./thread-line.ts";

/** Changes a value of a known thing: "the patels are 5 now", "make it high". */
export async function readChange(line: ThreadLine): Promise<PlanTurn | undefined> {
  if (line.wish === undefined || !line.wish.isSingle || saysAnother(line)) return undefined;
  // A name explains the pronoun after it: "the tent pegs, they can be low".
  const named = line.own.filter(({ how }) => how === "name" || how === "place" || how === "others");
  const [reference, ...others] = named.length > 0 ? named : line.own;
  // "Him" and "it" may mean the same thing: "charge him 18 euros for it".
  const second = others.find(({ things }) => things !== reference?.things && !isSameList(things, reference?.things));
  // A date alone or a correction changes what the last step created; "same for Sunday" creates another thing.
  const isRepeated =
    line.wish.opening === "again" || (line.wish.opening === "more" && hasTime(line.focus.last[0]?.input));
  const mayBeImplied = reference === undefined && !isRepeated && (line.wish.opening === "correct" || line.isDateAlone);
  const created = mayBeImplied ? lastCreated(line) : undefined;
  const implied = created !== undefined && line.saysKeyLike(created) ? undefined : created;
  const meant = reference ?? (implied && { things: [implied], isOpen: false });
  if (second !== undefined || meant === undefined) return undefined;
  return line.forEach(meant, async (thing) => thing && changeOf(line, thing, reference));
}

/** True for "a 15 for her", which is about a new thing. */
function saysAnother({ request: { words, marks } }: ThreadLine): boolean {
  return marks.some(({ kind, start }) => kind === "number" && /^(?:an?|another)$/.test(words[start - 1] ?? ""));
}

function isSameList(one: readonly KnownThing[], other: readonly KnownThing[] = []): boolean {
  return (
    one.length === other.length && one.every((thing, at) => other[at] !== undefined && isSameThing(thing, other[at]))
  );
}

function lastCreated({ focus }: ThreadLine): KnownThing | undefined {
  const [mention] = focus.isDistant ? [] : focus.mentions;
  const [step] = focus.last;
  const thing = only(mention?.things ?? []);
  if (mention?.kind !== "changed" || step === undefined || thing === undefined) return undefined;
  return takesKey(step, thing) ? undefined : thing;
}

interface Way {
  readonly call: MeantCall;
  readonly filled: Filled;
}

async function changeOf(
  line: ThreadLine,
  thing: KnownThing,
  reference: Reference | undefined,
): Promise<readonly MeantCall[] | undefined> {
  const ways = new Map<string, Way>();
  for await (const way of waysOf(line, thing, reference)) {
    const key = canonicalJson([way.call.rules.tool.name, way.call.input]);
    const known = ways.get(key)?.filled;
    if (known === undefined || known.skipped > way.filled.skipped || way.filled.isNamed) ways.set(key, way);
  }
  const all = [...ways.values()];
  const named = all.filter(({ filled }) => filled.isNamed);
  const [best, next] = (named.length > 0 ? named : all).sort((one, two) => one.filled.skipped - two.filled.skipped);
  return best !== undefined && best.filled.skipped !== next?.filled.skipped ? [best.call] : undefined;
}

async function* waysOf(line: ThreadLine, thing: KnownThing, reference: Reference | undefined): AsyncGenerator<Way> {
  const said = line.withThing(thing, reference);
  const baseOf = timesOf(thing, lastTimes(line.focus), line.wish?.opening === "correct");
  for (const { rules, call, keySlot } of line.callsWith(thing)) {
    if (Object.hasOwn(call.rule.fixed, keySlot)) continue;
    for (const filled of fillCall(call, { ...said, keySlot, baseOf })) {
      if (Object.keys(filled.values).length <= (filled.target === undefined ? 0 : 1)) continue;
      const values = withTarget(call, filled, thing);
      const input = values && (await inputOf(rules, call, values, { request: said.request, thing }));
      const meant = input && { rules, input, thing, said: reference && line.textOf(reference) };
      if (meant !== undefined && isChange(line, meant)) yield { call: meant, filled };
    }
  }
}

function isChange({ focus, wish }: ThreadLine, { rules, input, thing, said }: MeantCall & { thing: KnownThing }) {
  // The line may be an answer that was sent twice.
  const isThere = (value: JsonValue) => Object.values(thing.fields).some((own) => isSameValue(own, value));
  if (isPureStep(rules.tool, input) || (said === undefined && Object.values(input).every(isThere))) return false;
  const [last] = focus.last;
  const isRepeated = last?.tool === rules.tool.name && takesKey(last, thing);
  return !(wish?.opening === "correct" && isRepeated) || mayCorrect(last, thing, input);
}
