/** What is put beside each other, from left to right, in a layer. */
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
  const rows = layers.map((row) => ({ row, distances: distancesOf(row) }));
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

/** How far the middle of each must be from that of the first. */
function distancesOf(row: readonly Placed[]): readonly number[] {
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
    for (let last = pools.at(-1); last !== undefined && meanOf(last) > meanOf(pool); last = pools.at(-1)) {
      pools.pop();
      pool = { sum: pool.sum + last.sum, count: pool.count + last.count };
    }
    pools.push(pool);
  }
  const places: number[] = [];
  for (const pool of pools) {
    for (let at = 0; at < pool.count; at++) places.push(meanOf(pool) + (distances[places.length] ?? 0));
  }
  return places;
}

function meanOf({ sum, count }: { readonly sum: number; readonly count: number }): number {
  return sum / count;
}
