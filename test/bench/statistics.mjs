/** The middle of a list of numbers. */
export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of the ratios of pairs, so that what slows down both of a round is no difference. */
export function medianRatio(values, others) {
  return median(values.map((value, index) => value / others[index]));
}

/** A number with three digits that count. */
export function round(value) {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/**
 * Calls each contender once a round and gives what each returned, by name and round. The order turns from round to round,
 * as the first one often pays for what the last one has left behind.
 */
export async function interleave(contenders, { rounds, warmUps = 0 }) {
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let index = -warmUps; index < rounds; index++) {
    const turned = index % 2 === 0 ? names : [...names].reverse();
    for (const name of turned) {
      const sample = await contenders[name]();
      if (index >= 0) samples[name].push(sample);
    }
  }
  return samples;
}
