/** Weights by feature, then by column. */
export interface WeightTable {
  readonly columns: number;
  /** Where the row of a feature begins; 0 for a feature without weights, whose row is all zeros. */
  readonly rows: Uint32Array;
  readonly values: Float32Array;
}

/** What each of the fifteen steps of a weight stands for: `scale` times its square, with its sign. */
export function weightOf(step: number, scale: number): number {
  const distance = step - 8;
  return distance * Math.abs(distance) * scale;
}

/** Bytes from base64, with what every engine has. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/**
 * Decodes what the training has packed, as bytes in base64. For each feature that has weights: how far it is from the last
 * one (255 means 255 and the next byte), how many weights follow, and for each a byte with its column in the upper four
 * bits and its step in the lower four.
 */
export function unpackWeights(
  text: string,
  { columns, features, scale }: { readonly columns: number; readonly features: number; readonly scale: number },
): WeightTable {
  const bytes = bytesOf(text);
  const rows = new Uint32Array(features);
  const values: number[] = new Array(columns).fill(0);
  let feature = -1;
  for (let at = 0; at < bytes.length; ) {
    let step = bytes[at++] ?? 0;
    feature += step;
    while (step === 255) feature += step = bytes[at++] ?? 0;
    const row = values.length;
    rows[feature] = row;
    for (let column = 0; column < columns; column++) values.push(0);
    const count = bytes[at++] ?? 0;
    for (let entry = 0; entry < count; entry++) {
      const packed = bytes[at++] ?? 0;
      values[row + (packed >> 4)] = weightOf(packed & 15, scale);
    }
  }
  return { columns, rows, values: Float32Array.from(values) };
}
