import type { Plan } from "../core/plan.ts";
import { cutText } from "../core/text.ts";
import { cutGraph, type GraphNode, getLines, toPlanGraph } from "./plan-graph.ts";
import { type DrawnRun, drawnRun, drawOrRefuse, isEvents, toRunView } from "./run-view.ts";
import { hasFailed } from "./timeline.ts";

/** Mermaid refuses a chart of more than 500 edges or 50 000 characters. */
const limits = { maxNodes: 200, maxEdges: 450 };
const maxLabel = 40;

/**
 * Draws a plan, or a run with the states of its steps, as a flowchart of [Mermaid](https://mermaid.js.org), with an
 * edge for each dependency. It shows the `reasoning` of steps, but no inputs or outputs. A graph too large for Mermaid
 * is cut off. Throws `invalid-options` for anything but a plan or a run. {@includeCode ../../examples/29-pictures.ts}
 */
export function toMermaid(drawn: Plan | DrawnRun): string {
  return drawOrRefuse(drawn, { expected: `a plan, or ${drawnRun}`, draw: () => toFlowchart(drawn) });
}

function toFlowchart(drawn: Plan | DrawnRun): string {
  const view = isPlan(drawn) ? undefined : toRunView(drawn);
  const plan = isPlan(drawn) ? drawn : view?.run.plan;
  if (plan === undefined) return `flowchart TD\n  n0["no plan"]\n`;
  const { nodes, edges } = cutGraph(toPlanGraph(plan, view), limits);
  // Mermaid cannot read a node with the id `end`, so ids are generated.
  const boxes = nodes.map((node, index) => `  n${index}${getShape(node)}:::${getClass(node)}`);
  const arrows = edges.map(([from, to]) => `  n${from} --> n${to}`);
  const used = Object.entries(styles).filter(([name]) => nodes.some((node) => getClass(node) === name));
  const classes = used.map(([name, style]) => `  classDef ${name} ${style}`);
  return ["flowchart TD", ...boxes, ...arrows, ...classes, ""].join("\n");
}

function isPlan(drawn: Plan | DrawnRun): drawn is Plan {
  return !isEvents(drawn as DrawnRun) && !("runId" in drawn);
}

const styles: Readonly<Record<string, string>> = {
  planned: "fill:#f6f6f4,stroke:#8a8a80,color:#1c1c1a",
  completed: "fill:#e3f1e6,stroke:#2f7d46,color:#12351d",
  failed: "fill:#fbe4e1,stroke:#b3261e,color:#4a0f0b",
  waiting: "fill:#fdf0d5,stroke:#8f5f00,color:#3d2900",
  running: "fill:#e2ecf9,stroke:#2b62a8,color:#0e2746",
  skipped: "fill:#ffffff,stroke:#8a8a80,color:#5c5c55,stroke-dasharray:4",
};

function getClass({ status }: GraphNode): string {
  if (hasFailed(status)) return "failed";
  if (status === "skipped" || status === "undone" || status === "cancelled") return "skipped";
  if (status === "pending") return "planned";
  return status === "interrupted" ? "waiting" : status;
}

function getShape(node: GraphNode): string {
  const label = getLines(node, maxLabel).map(escapeLabel).join("<br/>");
  return node.notes.some((note) => note.startsWith("if ")) ? `{{"${label}"}}` : `["${label}"]`;
}

/** Escapes characters that could end a label, be read as Markdown or HTML, or change the direction of text. */
function escapeLabel(text: string): string {
  const line = cutText(text.replace(/\s+/gu, " "), maxLabel);
  return line.replace(/[^\p{L}\p{M}\p{N} …]/gu, (sign) => {
    const isInvisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/u.test(sign);
    return `#${isInvisible ? 65_533 : sign.codePointAt(0)};`;
  });
}
