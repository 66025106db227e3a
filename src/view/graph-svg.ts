import { cutText } from "../core/text.ts";
import { getTone, type Html, html, type Tone } from "./html.ts";
import { cutGraph, type GraphNode, getLines, type PlanGraph } from "./plan-graph.ts";

const { round } = Math;
const limits = { maxNodes: 120, maxEdges: 300 };
const node = { width: 196, height: 32, gapY: 34 };
const lineHeight = 16;
const maxLines = 8;
const maxChars = 27;
const margin = 6;

export function renderGraph(graph: PlanGraph, label: string): Html {
  const shown = cutGraph(graph, limits);
  const { places, routes, layers } = layOut(shown);
  const heights = layers.map(() => 0);
  for (const [index, { layer }] of places.entries()) {
    heights[layer] = Math.max(heights[layer] ?? 0, getHeight(shown.nodes[index] as GraphNode));
  }
  const tops: number[] = [];
  let total = margin;
  for (const height of heights) {
    tops.push(total);
    total += height + node.gapY;
  }
  const top = ({ layer }: Placed) => tops[layer] ?? 0;
  const edges = routes.map((route, index) => {
    const from = shown.nodes[shown.edges[index]?.[0] ?? 0] as GraphNode;
    const points = route.map((place) => ({ x: place.x + margin, top: top(place), height: heights[place.layer] ?? 0 }));
    return html`<path d="${drawPath(points, getHeight(from))}"/>`;
  });
  const nodes = shown.nodes.map((one, index) => {
    const place = places[index] as Placed;
    return renderNode(one, { x: place.x + margin - node.width / 2, y: top(place) });
  });
  const width = Math.max(0, ...layers.flat().map((one) => one.x + one.width / 2));
  const size = { width: round(width + 2 * margin), height: round(total - node.gapY + margin) };
  return html`<div class="graph" role="region" aria-label="${label}" tabindex="0"><svg width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${label}"><g class="edges">${edges}</g>${nodes}</svg></div>`;
}

function getHeight(one: GraphNode): number {
  return node.height + lineHeight * Math.max(1, Math.min(maxLines, getLines(one, maxChars).length) - 1);
}

/** Each tone has a sign, because colour alone is not accessible. */
const signs: Readonly<Record<Tone, string>> = {
  good: "M175 16l4 4 6-8",
  bad: "M176 12l8 8m0-8l-8 8",
  wait: "M177 12v8m6-8v8",
  busy: "M176 12l8 4-8 4z",
  calm: "M176 16h8",
};

function renderNode(given: GraphNode, { x, y }: { readonly x: number; readonly y: number }): Html {
  const { status } = given;
  const [title = "", ...lines] = getLines(given, maxChars).slice(0, maxLines);
  const height = getHeight(given);
  const tone = getTone(status);
  const texts = lines.map(
    (line, index) => html`<text x="14" y="${38 + index * lineHeight}">${cutText(line, maxChars)}</text>`,
  );
  const hover = [...getLines(given), status].join(" · ");
  return html`<svg class="node ${tone}" x="${round(x)}" y="${round(y)}" width="${node.width}" height="${height}"><title>${hover}</title><rect x=".5" y=".5" width="${node.width - 1}" height="${height - 1}" rx="7"/><rect class="mark" y="10" width="3" height="${height - 20}" rx="1.5"/><text class="name" x="14" y="21">${cutText(title, maxChars - 6)}</text>${status !== "planned" && status !== "pending" && html`<path d="${signs[tone]}"/>`}${texts}</svg>`;
}

interface Point {
  readonly x: number;
  readonly top: number;
  readonly height: number;
}

function drawPath(points: readonly Point[], firstHeight: number): string {
  const [first, ...rest] = points as readonly [Point, ...Point[]];
  let { x } = first;
  let y = first.top + first.height;
  let path = `M${round(x)} ${round(first.top + firstHeight)}${firstHeight < first.height ? `V${round(y)}` : ""}`;
  for (const [index, { x: nextX, top, height }] of rest.entries()) {
    const middle = round((y + top) / 2);
    const [from, to] = [round(x), round(nextX)];
    const end = index < rest.length - 1 ? top + height : top;
    if (from !== to) path += `C${from} ${middle} ${to} ${middle} ${to} ${round(top)}`;
    if (from === to || end !== top) path = `${path.replace(/V[^A-Z]*$/, "")}V${round(end)}`;
    [x, y] = [nextX, end];
  }
  return path;
}

