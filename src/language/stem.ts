/**
 * The stem of an English word, so that "raining", "rained" and "rains" are one: endings of plurals and verbs and a final
 * "e" are removed, and a consonant that was doubled before them is one again. Other words stay as they are.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let root = word;
  if (/[^su]s$/.test(root)) root = root.replace(/ies$/, "y").replace(/(?<=[sxz]|[cs]h)es$|s$/, "");
  const cut = root.replace(/(?<=[aeiouy].*[^e])(?:ing|ed)$/, "");
  if (cut.length < root.length && cut.length > 2) root = cut.replace(/([bgmnprt])\1$/, "$1");
  return root.length > 4 ? root.replace(/e$/, "") : root;
}
