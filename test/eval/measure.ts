import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Planner } from "planwright";
import { type DataRow, isSetAside, isWordProblem, readRows } from "./data.ts";
import { type PlannedRow, planRows, timePlans } from "./plan-rows.ts";

/** What the data's own scorer says of one request. */
export interface ScoredRow {
  readonly row: DataRow;
  readonly line?: PlannedRow;
  readonly planned: boolean;
  readonly exact: boolean;
  /** Whether every expected dependency is there; undefined where none is expected. */
  readonly deps?: boolean;
}

/** The part of the scorer that is used. */
export interface Scorer {
  score(rows: readonly DataRow[], lines: readonly PlannedRow[]): { readonly items: readonly ScoredRow[] };
}

/** So many of so many. */
export interface Share {
  readonly hits: number;
  readonly count: number;
}

/** What came out for one part of the data. */
export interface Measured {
  readonly ordinary: Share;
  readonly hard: Share;
  readonly wordProblems: Share;
  readonly multi: Share;
  readonly dependencies: Share;
  /** Of what was refused, what should be; word problems are refused by design and left out of the first. */
  readonly precision: Share;
  readonly precisionOfAll: Share;
  readonly recall: Share;
  /** What was planned otherwise than it should be, or though it should be refused. */
  readonly wrong: Share;
  /** What was refused, but with the right plan as the first reading, about which a person can be asked. */
  readonly asked: Share;
  /** The same of requests with several steps. */
  readonly askedMulti: Share;
  readonly misses: readonly string[];
}

const files = ["plans-single", "plans-multi", "plans-reject"] as const;

/** What is measured, and by whom it is planned. */
export interface MeasureOptions {
  readonly planner: Planner;
  /** How many requests of each file are planned, at most. */
  readonly limit: number;
  readonly onRow?: () => void;
}

/** The data's own scorer. */
export async function loadScorer(folder: string): Promise<Scorer> {
  return (await import(pathToFileURL(resolve(folder, "score.mjs")).href)) as Scorer;
}

/** The development part of the data in a folder, and the part that nobody looks at. */
export async function measureFolder(folder: string, { planner, limit, ...options }: MeasureOptions) {
  const scorer = await loadScorer(folder);
  const rows = files.flatMap((name) => readRows(join(folder, `${name}.jsonl`)).slice(0, limit));
  const lines = await planRows(rows, { planner, ...options });
  const { items } = scorer.score(rows, lines);
  const askedLines = lines.filter(({ plan, asked }) => plan === null && asked !== undefined);
  const { items: asked } = scorer.score(
    rows,
    askedLines.map((line) => ({ ...line, plan: line.asked ?? null })),
  );
  const askedRightly = new Set(asked.filter(({ exact }) => exact).map(({ row }) => row.id));
  const tellMiss = ({ row, line }: ScoredRow) =>
    `${row.id}${row.hard ? " (hard)" : ""} ${row.prompt}\n    ${line?.error ?? JSON.stringify(line?.plan?.steps.map(({ tool, input, dependsOn }) => ({ tool, input, dependsOn })))}`;
  return {
    development: measure(
      items.filter(({ row }) => !isSetAside(row)),
      askedRightly,
      tellMiss,
    ),
    // Aggregates only: what is missed there is not told to anybody.
    setAside: measure(
      items.filter(({ row }) => isSetAside(row)),
      askedRightly,
      () => "",
    ),
    lines,
  };
}

/** How long the rules take for the requests of a folder. */
export async function timeFolder(folder: string, planner: Planner) {
  const rows = files.flatMap((name) => readRows(join(folder, `${name}.jsonl`)));
  const { first, warm } = await timePlans(rows, planner);
  return { first: quantiles(first), warm: quantiles(warm) };
}

