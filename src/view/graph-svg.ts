import { cutText } from "../core/text.ts";

import { type Html, html } from "./html.ts";
import { layOut, type Place } from "./layout.ts";
import { cutGraph, type GraphNode, linesOf, type PlanGraph } from "./plan-graph.ts";
import { type Tone, toneOf } from "./tone.ts";

const limits = { maxNodes: 120, maxEdges: 300 };
const node = { width: 196, height: 32, gapY: 34 };
const lineHeight = 16;
const maxLines = 6;
const maxChars = 27;
const margin = 6;

/** A graph as SVG, from top to bottom. */
export function graphSvg(graph: PlanGraph, label: string): Html {
  const shown = cutGraph(graph, limits);
  const { places, routes, layers, width } = layOut(shown, node.width);
  const heights = Array.from({ length: layers }, () => 0);
  for (const [index, { layer }] of places.entries()) {
    heights[layer] = Math.max(heights[layer] ?? 0, heightOf(shown.nodes[index] as GraphNode));
  }
  const tops: number[] = [];
  let total = margin;
  for (const height of heights) {
    tops.push(total);
    total += height + node.gapY;
  }
  const top = ({ layer }: Place) => tops[layer] ?? 0;
  const edges = routes.map((route, index) => {
    const from = shown.nodes[shown.edges[index]?.[0] ?? 0] as GraphNode;
    const points = route.map((place) => ({ x: place.x + margin, top: top(place), height: heights[place.layer] ?? 0 }));
    return html`<path d="${pathOf(points, heightOf(from))}"/>`;
  });
  const nodes = shown.nodes.map((one, index) => {
    const place = places[index] as Place;
    return nodeSvg(one, { x: place.x + margin - node.width / 2, y: top(place) });
  });
  const size = { width: round(width + 2 * margin), height: round(total - node.gapY + margin) };
  return html`<div class="graph" role="region" aria-label="${label}" tabindex="0"><svg width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${label}"><g class="edges">${edges}</g>${nodes}</svg></div>`;
}

function heightOf(one: GraphNode): number {
  return node.height + lineHeight * Math.max(1, Math.min(maxLines, linesOf(one).length) - 1);
}

/** A sign for each tone, so that colour alone says nothing. */
const signs: Readonly<Record<Tone, string>> = {
  good: "M175 16l4 4 6-8",
  bad: "M176 12l8 8m0-8l-8 8",
  wait: "M177 12v8m6-8v8",
  busy: "M176 12l8 4-8 4z",
  calm: "M176 16h8",
};

/** A box of its own, so that nothing reaches beyond it. */
function nodeSvg(given: GraphNode, { x, y }: { readonly x: number; readonly y: number }): Html {
  const { status } = given;
  const [title = "", ...lines] = linesOf(given).slice(0, maxLines);
  const height = heightOf(given);
  const tone = toneOf(status);
  const texts = lines.map(
    (line, index) => html`<text x="14" y="${38 + index * lineHeight}">${cutText(line, maxChars)}</text>`,
  );
  const hover = [...linesOf(given), status].join(" · ");
  return html`<svg class="node ${tone}" x="${round(x)}" y="${round(y)}" width="${node.width}" height="${height}"><title>${hover}</title><rect x=".5" y=".5" width="${node.width - 1}" height="${height - 1}" rx="7"/><rect class="mark" y="10" width="3" height="${height - 20}" rx="1.5"/><text class="name" x="14" y="21">${cutText(title, maxChars - 6)}</text>${status !== "planned" && status !== "pending" && html`<path d="${signs[tone]}"/>`}${texts}</svg>`;
}

interface Point {
  /** Its middle. */
  readonly x: number;
  readonly top: number;
  /** Of its layer. */
  readonly height: number;
}

/** From the lower side of the first place to the upper side of the last, straight down through those between. */
function pathOf(points: readonly Point[], firstHeight: number): string {
  const [first, ...rest] = points as readonly [Point, ...Point[]];
  let { x } = first;
  // A low node reaches down to its layer's end.
  let y = first.top + first.height;
  let path = `M${round(x)} ${round(first.top + firstHeight)}${firstHeight < first.height ? `V${round(y)}` : ""}`;
  for (const [index, { x: nextX, top, height }] of rest.entries()) {
    const middle = round((y + top) / 2);
    const [from, to] = [round(x), round(nextX)];
    const end = index < rest.length - 1 ? top + height : top;
    if (from !== to) path += `C${from} ${middle} ${to} ${middle} ${to} ${round(top)}`;
    if (from === to || end !== top) path = `${path.replace(/V[^A-Z]*$/, "")}V${round(end)}`;
    [x, y] = [nextX, end];
  }
  return path;
}

function round(value: number): number {
  return Math.round(value);
}
