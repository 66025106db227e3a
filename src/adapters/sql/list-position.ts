import { failOption } from "../../core/options.ts";
import type { ListSelection } from "../../core/run-store.ts";

/** The position of a run in the list: by its creation time, then by its number. Neither ever changes. */
export interface ListPosition {
  readonly createdMs: number;
  readonly number: number;
}

const furthest: ListPosition = { createdMs: Number.MAX_SAFE_INTEGER, number: 0 };

/** The position after which a page starts. Throws `invalid-options` for a cursor that no page had. */
export function pageStart(cursor: unknown, { untilMs }: Pick<ListSelection, "untilMs">): ListPosition {
  const position = readCursor(cursor);
  // No run has the number 0, so runs created exactly at `until` are left out.
  return untilMs === undefined || position.createdMs < untilMs ? position : { createdMs: untilMs, number: 0 };
}

/** The cursor after a run. */
export function toCursor({ createdMs, number }: ListPosition): string {
  return `${createdMs}_${number}`;
}

function readCursor(cursor: unknown): ListPosition {
  if (cursor === undefined) return furthest;
  const match = typeof cursor === "string" ? /^(-?\d{1,16})_(\d{1,16})$/.exec(cursor) : null;
  if (match === null) failOption("cursor", cursor, "the cursor of a page");
  return { createdMs: Number(match[1]), number: Number(match[2]) };
}
