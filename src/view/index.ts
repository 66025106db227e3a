/** @module planwright/view */

export type { DrawnRun } from "./run-view.ts";
export { toHtml } from "./to-html.ts";
export { toMermaid } from "./to-mermaid.ts";
