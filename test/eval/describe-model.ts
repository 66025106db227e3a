import { quantiles } from "./measure.ts";
import type { PlannedRow } from "./plan-rows.ts";

/** What planning by a model took, and how its answers came out, as a table. */
export function describeModel(lines: readonly PlannedRow[]): string {
  const sources = lines.flatMap(({ plan }) => plan?.source ?? []);
  const failed = (code: string) =>
    lines.filter(({ failures }) => failures.some((failure) => failure.code === code)).length;
  const sum = (key: "modelCalls" | "inputTokens" | "outputTokens") =>
    lines.reduce((total, { usage }) => total + (usage?.[key] ?? 0), 0);
  const { median, p99 } = quantiles(lines.map(({ tookMs }) => tookMs));
  const rows: readonly (readonly [string, string | number])[] = [
    ["requests", lines.length],
    ["planned", lines.filter(({ plan }) => plan !== null).length],
    ["planned at the first try", sources.filter(({ attempts }) => attempts === 1).length],
    ["answers that were no JSON", failed("no-json")],
    ["answers that did not hold", failed("invalid-plan")],
    ["answers that were cut", failed("cut-off")],
    ["plans with a warning", sources.filter(({ warnings = [] }) => warnings.length > 0).length],
    ["calls, tokens in / out", `${sum("modelCalls")}, ${sum("inputTokens")} / ${sum("outputTokens")}`],
    ["time of a plan, median / 99th percentile", `${(median / 1_000).toFixed(2)} / ${(p99 / 1_000).toFixed(2)} s`],
  ];
  return ["| | |", "| --- | --- |", ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join("\n");
}
