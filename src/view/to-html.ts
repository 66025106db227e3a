import { html, type Page } from "./html.ts";
import { renderIndexPage } from "./index-page.ts";
import { renderRunPage } from "./run-page.ts";
import { type DrawnRun, toRunView } from "./run-view.ts";
import { stylesheet, stylesheetHash } from "./stylesheet.ts";

/**
 * Draws a run as an HTML document of its own, or several runs as a document that lists what failed, what waits, what is
 * slow and what it cost. It loads and runs nothing, whatever the run contains. Its events tell most: the attempts and
 * their delays, the executions, the calls of models and earlier plans. Sensitive values are hidden; long values are
 * cut, and their lengths said.
 *
 * {@includeCode ../../examples/29-pictures.ts}
 */
export function toHtml(run: DrawnRun | readonly DrawnRun[]): string {
  return toDocument(isOne(run) ? renderRunPage(toRunView(run)) : renderIndexPage(run.map(toRunView)));
}

/** The events of a run are a list, too. */
function isOne(run: DrawnRun | readonly DrawnRun[]): run is DrawnRun {
  if (!Array.isArray(run)) return true;
  const [first] = run as readonly object[];
  return first !== undefined && "type" in first;
}

/** Makes a whole document. Nothing in it may load or run anything, whatever it contains. */
function toDocument({ title, content }: Page): string {
  const policy = `default-src 'none'; style-src 'sha256-${stylesheetHash}'; base-uri 'none'; form-action 'none'`;
  const { text } =
    html`<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title>`;
  return `<!doctype html>\n${text}<style>${stylesheet}</style></head><body><main>${content.text}</main></body></html>\n`;
}
