const between = new Set([",", "and", "&", "or", ";", "plus"]);

/**
 * The frame of a wish: each run of words with one tag is one word, the tag's name in brackets; several runs of one tag with
 * nothing but commas and "and" between them are one. Numbers next to each other are one.
 */
export function maskWords(words: readonly string[], tags: readonly string[]): readonly string[] {
  const frame: string[] = [];
  let last = "other";
  for (const [index, word] of words.entries()) {
    const tag = tags[index] ?? "other";
    if (tag === "other") {
      if (word !== "‹number›" || frame.at(-1) !== word) frame.push(word);
    } else if (tag !== last) {
      const mask = `‹${tag}›`;
      let back = frame.length;
      while (back > 0 && between.has(frame[back - 1] ?? "")) back--;
      if (back > 0 && frame[back - 1] === mask) frame.length = back;
      else frame.push(mask);
    }
    last = tag;
  }
  return frame;
}

const modifiers = new Set(
  "to do todo task tasks chore chores ‹list› whole entire current own complete full reminder reminders errand errands".split(
    " ",
  ),
);
const deeds = [
  "of things to do",
  "of things i need to do",
  "of things i have to do",
  "of tasks",
  "of chores",
  "of todos",
  "of ‹list›",
  "of to dos",
].map((text) => text.split(" "));

/** The frame with every to-do list called just "list": "my to do list", "my ‹list› list", "my list of things to do". */
export function plainLists(frame: readonly string[]): readonly string[] {
  const plain: string[] = [];
  for (let at = 0; at < frame.length; at++) {
    const word = frame[at] ?? "";
    if (word !== "list" && word !== "lists") {
      plain.push(word);
      continue;
    }
    while (modifiers.has(plain.at(-1) ?? "")) plain.pop();
    plain.push(word);
    const rest = deeds.find((words) => words.every((each, index) => frame[at + 1 + index] === each));
    at += rest?.length ?? 0;
  }
  return plain;
}
