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

/** A graph as SVG, from top to bottom. */
export function renderGraph(graph: PlanGraph, label: string): Html {
  const shown = cutGraph(graph, limits);
  const { places, routes, layers, width } = layOut(shown);
  const heights = Array.from({ length: layers }, () => 0);
  for (const [index, { layer }] of places.entries()) {
    heights[layer] = Math.max(heights[layer] ?? 0, getHeight(shown.nodes[index] as GraphNode));
  }
  const tops: number[] = [];
  let total = margin;
  for (const height of heights) {
    tops.push(total);
    total += height + node.gapY;
  }
  const top = ({ layer }: Place) => tops[layer] ?? 0;
  const edges = routes.map((route, index) => {
    const from = shown.nodes[shown.edges[index]?.[0] ?? 0] as GraphNode;
    const points = route.map((place) => ({ x: place.x + margin, top: top(place), height: heights[place.layer] ?? 0 }));
    return html`<path d="${drawPath(points, getHeight(from))}"/>`;
  });
  const nodes = shown.nodes.map((one, index) => {
    const place = places[index] as Place;
    return renderNode(one, { x: place.x + margin - node.width / 2, y: top(place) });
  });
  const size = { width: round(width + 2 * margin), height: round(total - node.gapY + margin) };
  return html`<div class="graph" role="region" aria-label="${label}" tabindex="0"><svg width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${label}"><g class="edges">${edges}</g>${nodes}</svg></div>`;
}

function getHeight(one: GraphNode): number {
  return node.height + lineHeight * Math.max(1, Math.min(maxLines, getLines(one, maxChars).length) - 1);
}

/** A sign for each tone, so that colour alone says nothing. */
const signs: Readonly<Record<Tone, string>> = {
  good: "M175 16l4 4 6-8",
  bad: "M176 12l8 8m0-8l-8 8",
  wait: "M177 12v8m6-8v8",
  busy: "M176 12l8 4-8 4z",
  calm: "M176 16h8",
};

/** A box of its own, so that nothing reaches beyond it. */
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
  /** Its middle. */
  readonly x: number;
  readonly top: number;
  /** The height of its layer. */
  readonly height: number;
}

/** From the lower side of the first place to the upper side of the last, straight down through those between. */
function drawPath(points: readonly Point[], firstHeight: number): string {
  const [first, ...rest] = points as readonly [Point, ...Point[]];
  let { x } = first;
  // A low node reaches down to its layer's end.
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

/** The place of a node: its layer from the top, and its middle from the left, in pixels. */
interface Place {
  readonly layer: number;
  readonly x: number;
}

/** A graph in layers. */
interface Layout {
  readonly places: readonly Place[];
  /** For each edge, the places that it goes through, its ends included. */
  readonly routes: readonly (readonly Place[])[];
  readonly layers: number;
  readonly width: number;
}

const sweeps = 8;
/** The width of an edge in a layer that it goes through. */
const edgeWidth = 12;

/**
 * Puts each node into the layer after the last that it waits for, and orders the layers so that few edges cross: by the
 * mean place of a node's neighbours, back and forth (Sugiyama, Tagawa and Toda 1981). An edge over several layers has a
 * place in each of them, so that it does not run through other nodes.
 */
function layOut({ nodes, edges }: PlanGraph): Layout {
  const layerOf = nodes.map(() => 0);
  // In the order of the plan, what a node waits for comes first.
  const byTarget = [...edges].sort((one, other) => one[1] - other[1]);
  for (const [from, to] of byTarget) layerOf[to] = Math.max(layerOf[to] ?? 0, (layerOf[from] ?? 0) + 1);
  const chains: number[][] = [];
  const layers: number[][] = [];
  const put = (layer: number, id: number) => {
    layers[layer] ??= [];
    layers[layer].push(id);
    return id;
  };
  for (const [index, layer] of layerOf.entries()) put(layer, index);
  let next = nodes.length;
  const neighbours: number[][] = [];
  for (const [from, to] of edges) {
    const chain = [from];
    for (let layer = (layerOf[from] ?? 0) + 1; layer < (layerOf[to] ?? 0); layer++) chain.push(put(layer, next++));
    chain.push(to);
    chains.push(chain);
    for (let at = 1; at < chain.length; at++) {
      const [left, right] = [chain[at - 1] as number, chain[at] as number];
      neighbours[left] ??= [];
      neighbours[left].push(right);
      neighbours[right] ??= [];
      neighbours[right].push(left);
    }
  }

  order(layers, neighbours);
  const widthOf = (id: number) => (id < nodes.length ? node.width : edgeWidth);
  const middles = placeRows(
    layers.map((ids) => ids.map((id) => ({ id, width: widthOf(id), isEdge: id >= nodes.length }))),
    neighbours,
  );
  const placeOf: Place[] = [];
  for (const [layer, ids] of layers.entries()) for (const id of ids) placeOf[id] = { layer, x: middles[id] ?? 0 };
  return {
    places: nodes.map((_, index) => placeOf[index] as Place),
    routes: chains.map((chain) => chain.map((id) => placeOf[id] as Place)),
    layers: layers.length,
    width: middles.reduce((width, x, id) => Math.max(width, x + widthOf(id) / 2), 0),
  };
}

/** Sorts each layer in place. */
function order(layers: readonly number[][], neighbours: readonly (readonly number[])[]): void {
  const rows: number[] = [];
  const layerOf: number[] = [];
  const means: number[] = [];
  const number = (ids: readonly number[]) => {
    for (const [row, id] of ids.entries()) rows[id] = row;
  };
  for (const [layer, ids] of layers.entries()) {
    number(ids);
    for (const id of ids) layerOf[id] = layer;
  }
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0;
    for (const [at, ids] of (isForward ? layers : [...layers].reverse()).entries()) {
      const layer = isForward ? at : layers.length - 1 - at;
      for (const id of ids) means[id] = meanRow(id, isForward ? layer - 1 : layer + 1);
      ids.sort((one, other) => (means[one] ?? 0) - (means[other] ?? 0));
      number(ids);
    }
  }

  function meanRow(id: number, layer: number): number {
    let [sum, count] = [0, 0];
    for (const one of neighbours[id] ?? []) {
      if (layerOf[one] !== layer) continue;
      sum += rows[one] ?? 0;
      count++;
    }
    return count === 0 ? (rows[id] ?? 0) : sum / count;
  }
}

