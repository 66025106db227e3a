/** @module planwright/view */

export { type ExportedRun, exportRun } from "./export-run.ts";
export type { DrawnRun } from "./run-view.ts";
export { toHtml } from "./to-html.ts";
export { toMermaid } from "./to-mermaid.ts";
export { type RunVerdict, verifyRun } from "./verify-run.ts";
