/** @module planwright/view */

export { type ExportedRun, exportRun, type RunVerdict, verifyRun } from "./export-run.ts";
export type { DrawnRun } from "./run-view.ts";
export { toHtml } from "./to-html.ts";
export { toMermaid } from "./to-mermaid.ts";