/** A node, or a part of an edge, in a layer. */
export interface Placed {
  readonly id: number;
  /** In pixels. */
  readonly width: number;
  /** A part of an edge, which should run straight down. */
  readonly isEdge: boolean;
}

const passes = 12;
const gap = 20;
const straightWeight = 16;

/**
 * Gives each, by its id, the place of its middle, in pixels from the left: as near to the mean of its neighbours as those
 * beside it allow. Starts with each layer in the middle, then goes down and up again.
 */
export function placeRows(
  layers: readonly (readonly Placed[])[],
  neighbours: readonly (readonly number[] | undefined)[],
): readonly number[] {
  const rows = layers.map((row) => ({ row, distances: getDistances(row) }));
  const all = layers.flat();
  const isEdge: boolean[] = [];
  for (const one of all) isEdge[one.id] = one.isEdge;
  const middles: number[] = [];
  for (const { row, distances } of rows) {
    for (const [index, { id }] of row.entries()) middles[id] = (distances[index] ?? 0) - (distances.at(-1) ?? 0) / 2;
  }
  for (let pass = 0; pass < passes; pass++) {
    for (const { row, distances } of pass % 2 === 0 ? rows : [...rows].reverse()) {
      const places = nearest(row.map(wantedPlace), distances);
      for (const [index, { id }] of row.entries()) middles[id] = places[index] as number;
    }
  }
  const left = all.reduce((x, { id, width }) => Math.min(x, (middles[id] ?? 0) - width / 2), 0);
  return middles.map((x) => x - left);

  function wantedPlace(one: Placed): number {
    let [sum, weights] = [0, 0];
    for (const id of neighbours[one.id] ?? []) {
      const weight = one.isEdge && isEdge[id] ? straightWeight : 1;
      sum += weight * (middles[id] ?? 0);
      weights += weight;
    }
    return weights === 0 ? (middles[one.id] ?? 0) : sum / weights;
  }
}

/** Returns how far the middle of each must be from that of the first. */
function getDistances(row: readonly Placed[]): readonly number[] {
  let distance = 0;
  return row.map(({ width }, index) => {
    const before = row[index - 1];
    if (before !== undefined) distance += (before.width + width) / 2 + gap;
    return distance;
  });
}

/** The places nearest to those that are wanted, by least squares, that keep the distances (pooling adjacent violators). */
function nearest(wanted: readonly number[], distances: readonly number[]): readonly number[] {
  const pools: { sum: number; count: number }[] = [];
  for (const [index, x] of wanted.entries()) {
    let pool = { sum: x - (distances[index] ?? 0), count: 1 };
    for (let last = pools.at(-1); last !== undefined && getMean(last) > getMean(pool); last = pools.at(-1)) {
      pools.pop();
      pool = { sum: pool.sum + last.sum, count: pool.count + last.count };
    }
    pools.push(pool);
  }
  const places: number[] = [];
  for (const pool of pools) {
    for (let at = 0; at < pool.count; at++) places.push(getMean(pool) + (distances[places.length] ?? 0));
  }
  return places;
}

function getMean({ sum, count }: { readonly sum: number; readonly count: number }): number {
  return sum / count;
}
