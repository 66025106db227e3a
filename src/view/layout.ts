import { placeRows } from "./place-rows.ts";
import type { PlanGraph } from "./plan-graph.ts";

/** Where a node stands: its layer from the top, and its middle from the left, in pixels. */
export interface Place {
  readonly layer: number;
  readonly x: number;
}

/** A graph in layers. */
export interface Layout {
  readonly places: readonly Place[];
  /** For each edge, the places that it goes through, its ends included. */
  readonly routes: readonly (readonly Place[])[];
  readonly layers: number;
  readonly width: number;
}

const sweeps = 8;
/** What an edge takes of a layer that it goes through. */
const edgeWidth = 12;

/**
 * Puts each node into the layer after the last that it waits for, and orders the layers so that few edges cross: by the
 * mean place of a node's neighbours, back and forth (Sugiyama, Tagawa and Toda 1981). An edge over several layers has a
 * place in each of them, so that it does not run through other nodes.
 */
export function layOut({ nodes, edges }: PlanGraph, nodeWidth: number): Layout {
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
  const widthOf = (id: number) => (id < nodes.length ? nodeWidth : edgeWidth);
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
