import type { JsonObject } from "./json.ts";
import type { StandardSchema } from "./schema.ts";

/** A reference to an earlier step's output, as it appears in a plan. @inline */
export interface PhraseReference {
  readonly $ref: string;
}

/**
 * What a slot of a phrase was filled with: a value of the slot's type, or a reference to an earlier result.
 * @group Tools
 */
export type SlotValue = string | number | boolean | readonly (string | number | boolean)[] | PhraseReference;

/** What a request asked of a tool before the current phrase. @inline */
export interface EarlierPhrases {
  /** The input of its last step, as the plan has it: "add juice" after "my shopping list" goes to the same list. */
  readonly input: JsonObject;
  /** References to all its results, in their order, for phrases that take several: "add both answers". */
  readonly results: readonly PhraseReference[];
}

/** What a phrase's `toInput` gets to know about the request. @group Tools */
export interface PhraseContext {
  /** A reference to the result that "it", "that" or "the result" stands for here; undefined for a first step. */
  readonly previous: PhraseReference | undefined;
  /** What the request asked of the phrase's own tool before; undefined for nothing. */
  readonly before?: EarlierPhrases | undefined;
  /** When the request is planned, in milliseconds since 1970 UTC. */
  readonly nowMs: number;
  /** The IANA time zone of the request, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

/** A phrase of a tool, with what it means. A plain string is short for `{ phrase }`. @group Tools */
export interface ToolPhraseOptions<TInput = Record<string, unknown>> {
  /** A template: words, `{slot}`, `(one|or other)`, `[optional]`. */
  phrase: string;
  /** A fixed part of the input. */
  input?: Partial<TInput> | undefined;
  /** Types of slots, where they are not those of the input schema's fields of the same name. */
  slots?: Readonly<Record<string, StandardSchema>> | undefined;
  /** The input created from the slots; `undefined` means the phrase does not fit. Default: `input` and the slots. */
  toInput?(slots: Readonly<Record<string, SlotValue>>, context: PhraseContext): TInput | undefined;
}

/** A phrase of a defined tool. @inline */
export interface ToolPhrase {
  readonly phrase: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly slots?: Readonly<Record<string, StandardSchema>>;
  /** See {@link ToolPhraseOptions.toInput}. */
  toInput?(slots: Readonly<Record<string, SlotValue>>, context: PhraseContext): unknown;
}
