import { AgentError } from "../../core/errors.ts";
import type { AgentEvent, StoredRunOptions } from "../../core/events.ts";
import { type JsonValue, replaceSealed, type Sealed } from "../../core/json.ts";
import { failOption } from "../../core/options.ts";
import type { Plan } from "../../core/plan.ts";
import { toolOf } from "../../core/step.ts";
import { hashPlan } from "../../plan/hash-plan.ts";
import type { EngineSettings } from "../options.ts";
import { type SealedPlace, sealedPartsIn } from "./map-sensitive.ts";
import type { RunSecrets } from "./run-secrets.ts";
import { loadSecrets } from "./secrets-of-run.ts";

/** What is sealed again for a fork. */
interface Resealing {
  readonly events: readonly AgentEvent[];
  /** Those of the run. */
  readonly secrets: RunSecrets;
  /** Those of the fork. */
  readonly own: RunSecrets;
}

/**
 * The events of a run with its secrets sealed for a fork, as what is sealed is bound to its run. Rejects with
 * `secret-unreadable`, and with `invalid-options` if they end before the plan that the caller approved of.
 */
export async function sealForFork(
  { sealing, toolsByName }: Pick<EngineSettings, "sealing" | "toolsByName">,
  { runId, ...given }: Omit<Resealing, "own"> & { readonly runId: string },
): Promise<readonly AgentEvent[]> {
  const { events } = given;
  const own = await loadSecrets(sealing, { runId, tools: toolsByName });
  const resealing: Resealing = { ...given, own };
  const texts = new Map<string, string>();
  const tools = new Map<string, string>();
  const sealedAgain = ({ $sealed }: Sealed): Sealed => {
    const text = texts.get($sealed);
    if (text === undefined) throw misplaced(own.runId);
    return { $sealed: text };
  };
  const resealed: AgentEvent[] = [];
  for (const event of events) {
    for (const step of planOf(event)?.steps ?? []) tools.set(step.id, toolOf(step));
    for (const part of partsIn(event, tools)) await sealPart(part, { ...resealing, texts });
    const copy = replaceSealed(event, sealedAgain);
    // Without this mark, what it was started with is not sealed.
    const isBound = copy.type === "run-start" && copy.mayBeSealed;
    resealed.push(isBound ? { ...copy, options: await rebind(copy.options, resealing) } : copy);
  }
  return resealed;
}

function planOf(event: AgentEvent): Plan | undefined {
  if (event.type === "run-start") return event.plan;
  if (event.type !== "plan-end" && event.type !== "plan-revise") return undefined;
  return event.outcome.status === "completed" ? event.outcome.plan : undefined;
}

/** A part that may have sealed values, and of which tool it is. */
interface StepPart {
  readonly tool: string;
  readonly part: SealedPlace;
  readonly value: unknown;
}

/**
 * All events have inputs and outputs under these names; `tools` are those of the steps. The output of a run has none: it
 * is that of a step that has ended before.
 */
function* partsIn(holder: unknown, tools: ReadonlyMap<string, string>, around?: string): Iterable<StepPart> {
  if (typeof holder !== "object" || holder === null) return;
  const { tool: name, stepId, id } = holder as Readonly<Record<string, unknown>>;
  const tool = typeof name === "string" ? name : (tools.get(String(stepId ?? id)) ?? around);
  for (const [key, value] of Object.entries(holder)) {
    if (key !== "input" && key !== "output" && key !== "reasoning") yield* partsIn(value, tools, tool);
    else if (tool !== undefined) yield { tool, part: key, value };
  }
}

/** Seals a part, and adds the new texts by the old ones. */
async function sealPart(
  { tool, part, value }: StepPart,
  { secrets, own, texts }: Resealing & { readonly texts: Map<string, string> },
): Promise<void> {
  const sealed = sealedPartsIn(tool, part, value).filter(({ text }) => !texts.has(text));
  if (sealed.length > 0) await secrets.loadIn(tool, part, value);
  for (const { path, text } of sealed) {
    const secret: unknown = secrets.open({ $sealed: text });
    texts.set(text, await own.sealAt({ tool, path }, secret as JsonValue));
  }
}

/** The options with the hash of the approved plan bound to the fork. */
async function rebind(options: StoredRunOptions, { events, secrets, own }: Resealing): Promise<StoredRunOptions> {
  const { approvedHash } = options;
  // Without a key it is recorded as it is.
  if (approvedHash === undefined || !secrets.canSeal) return options;
  const planned = events.find((event) => planOf(event) !== undefined);
  if (planned === undefined) {
    const why = "the hash of the approved plan is sealed for the other run";
    failOption("after", events.length, `at least the number of the event that has the plan, as ${why}`);
  }
  const hash = await hashPlan(secrets.open(planOf(planned) as Plan));
  return (await secrets.isHashOf(approvedHash, hash)) ? own.sealOptions({ ...options, approvedHash: hash }) : options;
}

function misplaced(runId: string): AgentError<"secret-unreadable"> {
  const message = `A secret for run "${runId}" cannot be read: it is not in an input or output. Nothing was run or recorded.`;
  return new AgentError("secret-unreadable", message, { details: { runId, keyId: "", available: [] } });
}
