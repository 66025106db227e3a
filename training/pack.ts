import { weightOf } from "../src/language/packed-weights.ts";

/** Weights as they are shipped. */
export interface PackedWeights {
  readonly columns: number;
  readonly scale: number;
  readonly text: string;
  /** How many weights are kept. */
  readonly kept: number;
}

function stepOf(weight: number, scale: number): number {
  const distance = Math.round(Math.sqrt(Math.abs(weight) / scale));
  return 8 + Math.sign(weight) * Math.min(7, distance);
}

/** Rounds weights to steps of four bits whose size grows with their square. */
export function packWeights(weights: Float64Array, columns: number): PackedWeights {
  const sizes = [...weights.keys()]
    .filter((at) => weights[at] !== 0)
    .sort((left, right) => Math.abs(weights[right] ?? 0) - Math.abs(weights[left] ?? 0) || left - right);
  const top = Math.abs(weights[sizes[Math.floor(sizes.length * 0.01)] ?? 0] ?? 1);
  const scale = Math.fround(Math.round((top / 49) * 1e6) / 1e6);
  const bytes: number[] = [];
  let last = -1;
  let count = 0;
  for (let feature = 0; feature * columns < weights.length; feature++) {
    const entries: number[] = [];
    for (let column = 0; column < columns; column++) {
      const at = feature * columns + column;
      const step = stepOf(weights[at] ?? 0, scale);
      if (weightOf(step, scale) !== 0) entries.push((column << 4) | step);
    }
    if (entries.length === 0) continue;
    let distance = feature - last;
    while (distance >= 255) {
      bytes.push(255);
      distance -= 255;
    }
    bytes.push(distance, entries.length, ...entries);
    last = feature;
    count += entries.length;
  }
  return { columns, scale, text: Buffer.from(bytes).toString("base64"), kept: count };
}
