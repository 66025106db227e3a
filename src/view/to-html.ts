import { indexPage } from "./index-page.ts";
import { runPage } from "./run-page.ts";
import { type DrawnRun, viewOf } from "./run-view.ts";

/**
 * Draws a run as an HTML document of its own, or several runs as a document that lists what failed, what waits, what is
 * slow and what it cost. It loads and runs nothing, whatever the run contains. Its events tell most: the attempts and
 * their delays, the executions, the calls of models and earlier plans. Sensitive values are hidden; long values are
 * cut, and their lengths said.
 *
 * {@includeCode ../../examples/29-pictures.ts}
 */
export function toHtml(run: DrawnRun | readonly DrawnRun[]): string {
  return isOne(run) ? runPage(viewOf(run)) : indexPage(run.map(viewOf));
}

/** The events of a run are a list, too. */
function isOne(run: DrawnRun | readonly DrawnRun[]): run is DrawnRun {
  if (!Array.isArray(run)) return true;
  const [first] = run as readonly object[];
  return first !== undefined && "type" in first;
}
