import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { JsonObject, JsonSchema, JsonValue, PlanInput } from "planwright";

/** Right and wrong plans from published sets of tool calls, with their tools: too large for this repository. */
export const goldFolder = fileURLToPath(new URL("../../../shared/gold/", import.meta.url));
export const hasGold = existsSync(goldFolder);

export const goldSets = ["seal-tools", "bfcl", "traject-bench", "nestful"] as const;
export type GoldSet = (typeof goldSets)[number];

export interface GoldTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

export interface GoldPlan {
  readonly id: string;
  readonly request: string;
  /** The names of the tools on offer. */
  readonly tools: readonly string[];
  readonly plan: PlanInput & { readonly steps: readonly GoldStep[] };
  readonly expect:
    | { readonly valid: true }
    | {
        readonly valid: false;
        readonly issues: readonly { readonly code: string; readonly path: readonly unknown[] }[];
      };
  /** Recorded outputs by the id of their step. */
  readonly outputs?: Readonly<Record<string, JsonValue>>;
}

interface GoldStep {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

export function readGoldTools(set: GoldSet): readonly GoldTool[] {
  return readLines(`${set}.tools.jsonl.gz`) as readonly GoldTool[];
}

export function readGoldPlans(set: GoldSet): readonly GoldPlan[] {
  return readLines(`${set}.plans.jsonl.gz`) as readonly GoldPlan[];
}

function readLines(file: string): readonly unknown[] {
  const lines = gunzipSync(readFileSync(goldFolder + file))
    .toString("utf8")
    .split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
