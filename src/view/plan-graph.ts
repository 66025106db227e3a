import type { Plan, PlanStep } from "../core/plan.ts";
import type { RunSnapshot, StepRecord } from "../core/run-result.ts";
import { describeConditions, describeWait } from "../core/step-words.ts";
import { dependenciesOf, stepsNamedIn } from "../plan/dependencies.ts";
import { hasFailed, type RunView } from "./run-view.ts";

/** A step, or several that were folded into one, in a graph. */
export interface GraphNode {
  readonly title: string;
  readonly reasoning?: string | undefined;
  /** The tool, or what it waits for. */
  readonly tool: string;
  /** Its condition, its loop with counts, that it runs once or asks first, and that it was undone. */
  readonly notes: readonly string[];
  /** `planned` if it was not run. */
  readonly status: StepRecord["status"] | "planned";
}

/** Nodes in the order of the plan, and which of them wait for which, by their places. */
export interface PlanGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly (readonly [from: number, to: number])[];
}

/** The graph of a plan: an edge for each step that another waits for, and no other. */
export function graphOf({ steps }: Pick<Plan, "steps">, view?: Pick<RunView, "run" | "steps">): PlanGraph {
  const places = new Map<string, number>();
  const asked = view === undefined ? new Set<string>() : askedIn(view.run);
  const edges: (readonly [number, number])[] = [];
  const nodes = steps.map((step, index) => {
    const ids = dependenciesOf(step, steps[index - 1], { stepIds: stepsNamedIn(step, places) });
    for (const id of ids) {
      const from = places.get(id);
      if (from !== undefined) edges.push([from, index]);
    }
    places.set(step.id, index);
    return nodeOf(step, view?.steps.get(step.id), asked);
  });
  return { nodes, edges };
}

/** The steps that approval was asked for. */
function askedIn({ approvals = [], pending = [] }: Pick<RunSnapshot, "approvals" | "pending">): ReadonlySet<string> {
  return new Set([...approvals, ...pending].flatMap((item) => (isAboutStep(item) ? [item.stepId] : [])));
}

function isAboutStep<T extends { readonly kind: string }>(item: T): item is Extract<T, { readonly stepId: string }> {
  return item.kind === "step" || item.kind === "approval";
}

function nodeOf(step: PlanStep, records: readonly StepRecord[] | undefined, asked: ReadonlySet<string>): GraphNode {
  const { id, tool, wait, reasoning } = step;
  const has = (test: (record: StepRecord) => boolean) => records?.some(test) === true;
  return {
    title: id,
    reasoning,
    tool: tool ?? `wait ${describeWait(wait)}`,
    status: records === undefined ? "planned" : statusOf(records),
    notes: [
      ...describeConditions(step),
      ...countsOf(records ?? []),
      ...(has(({ effect }) => effect === "once") ? ["once"] : []),
      ...(asked.has(id) ? ["asks first"] : []),
      ...(has(({ status }) => status === "undone") ? ["undone"] : []),
    ],
  };
}

function countsOf(records: readonly StepRecord[]): readonly string[] {
  const iterations = records.filter(({ iteration }) => iteration !== undefined);
  if (iterations.length === 0) return [];
  // What was undone had completed.
  const done = iterations.filter(({ status }) => status === "completed" || status === "undone").length;
  return [`${done} of ${iterations.length} iterations`];
}

/** The lines of a node's box. */
export function linesOf({ title, reasoning = "", tool, notes }: GraphNode): readonly string[] {
  return [title, reasoning, tool, ...notes].filter((line) => line !== "");
}

/** The status of a step, of a loop that of its iterations together. */
export function statusOf(records: readonly StepRecord[]): StepRecord["status"] {
  const statuses = records.map(({ status }) => status);
  const [first = "pending"] = statuses;
  const order = ["unknown", "failed", "running", "waiting", "interrupted", "cancelled"] as const;
  return order.find((status) => statuses.includes(status)) ?? (statuses.includes("completed") ? "completed" : first);
}

/**
 * The same graph with at most `maxNodes` nodes and `maxEdges` edges: chains of steps become one node, then edges that
 * follow from others are left out; what is still too much is cut off behind a node that says how much.
 */
export function foldGraph(graph: PlanGraph, { maxNodes, maxEdges }: GraphLimits): PlanGraph {
  const fits = ({ nodes, edges }: PlanGraph) => nodes.length <= maxNodes && edges.length <= maxEdges;
  if (fits(graph)) return graph;
  const folded = foldChains(graph);
  if (fits(folded)) return folded;
  return cutOff(folded, { maxNodes, maxEdges });
}

interface GraphLimits {
  readonly maxNodes: number;
  readonly maxEdges: number;
}

/** Steps that only follow one another, without a note of their own, and with the same status. */
function foldChains({ nodes, edges }: PlanGraph): PlanGraph {
  const [incoming, outgoing] = [countEdges(edges, 1), countEdges(edges, 0)];
  const previous = new Map(edges.map(([from, to]) => [to, from]));
  const groups: number[] = [];
  const members: number[][] = [];
  for (const [index, node] of nodes.entries()) {
    const before = previous.get(index);
    const isAlone = incoming.get(index) === 1 && before !== undefined && outgoing.get(before) === 1;
    const other = before === undefined ? undefined : nodes[before];
    const isAlike = other !== undefined && node.notes.length + other.notes.length === 0 && node.status === other.status;
    const group = isAlone && isAlike ? (groups[before] as number) : members.push([]) - 1;
    groups[index] = group;
    members[group]?.push(index);
  }
  const foldedEdges = edges.map(([from, to]) => [groups[from] as number, groups[to] as number] as const);
  return {
    nodes: members.map((indexes) => foldNodes(indexes.map((index) => nodes[index] as GraphNode))),
    edges: [...new Map(foldedEdges.filter(([from, to]) => from !== to).map((edge) => [edge.join(), edge])).values()],
  };
}

function foldNodes(nodes: readonly GraphNode[]): GraphNode {
  const [first] = nodes as readonly [GraphNode];
  if (nodes.length === 1) return first;
  const tools = [...new Set(nodes.map(({ tool }) => tool))];
  const more = tools.length > 3 ? ` and ${tools.length - 3} more` : "";
  return {
    ...first,
    reasoning: undefined,
    title: `${first.title} … ${nodes.at(-1)?.title}`,
    tool: `${nodes.length} steps: ${tools.slice(0, 3).join(", ")}${more}`,
  };
}

function countEdges(edges: PlanGraph["edges"], end: 0 | 1): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const edge of edges) counts.set(edge[end], (counts.get(edge[end]) ?? 0) + 1);
  return counts;
}

function cutOff({ nodes, edges }: PlanGraph, { maxNodes, maxEdges }: GraphLimits): PlanGraph {
  let count = Math.min(nodes.length, maxNodes - 1);
  const sorted = [...edges].sort((one, other) => one[1] - other[1]);
  // Each node that is shown has all its edges.
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
