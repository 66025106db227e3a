import type { Plan, PlanStep } from "../core/plan.ts";
import type { StepRecord } from "../core/run-result.ts";
import { toolOf } from "../core/wait-step.ts";
import { dependenciesOf } from "../plan/dependencies.ts";
import { hasFailed } from "./run-view.ts";

/** A step, or several that were folded into one, in a graph. */
export interface GraphNode {
  readonly title: string;
  readonly tool: string;
  /** Its condition, its loop with counts, and that it was undone. */
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
export function graphOf(
  { steps }: Pick<Plan, "steps">,
  records?: ReadonlyMap<string, readonly StepRecord[]>,
): PlanGraph {
  const places = new Map(steps.map(({ id }, index) => [id, index]));
  const edges = steps.flatMap((step, index) => {
    const ids = dependenciesOf(step, steps[index - 1], { stepIds: namedIn(step, places, index) });
    return ids.flatMap((id): (readonly [number, number])[] => {
      const from = places.get(id);
      return from === undefined || from >= index ? [] : [[from, index]];
    });
  });
  return { nodes: steps.map((step) => nodeOf(step, records?.get(step.id))), edges };
}

/** The steps that the expressions of a step name: words outside of quotes that are ids of earlier steps. */
function namedIn(
  { when, forEach }: PlanStep,
  places: ReadonlyMap<string, number>,
  before: number,
): ReadonlySet<string> {
  const code = `${when ?? ""} ${forEach ?? ""}`.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, " ");
  const words = code.match(/(?<![\w.])[A-Za-z_][\w-]*/g) ?? [];
  return new Set(words.filter((word) => (places.get(word) ?? before) < before));
}

function nodeOf(step: PlanStep, records: readonly StepRecord[] | undefined): GraphNode {
  const { id, when, forEach } = step;
  const tool = toolOf(step);
  const status = records === undefined ? "planned" : statusOf(records);
  const loop = forEach === undefined ? [] : [countsOf(forEach, records ?? [])];
  const undone = records?.some((record) => record.status === "undone") ? ["undone"] : [];
  return { title: id, tool, status, notes: [...(when === undefined ? [] : [`if ${when}`]), ...loop, ...undone] };
}

function countsOf(forEach: string, records: readonly StepRecord[]): string {
  const iterations = records.filter(({ iteration }) => iteration !== undefined);
  if (iterations.length === 0) return `for each ${forEach}`;
  // What was undone had completed.
  const done = iterations.filter(({ status }) => status === "completed" || status === "undone").length;
  return `${done} of ${iterations.length} iterations`;
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
