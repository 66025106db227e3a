import { canonicalJson, type JsonObject, type JsonValue } from "../core/json.ts";
import { schemasAt } from "../core/json-schema.ts";
import type { RunSnapshot, StepRecord } from "../core/run-result.ts";
import type { DefinedTool } from "../core/tool.ts";
import { toolSchemas } from "../core/tool-schemas.ts";
import { verbsLike } from "../english/word-classes.ts";
import { sayName } from "../plan/say-call.ts";
import { labelNames, type Thing, thingsIn } from "./things.ts";

/** A thing and where it was last shown. */
export interface KnownThing extends Thing {
  readonly tool: string;
  readonly runId: string;
  readonly stepId: string;
  readonly isGone: boolean;
  /** True for a container of things, such as a list. */
  readonly isContainer?: boolean;
}

export interface Mention {
  readonly kind: "changed" | "shown" | "offered";
  readonly run: RunSnapshot;
  readonly things: readonly KnownThing[];
}

export type DoneStep = Omit<StepRecord, "input"> & { readonly runId: string; readonly input: JsonObject };

export interface Focus {
  readonly mentions: readonly Mention[];
  readonly things: readonly KnownThing[];
  readonly steps: readonly DoneStep[];
  readonly last: readonly DoneStep[];
  /** List or other container of the things of the last step; the first if there are several. */
  readonly container: KnownThing | undefined;
  /** True if the previous line was not understood or its thing is gone. Pronouns then refer to nothing. */
  readonly isDistant: boolean;
  /** True if the previous line looked for things and found none. "It" and "the first one" then refer to nothing. */
  readonly isEmpty: boolean;
}

/** Id of the step that looks a thing up before the line is read again. */
export const lookId = "look";
const maxThings = 100;
const maxRemembered = 50;

export function readFocus(tools: readonly DefinedTool[], runs: readonly RunSnapshot[]): Focus {
  const mentions: Mention[] = [];
  const steps: DoneStep[] = [];
  const things = new Map<string, KnownThing>();
  const undone: UndoneRun[] = [];
  let last: readonly DoneStep[] = [];
  for (const run of byLastStep(runs)) {
    const named = run.status === "suspended" ? namedIn(run) : [];
    if (named.length > 0) mentions.push({ kind: "offered", run, things: named });
    const done = run.steps.filter(
      ({ tool, status }) => status === "completed" && tools.some(({ name }) => name === tool),
    );
    const own = done.map((step) => ({ ...step, input: step.input as JsonObject, runId: run.runId })).reverse();
    steps.push(...own);
    if (last.length === 0) last = own.filter(({ stepId }) => stepId !== lookId);
    for (const [kind, found] of mentionsOf(tools, own)) {
      mentions.push({ kind, run, things: found });
      for (const thing of found)
        if (things.size < maxRemembered && !things.has(idOf(thing))) things.set(idOf(thing), thing);
    }
    undone.push({ run, at: mentions.length });
    const offered = offeredBy(run, things);
    if (offered.length > 1) mentions.push({ kind: "offered", run, things: offered });
  }
  const isLost = addRestored(mentions, undone, [...things.values()]);
  const container = containerOf(tools, mentions, steps);
  const isDistant = isLost || isRefused(runs);
  const isEmpty = showsNothing(steps[0], runs, mentions);
  return { mentions, things: [...things.values()], steps, last, container, isDistant, isEmpty };
}

function showsNothing(
  step: DoneStep | undefined,
  [run]: readonly RunSnapshot[],
  [mention]: readonly Mention[],
): boolean {
  return step?.effect === "pure" && step.runId === run?.runId && mention?.run.runId !== step.runId;
}

/** Things that the user has named in a request that waits for an answer: "reschedule the sectional". */
function namedIn({ runId, plan }: RunSnapshot): readonly KnownThing[] {
  return (plan?.steps ?? []).flatMap(({ id: stepId, tool, input = {} }) =>
    tool === undefined ? [] : namedBy({ tool, stepId, input }, runId),
  );
}

function namedBy(
  { tool, stepId, input }: Pick<DoneStep, "stepId" | "input"> & { readonly tool: string },
  runId: string,
) {
  const [keyField, key] = Object.entries(input).find(([name]) => labelNames.includes(name)) ?? [];
  if (keyField === undefined || typeof key !== "string") return [];
  return [{ ...namedThing(keyField, key, { tool, runId, stepId }), labelField: keyField }];
}

function namedThing(kind: string, key: string, from: Pick<KnownThing, "tool" | "runId" | "stepId">): KnownThing {
  const keyInputs = new Map([[from.tool, kind]]);
  return { kind, keyField: kind, key, label: key, fields: {}, path: [], keyInputs, ...from, isGone: false };
}

/** Finds the container of the last things: its name is in a text field with the same value in all of them. */
function containerOf(
  tools: readonly DefinedTool[],
  [mention]: readonly Mention[],
  [step]: readonly DoneStep[],
): KnownThing | undefined {
  if (step === undefined) return undefined;
  // If the last step showed no things, its input may name the container.
  const [first, ...others] = mention?.run.runId === step.runId ? mention.things : [];
  const fields = first?.fields ?? step.input;
  const own = tools.find(({ name }) => name === step.tool);
  const schemas = own && toolSchemas(own);
  if (own === undefined || schemas === undefined || schemas instanceof Promise) return undefined;
  // Several operations, such as list, add and clear, take the field of a container.
  const isShared = (name: string) =>
    (schemasAt(schemas.input, []) ?? []).filter(({ properties = {} }) => Object.hasOwn(properties, name)).length > 2;
  const isIn = ([name, value]: readonly [string, unknown]) =>
    typeof value === "string" &&
    name !== first?.keyField &&
    name !== first?.labelField &&
    !/^\d{4}-\d\d/.test(value) &&
    others.every((other) => other.fields[name] === value) &&
    isShared(name);
  const [found] = Object.entries(fields).filter(isIn);
  if (found === undefined) return undefined;
  const [kind, key] = found as [string, string];
  const { tool, runId, stepId } = step;
  return { ...namedThing(kind, key, { tool, runId, stepId }), isContainer: true };
}

