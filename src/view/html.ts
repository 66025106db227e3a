/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

/** What can be put into HTML. */
export type Part = Html | string | number | undefined | false | readonly Part[];

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

/** Most texts need nothing. */
const special = /[^\t\n -!#-%(-;=?-~\u00a1-\u1fff\u3000-\ud7ff]/;

function escapeHtml(text: string): string {
  if (!special.test(text)) return text;
  return text.replace(unprintable, "\ufffd").replace(/[&<>"']/g, (sign) => entities[sign] as string);
}

/** The same for what stands between tags, where quotes are harmless, and often many. */
export function escapeContent(text: string): Html {
  return new Html(text.replace(unprintable, "\ufffd").replace(/[&<>]/g, (sign) => entities[sign] as string));
}
