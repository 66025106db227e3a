import { cutText } from "./format.ts";
import { type Html, html } from "./html.ts";
import { layOut, type Place } from "./layout.ts";
import { foldGraph, type GraphNode, type PlanGraph } from "./plan-graph.ts";
import { toneOf } from "./tone.ts";

const limits = { maxNodes: 150, maxEdges: 600 };
const node = { width: 172, height: 44, gapX: 18, gapY: 30 };
const noteHeight = 14;
const maxChars = 24;
const margin = 4;

/** A graph as SVG, from top to bottom. */
export function graphSvg(graph: PlanGraph, label: string): Html {
  const folded = foldGraph(graph, limits);
  const { places, routes, layers, rows } = layOut(folded);
  const height = node.height + noteHeight * Math.max(0, ...folded.nodes.map(({ notes }) => Math.min(2, notes.length)));
  const stepY = height + node.gapY;
  const counts = new Map<number, number>();
  for (const { layer, row } of [...places, ...routes.flat()]) {
    counts.set(layer, Math.max(counts.get(layer) ?? 0, row + 1));
  }
  const width = rows * (node.width + node.gapX) - node.gapX + 2 * margin;
  const x = ({ layer, row }: Place) =>
    margin + ((rows - (counts.get(layer) ?? 1)) / 2 + row) * (node.width + node.gapX);
  const y = ({ layer }: Place) => margin + layer * stepY;
  const total = layers * stepY - node.gapY + 2 * margin;
  const edges = routes.map(
    (route) =>
      html`<path d="${pathOf(
        route.map((place) => [x(place) + node.width / 2, y(place)]),
        height,
      )}"/>`,
  );
  const nodes = folded.nodes.map((one, index) => {
    const place = places[index] as Place;
    return nodeSvg(one, { x: x(place), y: y(place), height });
  });
  return html`<div class="graph" role="region" aria-label="${label}" tabindex="0"><svg width="${round(width)}" height="${round(total)}" viewBox="0 0 ${round(width)} ${round(total)}" role="img" aria-label="${label}"><g class="edges">${edges}</g>${nodes}</svg></div>`;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

function nodeSvg({ title, tool, notes, status }: GraphNode, { x, y, height }: Box): Html {
  const lines = [tool, ...notes.slice(0, 2)];
  const texts = lines.map(
    (line, index) => html`<text x="${round(x + 10)}" y="${round(y + 34 + index * noteHeight)}">${shorten(line)}</text>`,
  );
  return html`<g class="node ${toneOf(status)}"><title>${[title, ...lines, status].filter((one) => one !== "").join(" · ")}</title><rect x="${round(x)}" y="${round(y)}" width="${node.width}" height="${height}" rx="6"/><rect class="mark" x="${round(x)}" y="${round(y)}" width="4" height="${height}" rx="2"/><text class="name" x="${round(x + 10)}" y="${round(y + 18)}">${shorten(title)}</text>${texts}</g>`;
}

/** From the lower side of the first place to the upper side of the last, straight down through those between. */
function pathOf(points: readonly (readonly [x: number, y: number])[], height: number): string {
  const [first, ...rest] = points as readonly [readonly [number, number], ...(readonly [number, number])[]];
  let [x, y] = [first[0], first[1] + height];
  let path = `M${round(x)} ${round(y)}`;
  for (const [index, [nextX, nextY]] of rest.entries()) {
    const middle = (y + nextY) / 2;
    path += `C${round(x)} ${round(middle)} ${round(nextX)} ${round(middle)} ${round(nextX)} ${round(nextY)}`;
    if (index < rest.length - 1) path += `V${round(nextY + height)}`;
    [x, y] = [nextX, nextY + (index < rest.length - 1 ? height : 0)];
  }
  return path;
}

function shorten(text: string): string {
  return text.length <= maxChars ? text : `${cutText(text, maxChars - 1)}…`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
