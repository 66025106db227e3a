const chunkBytes = 3 * 8_192;

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  // As arguments of one call, very many bytes would overflow the stack.
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    chunks.push(btoa(String.fromCharCode(...bytes.subarray(start, start + chunkBytes))));
  }
  return chunks.join("");
}

/** The bytes of a text in base64. Throws for anything else. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
