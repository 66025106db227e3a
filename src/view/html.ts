/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | false | readonly Part[];

/** Builds HTML: whatever is put into it is escaped, unless it is HTML itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] as string;
  for (const [index, part] of parts.entries()) text += textOf(part) + strings[index + 1];
  return new Html(text);
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === undefined || part === false) return "";
  if (typeof part === "number") return String(part);
  return typeof part === "string" ? escapeHtml(part) : part.map(textOf).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** What no document may contain, and marks that change the direction of what follows, which could disguise it. */
const unprintable = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu;

function escapeHtml(text: string): string {
  return text.replace(unprintable, "\ufffd").replace(/[&<>"']/g, (sign) => entities[sign] as string);
}