export function takesKey({ tool, input }: Pick<DoneStep, "tool" | "input">, { keyInputs, key }: KnownThing): boolean {
  const field = keyInputs.get(tool);
  return field !== undefined && input[field] === key;
}

export function thingOf(
  step: Pick<DoneStep, "tool" | "input">,
  { things }: Pick<Focus, "things">,
): KnownThing | undefined {
  return things.find((thing) => takesKey(step, thing));
}

export function lastChange({ mentions }: Focus, thing: KnownThing): Mention | undefined {
  return mentions.find(({ kind, things }) => kind === "changed" && things.some((each) => isSameThing(each, thing)));
}

/** Sorts by the last step, because an answered run may end after runs that started later. */
function byLastStep(runs: readonly RunSnapshot[]): readonly RunSnapshot[] {
  const lastOf = ({ steps, createdAt }: RunSnapshot) =>
    steps.reduce((last, { completedAt = "" }) => (completedAt > last ? completedAt : last), createdAt);
  return [...runs].sort((one, other) => lastOf(other).localeCompare(lastOf(one)));
}

export function idOf({ kind, key }: Thing): string {
  return JSON.stringify([kind, key]);
}

export function isSameThing(one: Thing, other: Thing): boolean {
  return idOf(one) === idOf(other);
}

/** Compares instants regardless of their zones. */
export function isSameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  const instant = (value: JsonValue | undefined) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return canonicalJson(one ?? null) === canonicalJson(other ?? null) || instant(one) === instant(other);
}

/** Merges consecutive changes into one mention: "add milk and eggs" is about both. */
function mentionsOf(tools: readonly DefinedTool[], steps: readonly DoneStep[]) {
  const mentions: [Mention["kind"], KnownThing[]][] = [];
  for (const step of steps) {
    const { tool, input, output, runId, stepId } = step;
    const kind = step.effect === "pure" ? "shown" : "changed";
    const isGone = kind === "changed" && removes(tool, input);
    const found = thingsIn(tools, tool, input, output).slice(0, maxThings);
    const known = found.map((thing) => ({ ...thing, tool, runId, stepId, isGone }));
    if (known.length === 0) continue;
    const before = mentions.at(-1);
    if (before?.[0] === kind && kind === "changed") before[1].unshift(...known);
    else mentions.push([kind, known]);
  }
  return mentions;
}

const removing = new Set(verbsLike("delete"));

export function removes(tool: string, input: JsonObject): boolean {
  return saysOneOf(removing, tool, input);
}

function saysOneOf(verbs: ReadonlySet<string>, tool: string, input: JsonObject): boolean {
  const operation = Object.values(input).slice(0, 1);
  const words = [tool, ...operation].flatMap((name) => sayName(String(name)).split(" "));
  return words.some((word) => verbs.has(word));
}

const creating = new Set([...verbsLike("create"), ...verbsLike("add")]);

function isRefused(runs: readonly RunSnapshot[]): boolean {
  // The line may be read again, after a look-up of its own.
  const before = runs.find(({ status }) => status !== "running");
  return before?.status === "failed" && before.error?.code === "cannot-plan";
}

interface UndoneRun {
  readonly run: RunSnapshot;
  /** Index of the mention before which its things come. */
  readonly at: number;
}

/** Adds the things of undone runs. Returns true if the last one had things that are gone or unknown. */
function addRestored(mentions: Mention[], undone: readonly UndoneRun[], things: readonly KnownThing[]): boolean {
  let isLost = false;
  for (const { run, at } of undone.toReversed()) {
    const restored = restoredIn(run, things);
    isLost ||= at === 0 && restored.length === 0 && run.steps.some(({ status }) => status === "undone");
    mentions.splice(at, 0, ...restored);
  }
  return isLost;
}

/** Things whose change was undone. Those that it had created are gone. */
function restoredIn(run: RunSnapshot, things: readonly KnownThing[]): readonly Mention[] {
  const restored = run.steps.flatMap(({ stepId, tool, status, input: given }) => {
    const input = given as JsonObject;
    if (status !== "undone" || tool === undefined || saysOneOf(creating, tool, input)) return [];
    return thingOf({ tool, input }, { things }) ?? namedBy({ tool, stepId, input }, run.runId);
  });
  return restored.length > 0 ? [{ kind: "shown", run, things: restored }] : [];
}

/** Finds, by the keys in the plan's steps, the things that the options of a question stand for. */
function offeredBy({ runId, plan }: RunSnapshot, known: ReadonlyMap<string, KnownThing>): readonly KnownThing[] {
  const steps = plan?.steps ?? [];
  if (!steps.some(({ wait }) => wait !== undefined && "ask" in wait)) return [];
  const found = steps.flatMap(({ id: stepId, tool, input, when }): readonly KnownThing[] => {
    const like = [...known.values()].find(({ keyInputs }) => keyInputs.has(tool ?? ""));
    const field = like?.keyInputs.get(tool ?? "");
    const key = field === undefined ? undefined : input?.[field];
    if (like === undefined || when === undefined || (typeof key !== "string" && typeof key !== "number")) return [];
    const { label: _, ...alike } = like;
    const thing = { ...alike, key, fields: {}, runId, stepId, isGone: false };
    return [known.get(idOf(thing)) ?? thing];
  });
  return [...new Map(found.map((thing) => [idOf(thing), thing])).values()];
}
