/** Bytes of which none can be part of a text by itself, and some that change what is beside them. */
const bytes = [0xff, 0x80, 0xc0, 0xed, 0xf8, 0x00, 0x0d, 0x7f];

/** Overwrites one to eight bytes, mostly of what is not empty. Tells where and with what. */
export function damage(file: Buffer, random: () => number): string {
  const below = (limit: number) => Math.floor(random() * limit);
  let at = below(file.length);
  while (file[at] === 0 && random() < 0.95) at = below(file.length);
  const length = random() < 0.7 ? 1 : 1 + below(8);
  const byte = random() < 0.7 ? (bytes[below(bytes.length)] ?? 0) : below(256);
  file.fill(byte, at, at + length);
  return `${length} of ${byte} at ${at}`;
}
