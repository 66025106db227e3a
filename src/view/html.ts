import { cutText } from "../core/text.ts";

export class Html {
  constructor(readonly text: string) {}
}

export interface Page {
  readonly title: string;
  readonly content: Html;
}

type Part = Html | string | number | undefined | false | readonly Part[];

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

/** HTML forbids some of these characters; direction marks could disguise text. */
const unprintable = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu;
const special = /[^\t\n -!#-%(-;=?-~\u00a1-\u1fff\u3000-\ud7ff]/;

function escapeHtml(text: string): string {
  if (!special.test(text)) return text;
  return text.replace(unprintable, "\ufffd").replace(/[&<>"']/g, (sign) => entities[sign] as string);
}

export function escapeContent(text: string): Html {
  return new Html(text.replace(unprintable, "\ufffd").replace(/[&<>]/g, (sign) => entities[sign] as string));
}

export function section(name: string, content: Html, id: string = name.toLowerCase().replaceAll(" ", "-")): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2>${content}</section>`;
}

const numbers = "attempt,attempts,busy,calls,cost,failed,mean time,steps,time,tokens,tokens in,tokens out";
const numberColumns = new Set(numbers.split(","));
const shortColumns = new Set("code decision outcome since started status when".split(" "));

function classOf(column: string): Html | false {
  const kind = numberColumns.has(column) ? "number" : shortColumns.has(column) && "short";
  return kind && html` class="${kind}"`;
}

export function tableSection(
  name: string,
  columns: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
  { more = false, id }: { readonly more?: Html | false; readonly id?: string } = {},
): Html | false {
  if (rows.length === 0) return false;
  const classes = columns.map(classOf);
  const heads = columns.map((column, index) => html`<th scope="col"${classes[index]}>${column}</th>`);
  const lines = rows.map((row) => {
    const cells = row.map((cell, index) => html`<td data-head="${columns[index]}"${classes[index]}>${cell}</td>`);
    return html`<tr>${cells}</tr>`;
  });
  const table = html`<div class="wide" tabindex="0" role="region" aria-label="${name}"><table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
  return section(name, html`${table}${more}`, id);
}

export type Tone = "good" | "bad" | "wait" | "busy" | "calm";

const tones: Readonly<Record<string, Tone>> = {
  completed: "good",
  approved: "good",
  failed: "bad",
  unknown: "bad",
  rejected: "bad",
  expired: "bad",
  suspended: "wait",
  waiting: "wait",
  interrupted: "wait",
  running: "busy",
  planning: "busy",
};

export function getTone(status: string): Tone {
  return tones[status] ?? "calm";
}

export function pill(status: string, text = status): Html {
  return html`<span class="pill ${getTone(status)}">${text}</span>`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(ms < 10_000 ? 1 : 0))} s`;
  const [name, size, small, part] = longUnits.find(([, size]) => ms >= size) ?? minutes;
  const whole = Math.floor(ms / size);
  const rest = Math.floor((ms % size) / part);
  return rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${small}`;
}

const minutes = ["min", 60_000, "s", 1_000] as const;
const longUnits = [
  ["d", 86_400_000, "h", 3_600_000],
  ["h", 3_600_000, "min", 60_000],
] as const;

export function formatTime(iso: string): string {
  return iso.slice(0, 19).replace("T", " ");
}

export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

export function formatCost(cost: number | undefined): string {
  return cost === undefined ? "" : String(Number(cost.toPrecision(3)));
}

export function plural(count: number, name: string): string {
  return `${formatCount(count)} ${name}${count === 1 ? "" : "s"}`;
}

export function formatValue(value: unknown, maxLength: number): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return text.length <= maxLength
    ? text
    : `${cutText(text, maxLength, "")}\n… (${formatCount(text.length)} characters in all)`;
}
