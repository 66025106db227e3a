import { runInside } from "../run-inside.mjs";
import { median, medianRatio, round } from "../statistics.mjs";

/** What a step costs, short runs and long ones. */
export const stepCost = {
  name: "steps",
  title: "Cost of a step",

  measure({ folders, isQuick }) {
    const settings = isQuick ? [5, 2, 1_000] : [21, 4, 10_000];
    const [rounds, , stepsInRound] = settings;
    const run = (group) => runInside(folders.bench, "step-cost.mjs", [group, ...settings]);
    const pairOf = (group, label) => compare(run(group), { label, names: ["ours", "loop"] });
    const pair = pairOf("pair", "10 steps");
    const planned = pairOf("planned", "10 steps of a planner that returns a ready plan");
    const bySize = compareSizes(run("sizes"), stepsInRound);
    const variants = [
      pairOf("references", "10 steps that take the output before by $ref"),
      pairOf("validation", "validatePlan alone, 10 steps"),
    ];
    return { rounds, stepsInRound, pair, planned, bySize, variants };
  },

  tables: ({ rounds, pair, planned, bySize, variants }) => [
    {
      title: `Microseconds a step, one agent for all rounds, medians of ${rounds} rounds`,
      rows: [pair, planned, ...variants].map(toRow),
    },
    {
      title: "By the number of steps, a new agent each round",
      rows: bySize.map((figures) => ({
        ...toRow(figures),
        growth: round(figures.growth),
        "growth of the loop": round(figures.loopGrowth),
      })),
    },
  ],

  goals: ({ pair, planned, bySize }) => [
    { what: "cost of a step against the loop, 10 steps", measured: round(pair.ratio), goal: 0.5 },
    { what: "cost of a step of a planned run against the loop", measured: round(planned.ratio), goal: 0.75 },
    ...bySize.slice(1).map(({ label, growth }) => ({
      what: `cost of a step at ${label}, against 10`,
      measured: round(growth),
      goal: 1.05,
    })),
  ],
};

function compare(samples, { label, names: [ours, loop] }) {
  return {
    label,
    ours: median(samples[ours]),
    loop: median(samples[loop]),
    ratio: medianRatio(samples[ours], samples[loop]),
  };
}

function compareSizes(samples, stepsInRound) {
  const sizes = [10, 100, 1_000, 10_000].filter((size) => size <= stepsInRound);
  return sizes.map((size) => ({
    ...compare(samples, { label: `${size} steps`, names: [`ours ${size}`, `loop ${size}`] }),
    growth: medianRatio(samples[`ours ${size}`], samples["ours 10"]),
    loopGrowth: medianRatio(samples[`loop ${size}`], samples["loop 10"]),
  }));
}

function toRow({ label, ours, loop, ratio }) {
  return { run: label, planwright: round(ours), loop: round(loop), ratio: round(ratio) };
}
