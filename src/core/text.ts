const maxKeys = 20;

/** Never throws. Shows only the keys of an object that is not an error: its values may come from a response. */
export function describeThrown(thrown: unknown): string {
  try {
    if (typeof thrown === "function") return "a function";
    if (typeof thrown !== "object" || thrown === null) return String(thrown);
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
    const kind = Object.prototype.toString.call(thrown).slice("[object ".length, -1);
    const keys = Object.keys(thrown);
    if (keys.length === 0) return `${kind} without keys`;
    return `${kind} with the keys ${keys.slice(0, maxKeys).join(", ")}${keys.length > maxKeys ? " …" : ""}`;
  } catch {
    return "something that cannot be read";
  }
}

export function cutText(text: string, max: number, end = "…"): string {
  if (text.length <= max) return text;
  return text.slice(0, max - end.length).replace(/[\uD800-\uDBFF]$/, "") + end;
}

const maxSaid = 300;

export function textFrom(say: () => unknown, max: number = maxSaid): string | undefined {
  try {
    const said = say();
    // An unhandled rejection would end the process.
    Promise.resolve(said).catch(() => {});
    return typeof said === "string" && said.trim() !== "" ? cutText(said, max) : undefined;
  } catch {
    return undefined;
  }
}

const maxDistance = 2;

export function suggestName(name: string, known: Iterable<string>): string {
  let closest: string | undefined;
  let least = Math.min(maxDistance, Math.floor(name.length / 2)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [closest, least] = [candidate, distance];
  }
  return closest === undefined ? "" : ` Did you mean "${closest}"?`;
}

export function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}

/**
 * Escapes text for the input of a plan, so that it is never read as a reference, even if other text is appended.
 * `use ${HOME}` becomes `use ${$}{HOME}`, which is `use ${HOME}` again when the plan runs.
 * {@includeCode ../../examples/16-your-own-planner.ts} @group Plans
 */
export function escapeTemplate(text: string): string {
  return text.includes("$") ? text.replace(/\$(?=\{|$)/g, () => "${$}") : text;
}

// Terminals interpret these characters instead of showing them.
const unsafe = /[\p{Control}\p{Line_Separator}\p{Paragraph_Separator}\p{Bidi_Control}]/gu;

export function printable(text: string): string {
  return text.replace(unsafe, (character) => shortEscapes[character] ?? escapeCode(character));
}

export function printableJson(value: unknown, indent?: number): string {
  // Line breaks in strings are already escaped; those of the JSON itself stay.
  const escapeUnlessBreak = (character: string) => (character === "\n" ? character : escapeCode(character));
  return (JSON.stringify(value, undefined, indent) ?? "null").replace(unsafe, escapeUnlessBreak);
}

export function jsonLines(value: unknown): readonly string[] {
  return printableJson(value, 2).split("\n");
}

const shortEscapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
