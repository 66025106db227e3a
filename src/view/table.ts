import { type Html, html } from "./html.ts";

/** A column: its head, and what is in it. Numbers stand on the right; they, and short words, stay in one line. */
export interface Column {
  readonly head: string;
  readonly kind?: "number" | "short";
}

/** Rows of cells. On a phone each row is a list of its cells with their heads; elsewhere what is too wide scrolls in itself. */
export function table(
  label: string,
  columns: readonly (Column | string)[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  const all = columns.map((column): Column => (typeof column === "string" ? { head: column } : column));
  const heads = all.map(
    ({ head, kind }) => html`<th scope="col"${kind !== undefined && html` class="${kind}"`}>${head}</th>`,
  );
  const lines = rows.map((row) => {
    const cells = row.map((cell, index) => {
      const { head, kind } = all[index] as Column;
      return html`<td data-head="${head}"${kind !== undefined && html` class="${kind}"`}>${cell}</td>`;
    });
    return html`<tr>${cells}</tr>`;
  });
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

/** A column of numbers. */
export function numbers(head: string): Column {
  return { head, kind: "number" };
}

/** A column of short words, or times. */
export function short(head: string): Column {
  return { head, kind: "short" };
}
