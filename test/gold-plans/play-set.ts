import { seededRandom } from "../kills/seeded-random.ts";
import { type GoldSet, readGoldPlans, readGoldTools } from "./gold.ts";
import { schemasOf } from "./gold-tools.ts";
import { type Outcome, playPlan } from "./play-plan.ts";

/** How the plans of a set fared. */
export interface SetResult {
  readonly set: string;
  readonly tools: number;
  readonly toolsMs: number;
  readonly plans: number;
  readonly steps: number;
  readonly playMs: number;
  readonly right: Readonly<Record<keyof Outcome, number>>;
  readonly valid: number;
  readonly misses: readonly string[];
}

/** Makes a set's tools, and plays every plan, or every `each`-th. Same seed, same cuts. */
export async function playSet(set: GoldSet, { each = 1, seed = 17 } = {}): Promise<SetResult> {
  const random = seededRandom(seed);
  const tools = readGoldTools(set);
  const plans = readGoldPlans(set).filter((_, index) => index % each === 0);
  const startMs = performance.now();
  const misses: string[] = [];
  for (const tool of tools) {
    try {
      schemasOf(tool);
    } catch (thrown) {
      misses.push(`${set}: ${tool.name} cannot be made: ${thrown}`);
    }
  }
  const toolsMs = performance.now() - startMs;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const right = { validation: 0, run: 0, resume: 0 };
  for (const plan of plans) {
    const outcome = await playPlan(plan, byName, random());
    for (const part of ["validation", "run", "resume"] as const) {
      if (outcome[part] === undefined) right[part] += part === "resume" && !plan.expect.valid ? 0 : 1;
      else misses.push(`${set}: ${plan.id}: ${part}: ${outcome[part]?.slice(0, 400)}`);
    }
  }
  return {
    set,
    tools: tools.length,
    toolsMs,
    plans: plans.length,
    steps: plans.reduce((sum, { plan }) => sum + plan.steps.length, 0),
    playMs: performance.now() - startMs - toolsMs,
    right,
    valid: plans.filter(({ expect }) => expect.valid).length,
    misses,
  };
}

export function tableOf(sets: readonly SetResult[]): string {
  const rows = sets.map(({ set, tools, toolsMs, plans, steps, playMs, right, valid }) => [
    set,
    `${tools} in ${toolsMs.toFixed(0)} ms`,
    `${right.validation} of ${plans}`,
    `${right.run} of ${plans}`,
    `${right.resume} of ${valid}`,
    `${steps} in ${(playMs / 1_000).toFixed(1)} s`,
  ]);
  return [
    ["set", "tools made", "validated", "run or refused", "cut off and resumed", "steps, played"],
    Array(6).fill("---"),
    ...rows,
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}
