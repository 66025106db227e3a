import type { PlanGraph } from "./plan-graph.ts";

/** Where a node stands: its layer from the left, and its place in the layer from the top. */
export interface Place {
  readonly layer: number;
  readonly row: number;
}

/** A graph in layers. */
export interface Layout {
  readonly places: readonly Place[];
  /** For each edge, the places that it goes through, its ends included. */
  readonly routes: readonly (readonly Place[])[];
  readonly layers: number;
  readonly rows: number;
}

const sweeps = 8;

/**
 * Puts each node into the layer after the last that it waits for, and orders the layers so that few edges cross: by the
 * mean place of a node's neighbours, back and forth (Sugiyama, Tagawa and Toda 1981). An edge over several layers has a
 * place in each of them, so that it does not run through other nodes.
 */
export function layOut({ nodes, edges }: PlanGraph): Layout {
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
  const rows = order(layers, neighbours);
  const placeOf = new Map<number, Place>();
  for (const [layer, ids] of layers.entries()) for (const id of ids) placeOf.set(id, { layer, row: rows.get(id) ?? 0 });
  return {
    places: nodes.map((_, index) => placeOf.get(index) as Place),
    routes: chains.map((chain) => chain.map((id) => placeOf.get(id) as Place)),
    layers: layers.length,
    rows: Math.max(0, ...layers.map((ids) => ids.length)),
  };
}

function order(layers: readonly number[][], neighbours: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  const number = (ids: readonly number[]) => {
    for (const [row, id] of ids.entries()) rows.set(id, row);
  };
  for (const ids of layers) number(ids);
  const layerOf = new Map(layers.flatMap((ids, layer) => ids.map((id) => [id, layer] as const)));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0;
    for (const [at, ids] of (isForward ? layers : [...layers].reverse()).entries()) {
      const layer = isForward ? at : layers.length - 1 - at;
      const before = isForward ? layer - 1 : layer + 1;
      const means = new Map(ids.map((id) => [id, meanRow(id, before)]));
      ids.sort((one, other) => (means.get(one) ?? 0) - (means.get(other) ?? 0));
      number(ids);
    }
  }
  return rows;

  function meanRow(id: number, layer: number): number {
    const near = (neighbours[id] ?? []).filter((one) => layerOf.get(one) === layer);
    if (near.length === 0) return rows.get(id) ?? 0;
    return near.reduce((sum, one) => sum + (rows.get(one) ?? 0), 0) / near.length;
  }
}
