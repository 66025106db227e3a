/** FNV-1a, from `seed` on: http://www.isthe.com/chongo/tech/comp/fnv/. Unsigned 32 bits. */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
