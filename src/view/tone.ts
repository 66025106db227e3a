import { type Html, html } from "./html.ts";

/** How a status is coloured. Its word is always there, too. */
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

/** The tone of the status of a run, a step or an approval. */
export function toneOf(status: string): Tone {
  return tones[status] ?? "calm";
}

/** A status in its tone. `text` is what to say instead of its word. */
export function pill(status: string, text = status): Html {
  return html`<span class="pill ${toneOf(status)}">${text}</span>`;
}
