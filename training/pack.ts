import { distanceSigns, gapSigns, maxStep, stepSigns } from "../src/language/packed-weights.ts";

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
  return Math.sign(weight) * Math.min(maxStep, distance);
}

/** Rounds weights to steps whose size grows with their square. */
export function packWeights(weights: Float64Array, columns: number): PackedWeights {
  const sizes = [...weights.keys()]
    .filter((at) => weights[at] !== 0)
    .sort((left, right) => Math.abs(weights[right] ?? 0) - Math.abs(weights[left] ?? 0) || left - right);
  const top = Math.abs(weights[sizes[Math.floor(sizes.length * 0.01)] ?? 0] ?? 1);
  const scale = Math.fround(Math.round((top / (maxStep * maxStep)) * 1e6) / 1e6);
  let distances = "";
  let values = "";
  let last = -1;
  let count = 0;
  for (let feature = 0; feature * columns < weights.length; feature++) {
    const steps = [...weights.subarray(feature * columns, (feature + 1) * columns)].map((each) => stepOf(each, scale));
    if (steps.every((step) => step === 0)) continue;
    distances += signsOf(feature - last);
    values += rowOf(steps);
    last = feature;
    count += steps.filter((step) => step !== 0).length;
  }
  return { columns, scale, text: `${distances} ${values}`, kept: count };
}

function signsOf(distance: number): string {
  const longest = distanceSigns.length - 1;
  const passed = Math.floor((distance - 1) / longest);
  return `${distanceSigns.charAt(longest).repeat(passed)}${distanceSigns.charAt(distance - passed * longest - 1)}`;
}

function rowOf(steps: readonly number[]): string {
  let row = "";
  let gap = 0;
  for (const step of [...steps, undefined]) {
    if (step === 0) {
      gap++;
      continue;
    }
    if (gap > 0) row += gapSigns.charAt(gap - 1);
    if (step !== undefined) row += stepSigns.charAt(step < 0 ? step + maxStep : step + maxStep - 1);
    gap = 0;
  }
  return row;
}
