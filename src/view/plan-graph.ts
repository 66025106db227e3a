import type { Plan, PlanStep } from "../core/plan.ts";
import type { StepRecord } from "../core/run-result.ts";
import { describeConditions } from "../core/step.ts";
import { dependenciesOf, describeWaits, stepsNamedIn } from "../plan/references.ts";
import type { RunView } from "./run-view.ts";
import { hasFailed } from "./timeline.ts";

export interface GraphNode {
  readonly title: string;
  readonly reasoning?: string | undefined;
  readonly tool: string;
  readonly notes: readonly string[];
  readonly status: StepRecord["status"] | "planned";
}

export interface PlanGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly (readonly [from: number, to: number])[];
}

export function toPlanGraph(
  { steps }: Pick<Plan, "steps">,
  view?: Pick<RunView, "run" | "steps" | "wordsOf">,
): PlanGraph {
  const places = new Map<string, number>();
  const waits = describeWaits(steps);
  const edges: (readonly [number, number])[] = [];
  const nodes = steps.map((step, index) => {
    const ids = dependenciesOf(step, steps[index - 1], { stepIds: stepsNamedIn(step, places) });
    for (const id of ids) {
      const from = places.get(id);
      if (from !== undefined) edges.push([from, index]);
    }
    places.set(step.id, index);
    return toNode(step, view?.steps.get(step.id), { ...view, call: waits.get(step.id) });
  });
  return { nodes, edges };
}

function toNode(
  step: PlanStep,
  records: readonly StepRecord[] | undefined,
  { run, wordsOf, call }: Partial<Pick<RunView, "run" | "wordsOf">> & { readonly call: string | undefined },
): GraphNode {
  const { id, tool } = step;
  const reasoning = wordsOf?.(step) ?? step.reasoning;
  const questions = [...(run?.approvals ?? []), ...(run?.pending ?? [])];
  const facts = {
    once: records?.some(({ effect }) => effect === "once"),
    "asks first": questions.some((one) => (one.kind === "step" || one.kind === "approval") && one.stepId === id),
    undone: records?.some(({ status }) => status === "undone"),
  };
  const note = Object.entries(facts).flatMap(([fact, isSo]) => (isSo ? [fact] : []));
  return {
    ...{ title: id, reasoning, tool: tool ?? call ?? "" },
    status: records === undefined ? "planned" : getStatus(records),
    notes: [note.join(", "), ...describeConditions(step), ...countIterations(records ?? [])],
  };
}

function countIterations(records: readonly StepRecord[]): readonly string[] {
  const iterations = records.filter(({ iteration }) => iteration !== undefined);
  if (iterations.length === 0) return [];
  const done = iterations.filter(({ status }) => status === "completed" || status === "undone").length;
  return [`${done} of ${iterations.length} iteration${iterations.length === 1 ? "" : "s"}`];
}

export function getLines({ title, reasoning = "", tool, notes }: GraphNode, max = 1_000): readonly string[] {
  const words = tool.match(new RegExp(`\\S.{0,${max - 1}}(?=\\s|$)|\\S+`, "gu")) ?? [];
  return [title, reasoning, ...words.slice(0, 5), ...notes].filter((line) => line !== "");
}

export function getStatus(records: readonly StepRecord[]): StepRecord["status"] {
  const statuses = records.map(({ status }) => status);
  const [first = "pending"] = statuses;
  const order = ["unknown", "failed", "running", "waiting", "interrupted", "cancelled"] as const;
  return order.find((status) => statuses.includes(status)) ?? (statuses.includes("completed") ? "completed" : first);
}

export function cutGraph(
  { nodes, edges }: PlanGraph,
  { maxNodes, maxEdges }: { readonly maxNodes: number; readonly maxEdges: number },
): PlanGraph {
  if (nodes.length <= maxNodes && edges.length <= maxEdges) return { nodes, edges };
  let count = Math.min(nodes.length, maxNodes - 1);
  const sorted = [...edges].sort((one, other) => one[1] - other[1]);
  const lastEdge = sorted[maxEdges - 1];
  if (sorted.length > maxEdges && lastEdge !== undefined) count = Math.min(count, Math.max(1, lastEdge[1]));
  const rest: GraphNode = {
    title: `… ${nodes.length - count} more`,
    tool: "",
    notes: [],
    status: nodes.slice(count).some(({ status }) => hasFailed(status)) ? "failed" : "planned",
  };
  const kept = edges.filter(([, to]) => to < count);
  return { nodes: [...nodes.slice(0, count), rest], edges: kept.slice(0, maxEdges) };
}
