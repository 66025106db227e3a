export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

export function saysAt(words: readonly string[], at: number, said: readonly string[]): boolean {
  return said.every((word, index) => words[at + index] === word);
}
