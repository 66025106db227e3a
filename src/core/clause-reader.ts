import type { Token } from "../language/tokens.ts";
import type { DefinedTool, PhraseContext } from "./tool.ts";

/** A day or a time in a request; places are tokens. @internal */
export interface ClauseDate {
  readonly start: number;
  readonly end: number;
  /** Where the preposition before it begins; without one, the same as {@link start}. */
  readonly leadStart: number;
  /** In lower case. */
  readonly preposition?: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** ISO 8601 with the offset of the time zone, if a time was said, or a part of the day. */
  readonly dateTime?: string;
  /** Whether a part of the day was said, for which the hour is ours. */
  readonly isPartOfDay?: boolean;
  /** Whether only a time was said, and its next day is taken. */
  readonly isDayAssumed?: boolean;
}

/** One wish of a request, for a {@link ClauseReader}. @internal */
export interface Clause {
  /** The whole request: the tokens name their places in it. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The words as trained models know them. */
  readonly forms: readonly string[];
  /** The dates in it. */
  readonly dates: readonly ClauseDate[];
}

/** Why a reading makes no input in its place. @internal */
export interface NoInputs {
  /** The field of the input that the request would have to fill. */
  readonly missing?: string;
  /** The words that refer to a result, where no earlier step has one. */
  readonly unbound?: string;
  /** The words that fit nowhere. */
  readonly left?: string;
}

/** One way to read a clause. @internal */
export interface ClauseReading {
  /** What would be done, such as `add`. */
  readonly meaning: string;
  /** How sure it is that this is meant, from 0 to 1. */
  readonly probability: number;
  /** The inputs of the steps, given what came before. References to earlier results are put in as they are. */
  toInputs(context: PhraseContext): readonly object[] | NoInputs;
}

/** Understands what a tool can do, instead of phrases: with a model that has been trained for it. @internal */
export interface ClauseReader {
  /** The ways to read a clause, the best first; none where it means nothing to the tool. */
  read(clause: Clause): readonly ClauseReading[];
}

const readers = new WeakMap<DefinedTool, () => Promise<ClauseReader>>();

/**
 * Gives a tool a reader, for requests that none of its phrases fits. Loaded by the first such request. A
 * copy of the tool has none.
 *
 * @internal
 */
export function readWith<TTool extends DefinedTool>(tool: TTool, load: () => Promise<ClauseReader>): TTool {
  let loading: Promise<ClauseReader> | undefined;
  readers.set(tool, () => {
    loading ??= load();
    return loading;
  });
  return tool;
}

/** Whether a tool has a reader. @internal */
export function hasReader(tool: DefinedTool): boolean {
  return readers.has(tool);
}

/** Loads the reader of a tool, if it has one. @internal */
export function loadReader(tool: DefinedTool): Promise<ClauseReader> | undefined {
  return readers.get(tool)?.();
}