export interface Placed {
  readonly layer: number;
  readonly width: number;
  readonly isEdge: boolean;
  readonly above: Placed[];
  readonly below: Placed[];
  row: number;
  offset: number;
  x: number;
}

const sweeps = 8;
const edgeWidth = 12;

/** Follows Sugiyama, Tagawa and Toda 1981. Edges have a place in each layer that they pass, so they cross no nodes. */
function layOut({ nodes, edges }: PlanGraph) {
  const layerOf = nodes.map(() => 0);
  const byTarget = [...edges].sort((one, other) => one[1] - other[1]);
  for (const [from, to] of byTarget) layerOf[to] = Math.max(layerOf[to] ?? 0, (layerOf[from] ?? 0) + 1);
  const layers: Placed[][] = [];
  const put = (layer: number, isEdge: boolean): Placed => {
    const width = isEdge ? edgeWidth : node.width;
    const placed: Placed = { layer, width, isEdge, above: [], below: [], row: 0, offset: 0, x: 0 };
    layers[layer] ??= [];
    layers[layer].push(placed);
    return placed;
  };
  const places = layerOf.map((layer) => put(layer, false));
  const routes = edges.map(([from, to]) => {
    const [first, last] = [places[from] as Placed, places[to] as Placed];
    const route = [first];
    for (let layer = first.layer + 1; layer < last.layer; layer++) route.push(put(layer, true));
    route.push(last);
    for (const [index, one] of route.slice(1).entries()) {
      route[index]?.below.push(one);
      one.above.push(route[index] as Placed);
    }
    return route;
  });
  order(layers);
  placeRows(layers);
  return { places, routes, layers };
}

function order(layers: readonly Placed[][]): void {
  const number = (layer: readonly Placed[]) => {
    for (const [row, one] of layer.entries()) one.row = row;
  };
  layers.forEach(number);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0;
    for (const layer of isForward ? layers : layers.toReversed()) {
      const means = layer.map(({ row, above, below }) => {
        const near = isForward ? above : below;
        return near.length === 0 ? row : near.reduce((sum, one) => sum + one.row, 0) / near.length;
      });
      layer.sort((one, other) => (means[one.row] ?? 0) - (means[other.row] ?? 0));
      number(layer);
    }
  }
}

const passes = 12;
const gap = 20;
const straightWeight = 16;

export function placeRows(layers: readonly (readonly Placed[])[]): void {
  for (const layer of layers) {
    let [offset, before] = [0, 0];
    for (const one of layer) {
      if (before > 0) offset += (before + one.width) / 2 + gap;
      one.offset = offset;
      before = one.width;
    }
    for (const one of layer) one.x = one.offset - offset / 2;
  }
  for (let pass = 0; pass < passes; pass++) {
    (pass % 2 === 0 ? layers : layers.toReversed()).forEach(placeRow);
  }
  const left = Math.min(0, ...layers.flat().map(({ x, width }) => x - width / 2));
  for (const one of layers.flat()) one.x -= left;
}

/** Finds the places nearest to the wanted ones, by least squares (pooling adjacent violators). */
function placeRow(layer: readonly Placed[]): void {
  const pools: { readonly mean: number; readonly all: readonly Placed[] }[] = [];
  for (const one of layer) {
    let pool = { mean: getWantedPlace(one) - one.offset, all: [one] as readonly Placed[] };
    for (let last = pools.at(-1); last !== undefined && last.mean > pool.mean; last = pools.at(-1)) {
      pools.pop();
      const all = [...last.all, ...pool.all];
      pool = { mean: (last.mean * last.all.length + pool.mean * pool.all.length) / all.length, all };
    }
    pools.push(pool);
  }
  for (const { mean, all } of pools) for (const one of all) one.x = mean + one.offset;
}

function getWantedPlace({ isEdge, above, below, x }: Placed): number {
  let [sum, weights] = [0, 0];
  for (const other of [...above, ...below]) {
    const weight = isEdge && other.isEdge ? straightWeight : 1;
    sum += weight * other.x;
    weights += weight;
  }
  return weights === 0 ? x : sum / weights;
}
