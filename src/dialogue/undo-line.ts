import type { JsonObject, JsonValue } from "../core/json.ts";
import type { DefinedTool } from "../core/tool.ts";
import type { Turn } from "../core/turn.ts";
import type { ToolRules } from "../planners/rules/phrase-rules.ts";
import { type DoneStep, type Focus, isSameThing, type KnownThing } from "./focus.ts";
import type { Made } from "./read-turn.ts";
import type { Line, Reference } from "./references.ts";

interface UndoContext {
  readonly focus: Focus;
  readonly rules: readonly ToolRules[];
  readonly references: readonly Reference[];
  readonly tools: readonly DefinedTool[];
}

const verb =
  /^(?:(?:no|wait|oh|oops|please|sorry|actually|hang on|ah) )*(?:undo|revert|take back|take (?:that|it|this) back|put (?:that|it|this) back|reverse|roll back|change (?:that|it) back)(?= |$)/;
const rest = /^(?:that|it|this|the|last|one|change|again|please|step|for|back|move|all|of|just)$/;

/** "undo that", "take it back", "wait, undo haddad". */
export function readUndo(
  line: Line,
  { focus, rules, references, tools }: UndoContext,
): Extract<Turn, { type: "undo" | "words" }> | { readonly type: "plan"; readonly made: readonly Made[] } | undefined {
  const words = line.words.filter((word) => !/^[.,!?;:–—-]$/.test(word));
  const said = words.join(" ");
  const found = verb.exec(said);
  if (found === null) return undefined;
  const named = references.filter(({ how }) => how === "name" || how === "place");
  const [thing, other] = named.flatMap(({ things }) => things);
  const nameWords = new Set(named.flatMap(({ start, end }) => line.words.slice(start, end)));
  const left = said
    .slice(found[0].length)
    .trim()
    .split(" ")
    .filter((word) => word !== "" && !rest.test(word) && !nameWords.has(word));
  if (left.length > 0 || other !== undefined) return undefined;
  const mention = focus.mentions.find(
    ({ kind, things }) =>
      kind === "changed" && (thing === undefined || things.some((each) => isSameThing(each, thing))),
  );
  if (mention === undefined) return { type: "words", text: "There is nothing to undo." };
  const { run } = mention;
  const changed = focus.steps.filter(({ runId, effect }) => runId === run.runId && effect !== "pure");
  const isWhole = thing === undefined || changed.length === 1;
  const mayUndo = changed.every((step) => tools.find(({ name }) => name === step.tool)?.undo !== undefined);
  if (isWhole && mayUndo) return { type: "undo", runId: run.runId };
  const wanted = thing === undefined ? changed : changed.filter((step) => takes(step, thing));
  const made = wanted.map((step) => formerly(step, focus, rules));
  return made.length > 0 && made.every((each) => each !== undefined)
    ? { type: "plan", made: made as readonly Made[] }
    : { type: "words", text: "That cannot be undone." };
}

function takes(step: DoneStep, thing: KnownThing): boolean {
  const field = thing.keyInputs.get(step.tool);
  return field !== undefined && (step.input as JsonObject)[field] === thing.key;
}

/** The same call with the values that the thing had before. */
function formerly(step: DoneStep, focus: Focus, rules: readonly ToolRules[]): Made | undefined {
  const own = rules.find(({ tool }) => tool.name === step.tool);
  const thing = focus.things.find((each) => takes(step, each));
  const field = thing?.keyInputs.get(step.tool);
  if (own === undefined || thing === undefined || field === undefined) return undefined;
  const at = focus.mentions.findIndex(({ run, kind }) => run.runId === step.runId && kind === "changed");
  const before = focus.mentions
    .slice(at + 1)
    .flatMap(({ things }) => things)
    .find((each) => isSameThing(each, thing));
  if (before === undefined) return undefined;
  const input: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(step.input as JsonObject)) {
    const former = name === field || name === own.branch ? value : before.fields[name];
    if (former === undefined) return undefined;
    input[name] = former;
  }
  return { rules: own, input, thing, said: "" };
}
