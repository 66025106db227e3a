import type { ErrorData } from "../../core/error-data.ts";
import { isOurError } from "../../core/errors.ts";
import { copyJson, deepFreeze, hiddenText, hideSealed, mapItems, toJson } from "../../core/json.ts";
import { type RunResult, type RunSnapshot, toRunResult, toRunSnapshot } from "../../core/run-result.ts";
import type { RunState } from "../../core/run-state.ts";
import type { RunPage } from "../../core/run-store.ts";
import type { EngineSettings, RedactPlace } from "./engine-settings.ts";
import { withThrown } from "./run-errors.ts";
import type { RunSecrets } from "./run-secrets.ts";

interface Shown {
  readonly runId: string;
  readonly isSealed: boolean;
  readonly redact: EngineSettings["redact"];
}

export function show<T extends object>(part: T, { runId, isSealed, redact }: Shown): T {
  if (!isSealed && redact === undefined) return part;
  const hidden = isSealed ? hideSealed(part) : part;
  const shown = redact === undefined ? hidden : redactIn(hidden, { runId }, redact);
  return Object.isFrozen(part) ? deepFreeze(shown) : shown;
}

interface ShowingRun {
  readonly runId: string;
  readonly secrets: RunSecrets | undefined;
  readonly engine: Pick<EngineSettings, "redact">;
}

export function showIn<T extends object>({ runId, secrets, engine }: ShowingRun, part: T): T {
  return show(part, { runId, isSealed: secrets !== undefined, redact: engine.redact });
}

type Place = Omit<RedactPlace, "kind">;
type Redact = NonNullable<EngineSettings["redact"]>;

const kinds: ReadonlyMap<string, RedactPlace["kind"]> = new Map([
  ["request", "request"],
  ["context", "context"],
  ["metadata", "metadata"],
  ["input", "input"],
  ["given", "input"],
  ["output", "output"],
  ["value", "progress"],
  ["progress", "progress"],
  ["message", "message"],
  ["stack", "message"],
  ["reasoning", "message"],
  ["by", "message"],
  ["comment", "message"],
]);

const thrownKinds: typeof kinds = new Map([
  ["code", "message"],
  ["message", "message"],
  ["details", "details"],
]);

/** Details with other names may contain text from a user. */
const namesInDetails: ReadonlySet<unknown> = new Set(
  "tool stepId runId planner model code name path status type scope key limit operation problem keyId".split(" "),
);

function redactIn<T extends object>(holder: T, around: Place, redact: Redact, isDetail = false): T {
  const place = { ...around, ...placeIn(holder) };
  const { message, kind: itemKind } = holder as { readonly message?: unknown; readonly kind?: unknown };
  const isThrown = "name" in holder && typeof message === "string" && !isOurError(holder);
  return mapItems(holder, (item, key) => {
    const isName = namesInDetails.has(key);
    // The reason of a mismatch quotes messages, which may hold values; no other reason does.
    const isReason = key === "reason" && itemKind === "mismatch";
    const isText = isReason || (isDetail && typeof item === "string" && !isName);
    const isWords = key === "text" && "runId" in holder;
    const kind = (isThrown ? thrownKinds : kinds).get(String(key)) ?? (isText || isWords ? "message" : undefined);
    if (kind !== undefined && item !== undefined) return redacted(item, { kind, ...place }, redact);
    if (typeof item !== "object" || item === null) return item;
    return redactIn(item, place, redact, key === "details" || key === "words" || (isDetail && !isName));
  });
}

function placeIn(holder: object): Partial<Place> {
  const { stepId, id, tool, iteration } = holder as Readonly<Record<string, unknown>>;
  const step = stepId ?? (tool === undefined ? undefined : id);
  return {
    ...(typeof step === "string" && { stepId: step }),
    ...(typeof tool === "string" && { tool }),
    ...(typeof iteration === "number" && { iteration }),
  };
}

function redacted(value: unknown, place: RedactPlace, redact: Redact): unknown {
  try {
    const shown = redact(value, place);
    const json = toJson(shown);
    const isText = place.kind === "message" || place.kind === "request";
    return shown === undefined || !json.ok || (isText && typeof shown !== "string") ? hiddenText : json.value;
  } catch {
    return hiddenText;
  }
}

export function shownResult(
  state: RunState,
  { redact }: Pick<EngineSettings, "redact">,
  { secrets, thrown }: { secrets?: RunSecrets | undefined; thrown?: WeakMap<ErrorData, unknown> | undefined } = {},
): RunResult {
  const result = toRunResult(state);
  const cause = state.error && thrown?.get(state.error);
  if (state.mayBeSealed !== true && redact === undefined) return withThrown(result, cause);
  const { output, ...rest } = result;
  const opened = secrets === undefined ? hideSealed(output) : copyJson(secrets.open(output));
  const shownRest = {
    ...show(rest, shownAs(state, redact)),
    ...(output !== undefined && { output: opened }),
  } as RunResult;
  return shownRest.error === rest.error ? withThrown(shownRest, cause) : shownRest;
}

export function shownSnapshot(state: RunState, { redact }: Pick<EngineSettings, "redact">): RunSnapshot {
  return show(toRunSnapshot(state), shownAs(state, redact));
}

export function showPage({ runs, ...rest }: RunPage, { redact }: Pick<EngineSettings, "redact">): RunPage {
  return { ...rest, runs: runs.map((run) => show(run, { runId: run.runId, isSealed: true, redact })) };
}

function shownAs({ runId, mayBeSealed }: RunState, redact: EngineSettings["redact"]): Shown {
  return { runId, isSealed: mayBeSealed === true, redact };
}
