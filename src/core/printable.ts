// Characters that a terminal obeys instead of showing: control characters, and those that change the text direction.
const unsafe = /[\p{Control}\p{Line_Separator}\p{Paragraph_Separator}\p{Bidi_Control}]/gu;

/** Text as one line that is safe for a terminal: control characters become escapes such as `\n` and `\u001b`. */
export function printable(text: string): string {
  return text.replace(unsafe, (character) => shortEscapes[character] ?? escapeCode(character));
}

/** A value as JSON that is safe for a terminal. It parses to the same value. */
export function printableJson(value: unknown, indent?: number): string {
  // Line breaks of the JSON itself stay; those in strings are already escaped.
  const escapeUnlessBreak = (character: string) => (character === "\n" ? character : escapeCode(character));
  return (JSON.stringify(value, undefined, indent) ?? "null").replace(unsafe, escapeUnlessBreak);
}

/** A value as lines of JSON that is safe for a terminal. */
export function jsonLines(value: unknown): readonly string[] {
  return printableJson(value, 2).split("\n");
}

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
