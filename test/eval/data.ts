import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { DescribedTool } from "./call-tools.ts";

/** What a step of a right plan is, in the format of the evaluation data; `input` is its whole input, where we know it. */
export interface ExpectedStep {
  readonly tool: string;
  readonly op?: readonly string[];
  readonly value?: number;
  readonly dependsOn?: readonly number[];
  readonly input?: unknown;
}

/** One request of the evaluation data. */
export interface DataRow {
  readonly id: string;
  readonly prompt: string;
  readonly hard?: boolean;
  readonly reason?: string;
  /** Of the data for function calling: the tools there are. */
  readonly tools?: readonly DescribedTool[];
  readonly category?: string;
  readonly expect: { readonly kind: "plan" | "calls" | "reject"; readonly steps?: readonly ExpectedStep[] };
}

/** Reads rows from a file with one JSON object a line. */
export function readRows(path: string): readonly DataRow[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as DataRow);
}

/** Whether a row belongs to the fifth that is only ever scored: nobody looks at its requests. */
export function isSetAside({ id }: DataRow): boolean {
  const digest = createHash("sha256").update(id).digest("hex");
  return BigInt(`0x${digest}`) % 5n === 0n;
}

export function isWordProblem({ reason = "" }: DataRow): boolean {
  return reason.startsWith("word-problem");
}
