import { type Clock, monotonicNow } from "../../async/clock.ts";
import { RecentMap } from "../../async/recent-map.ts";
import { canonicalJson } from "../../core/canonical-json.ts";
import type { JsonValue } from "../../core/json.ts";
import { hideSealed } from "../../core/sealed.ts";
import { isSensitiveTool } from "../../core/sensitive.ts";
import { describeThrown } from "../../core/text.ts";
import type { DefinedTool, ToolCacheOptions } from "../../core/tool.ts";
import type { AgentWarning } from "../options.ts";
import type { RunSettings } from "../run-options.ts";
import { type ResultPlace, refOfTask, type StepCall } from "./step-call.ts";

/** The part of a run that the key of a call may depend on. */
interface CachingRun {
  readonly settings: Pick<RunSettings, "resources" | "metadata">;
  warn(warning: Omit<AgentWarning, "runId">): void;
}

interface KeptResult {
  readonly output: JsonValue;
  readonly untilMs: number;
}

/** A longer key costs more than it saves; an input may be as large as a run's outputs put together. */
const maxKeyLength = 65_536;

/** The results of calls to tools with a `cache`, for all runs of an agent. */
export class KeptResults {
  private readonly byTool = new Map<DefinedTool, RecentMap<KeptResult>>();

  constructor(private readonly clock: Clock) {}

  /** The place of a call's result, with the result if one is kept; undefined if none may be kept. */
  find(run: CachingRun, call: StepCall, parsed: unknown): ResultPlace | undefined {
    const { tool } = call;
    const { cache } = tool;
    if (cache === undefined || !mayBeKept(call)) return undefined;
    const key = keyOf(run, call, { parsed, cache });
    if (key === undefined || key.length > maxKeyLength) return undefined;
    const results = this.byTool.get(tool) ?? new RecentMap(cache.maxEntries);
    this.byTool.set(tool, results);
    const kept = results.get(key);
    if (kept !== undefined && monotonicNow(this.clock) < kept.untilMs) return new KeptPlace(kept.output);
    const keep = (output: JsonValue) =>
      results.set(key, { output, untilMs: monotonicNow(this.clock) + cache.maxAgeMs });
    return new KeptPlace(undefined, keep, { isWatched: cache.key === undefined });
  }
}

class KeptPlace implements ResultPlace {
  readonly isWatched: boolean;
  private hasReadRun = false;

  constructor(
    readonly output: JsonValue | undefined,
    private readonly put: (output: JsonValue) => void = () => {},
    { isWatched = false } = {},
  ) {
    this.isWatched = isWatched;
  }

  markRead(): void {
    this.hasReadRun = true;
  }

  keep(output: JsonValue): void {
    if (!this.hasReadRun) this.put(output);
  }
}

/**
 * The one place that decides whether a call's result may be kept at all: not if it involves a secret, which would stay
 * in memory, and is sealed for its run alone.
 */
function mayBeKept({ tool, input }: StepCall): boolean {
  return !isSensitiveTool(tool) && hideSealed(input) === input;
}

interface Keyed {
  readonly parsed: unknown;
  readonly cache: ToolCacheOptions;
}

function keyOf(run: CachingRun, call: StepCall, { parsed, cache }: Keyed): string | undefined {
  // Keys of parsed and raw inputs differ, as a schema may turn one into the other.
  if (cache.key === undefined)
    return isPlainJson(parsed) ? `parsed ${canonicalJson(parsed)}` : canonicalJson(call.input);
  const { resources, metadata } = run.settings;
  try {
    const key: unknown = cache.key(parsed, { resources, metadata });
    if (typeof key === "string") return key;
    throw new TypeError("it must return a string");
  } catch (thrown) {
    const message = `The cache.key of ${call.tool.name} failed, so the result is not kept: ${describeThrown(thrown)}`;
    run.warn({ code: "cache-key-failed", ...refOfTask(call), message });
    return undefined;
  }
}

/** Whether JSON represents a value completely: a class instance, or a `Date`, may hold more than its JSON. */
function isPlainJson(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every(isPlainJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.getOwnPropertySymbols(value).length === 0 && Object.values(value).every(isPlainJson);
}
