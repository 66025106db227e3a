import { isRunStatus } from "./run-status.ts";
import type { ListRunsOptions, RunPage } from "./run-store.ts";

/** The page that a store returned. Throws, with the reason, for anything that is not a page. */
export function parseRunPage(found: unknown, { cursor: before }: ListRunsOptions = {}): RunPage {
  const { runs, cursor } = (found ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(runs)) throw new TypeError("its page has no list of runs");
  const index = runs.findIndex((run) => !isSummary(run));
  if (index >= 0) throw new TypeError(`entry ${index + 1} of its page is not a run`);
  if (cursor !== undefined && typeof cursor !== "string") throw new TypeError("the cursor of its page is not a string");
  // A caller that reads page after page would never finish.
  if (cursor !== undefined && cursor === before) throw new TypeError("the cursor of its page leads to the same page");
  return found as RunPage;
}

function isSummary(run: unknown): boolean {
  if (typeof run !== "object" || run === null) return false;
  const { runId, status, request, metadata, createdAt, updatedAt } = run as Readonly<Record<string, unknown>>;
  const isText = [runId, createdAt, updatedAt].every((value) => typeof value === "string");
  const hasMetadata = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  return isText && hasMetadata && isRunStatus(status) && (request === undefined || typeof request === "string");
}