function measure(
  items: readonly ScoredRow[],
  asked: ReadonlySet<string>,
  tellMiss: (item: ScoredRow) => string,
): Measured {
  const plans = items.filter(({ row }) => row.expect.kind === "plan");
  const rejects = items.filter(({ row }) => row.expect.kind === "reject");
  const singles = plans.filter(({ row }) => row.id.startsWith("single"));
  const multi = plans.filter(({ row }) => row.id.startsWith("multi"));
  const problems = plans.filter(({ row }) => isWordProblem(row));
  const exact = (list: readonly ScoredRow[]) => share(list, (item) => item.exact);
  const refused = (list: readonly ScoredRow[]) => list.filter(({ planned }) => !planned).length;
  const rightly = refused(rejects);
  const wrongly = refused(plans);
  return {
    ordinary: exact(singles.filter(({ row }) => row.hard !== true)),
    hard: exact(singles.filter(({ row }) => row.hard === true && !isWordProblem(row))),
    wordProblems: exact(problems),
    multi: exact(multi),
    dependencies: share(
      multi.filter(({ deps }) => deps !== undefined),
      ({ deps }) => deps === true,
    ),
    precision: { hits: rightly, count: rightly + wrongly - refused(problems) },
    precisionOfAll: { hits: rightly, count: rightly + wrongly },
    recall: { hits: rightly, count: rejects.length },
    wrong: share(items, ({ row, planned, exact }) => planned && (row.expect.kind === "reject" || !exact)),
    asked: share(singles, ({ row, planned }) => !planned && asked.has(row.id)),
    askedMulti: share(multi, ({ row, planned }) => !planned && asked.has(row.id)),
    misses: items.filter((item) => !item.exact && !isWordProblem(item.row)).map(tellMiss),
  };
}

function share<T>(list: readonly T[], test: (item: T) => boolean): Share {
  return { hits: list.filter(test).length, count: list.length };
}

/** The interval a share lies in with 95 % (Wilson), in percent. */
export function wilsonInterval({ hits, count }: Share): readonly [low: number, high: number] {
  if (count === 0) return [0, 100];
  const z = 1.959964;
  const rate = hits / count;
  const scale = 1 + (z * z) / count;
  const middle = (rate + (z * z) / (2 * count)) / scale;
  const half = (z / scale) * Math.sqrt((rate * (1 - rate)) / count + (z * z) / (4 * count * count));
  return [100 * Math.max(0, middle - half), 100 * Math.min(1, middle + half)];
}

/** The median, the 99th percentile and the longest of some times. */
export function quantiles(times: readonly number[]) {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (quantile: number) => sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))] ?? 0;
  return { median: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

/** The table that docs/planners.md shows. */
export function tableOf(
  { development, setAside }: Awaited<ReturnType<typeof measureFolder>>,
  times?: Awaited<ReturnType<typeof timeFolder>>,
): string {
  const rows: readonly (readonly [name: string, key: keyof Omit<Measured, "misses">, aim: string])[] = [
    ["ordinary single requests, exact", "ordinary", "98 %"],
    ["hard single requests without word problems, exact", "hard", "80 %"],
    ["word problems, exact", "wordProblems", "refused"],
    ["several steps, exact", "multi", "95 %"],
    ["several steps, dependencies", "dependencies", "95 %"],
    ["refusals, precision (without word problems)", "precision", "98 %"],
    ["refusals, precision (of all)", "precisionOfAll", ""],
    ["refusals, recall", "recall", "98 %"],
    ["wrong plans, of all requests", "wrong", "≤ 2 %"],
    ["asked: single requests refused with the right plan as the first reading", "asked", ""],
    ["asked: the same of several steps", "askedMulti", ""],
  ];
  return [
    "| | aim | development part | set aside |",
    "| --- | --- | --- | --- |",
    ...rows.map(([name, key, aim]) => `| ${name} | ${aim} | ${cell(development[key])} | ${cell(setAside[key])} |`),
    ...(times === undefined ? [] : timeRows(times)),
  ].join("\n");
}

function timeRows({ warm, first }: Awaited<ReturnType<typeof timeFolder>>): readonly string[] {
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  return [
    `| time of a plan, median / 99th percentile | < 0.3 / < 2 ms | ${ms(warm.median)} / ${ms(warm.p99)} | |`,
    `| the same in the first pass after a start | | ${ms(first.median)} / ${ms(first.p99)} (longest ${ms(first.max)}) | |`,
  ];
}

/** A share as the tables show it: in percent, with its count and its interval. */
export function cell(share: Share): string {
  if (share.count === 0) return "none";
  const [low, high] = wilsonInterval(share);
  const rate = ((100 * share.hits) / share.count).toFixed(1);
  return `${rate} % (${share.hits}/${share.count}; ${low.toFixed(0)}–${high.toFixed(0)})`;
}
