import { canonicalJson, type JsonPath } from "../../core/json.ts";
import { cutText } from "../../core/text.ts";
import { commonLength, describeTexts, findNearest, type Likeness, maxQuote } from "../describe-miss.ts";
import type { AskedToolCall, RecordedToolCall } from "./tool-recording.ts";

/** A recorded call, and the call that was made as it compares with it. */
export interface ComparedCall {
  /** In the list of recorded calls. */
  readonly index: number;
  readonly recorded: RecordedToolCall;
  readonly asked: AskedToolCall;
  readonly isSame: boolean;
  readonly isUsed: boolean;
}

const maxDifferences = 3;

/**
 * Describes a call of a tool that is not recorded: its input, and where it first differs from the most similar of the
 * tool's recorded calls. `shown` is the call without secrets.
 */
export function describeCallMiss(shown: AskedToolCall, compared: readonly ComparedCall[]): string {
  const { tool, input, undone } = shown;
  const of = undone === undefined ? `of ${tool}` : `of ${tool}.undo`;
  const asked = `its input is ${cutJson(input)}`;
  const times = compared.filter(({ isSame }) => isSame).length;
  if (times > 0) {
    return `it is recorded ${times === 1 ? "once" : `${times} times`}, but was made more often (${asked})`;
  }
  const nearest = findNearest(compared, compare);
  if (nearest === undefined) return `${asked}. No call ${of} is recorded`;
  const recorded = compared.length === 1 ? `1 call ${of} is` : `${compared.length} calls ${of} are`;
  const { call, differences } = nearest;
  const more = differences.length > maxDifferences ? `; and ${differences.length - maxDifferences} more` : "";
  const where = differences.slice(0, maxDifferences).join("; ");
  const used = call.isUsed ? " which has been made," : "";
  return `${asked}. ${recorded} recorded; the nearest, calls[${call.index}],${used} differs in ${where}${more}`;
}

function compare({ asked, recorded }: ComparedCall): Likeness {
  return {
    differences: [
      ...findDifferences(asked.input, recorded.input, ["input"]),
      ...findDifferences(asked.undone, recorded.undone, ["output"]),
    ],
    common: commonLength(canonicalJson(asked.input), canonicalJson(recorded.input)),
  };
}

function findDifferences(asked: unknown, recorded: unknown, path: JsonPath): readonly string[] {
  if (asked === undefined && recorded === undefined) return [];
  if (asked === undefined || recorded === undefined)
    return [`${nameOf(path)}, which only ${asked === undefined ? "the recorded call" : "this call"} has`];
  if (isHolder(asked) && isHolder(recorded) && Array.isArray(asked) === Array.isArray(recorded)) {
    const keys = [...new Set([...Object.keys(asked), ...Object.keys(recorded)])];
    return keys.flatMap((key) =>
      findDifferences(own(asked, key), own(recorded, key), [...path, Array.isArray(asked) ? Number(key) : key]),
    );
  }
  if (asked === recorded) return [];
  const isLong = typeof asked === "string" && typeof recorded === "string" && commonLength(asked, recorded) > 20;
  const difference = isLong
    ? ` ${describeTexts(asked, recorded)}`
    : `: ${cutJson(asked)}, recorded ${cutJson(recorded)}`;
  return [`${nameOf(path)}${difference}`];
}

function cutJson(value: unknown): string {
  return cutText(canonicalJson(value), maxQuote);
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function own(holder: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

/** A path as it is written in code. */
function nameOf(path: JsonPath): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (!/^[A-Za-z_]\w*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
