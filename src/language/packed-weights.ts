/** Weights by feature, then by column. */
export interface WeightTable {
  readonly columns: number;
  /** Where the row of a feature begins; 0 for a feature without weights, whose row is all zeros. */
  readonly rows: Uint32Array;
  readonly values: Float32Array;
}

/** What a step of a weight, from -7 to 7, stands for: `scale` times its square, with its sign. */
export function weightOf(step: number, scale: number): number {
  return step * Math.abs(step) * scale;
}

/** The largest step. */
export const maxStep = 7;
/** The distances from 1 to 61 between features; the last sign passes 61 of them over. */
export const distanceSigns = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** The steps from -7 to -1 and from 1 to 7. */
export const stepSigns = "abcdefghijklmn";
/** Runs of 1 to 12 columns without a weight. */
export const gapSigns = "ABCDEFGHIJKL";

/**
 * Decodes what the training has packed: for each feature that has weights how far it is from the last one; after a space
 * the columns of each, as steps and runs of nothing. Text like this is smaller once compressed than bytes in base64.
 */
export function unpackWeights(
  text: string,
  { columns, features, scale }: { readonly columns: number; readonly features: number; readonly scale: number },
): WeightTable {
  const rows = new Uint32Array(features);
  const split = text.indexOf(" ");
  let count = 0;
  let feature = -1;
  for (let at = 0; at < split; at++) {
    const sign = distanceSigns.indexOf(text.charAt(at));
    const isPassing = sign === distanceSigns.length - 1;
    feature += isPassing ? sign : sign + 1;
    if (!isPassing) rows[feature] = columns * ++count;
  }
  const values = new Float32Array(columns * (count + 1));
  let place = columns;
  for (let at = split + 1; at < text.length; at++) {
    const sign = text.charAt(at);
    const step = stepSigns.indexOf(sign);
    if (step === -1) place += gapSigns.indexOf(sign) + 1;
    else values[place++] = weightOf(step < maxStep ? step - maxStep : step - maxStep + 1, scale);
  }
  return { columns, rows, values };
}
