import { runInside } from "../run-inside.mjs";
import { round } from "../statistics.mjs";

/** What the LLM planner adds to a call of its model. */
export const modelPlanning = {
  name: "model-planning",
  title: "Planning by a model, without the model",

  async measure({ folders, isQuick }) {
    const [plans, warmUps] = isQuick ? [500, 200] : [5_000, 1_000];
    const samples = runInside(folders.bench, "model-planning.mjs", [plans, warmUps]);
    const rows = Object.entries(samples).map(([name, times]) => {
      const at = (quantile) => times[Math.floor(quantile * (times.length - 1))];
      return { name, p50: at(0.5), p99: at(0.99), longest: times.at(-1) };
    });
    return { plans, rows };
  },

  tables: ({ plans, rows }) => [
    {
      title: `Microseconds a plan at 20 tools, of ${plans} plans`,
      rows: rows.map(({ name, p50, p99, longest }) => ({
        answer: name,
        p50: round(p50),
        p99: round(p99),
        longest: round(longest),
      })),
    },
  ],

  goals: ({ rows }) =>
    rows
      .filter(({ name }) => name.startsWith("5 steps"))
      .map(({ name, p99 }) => ({ what: `${name}: p99 in ms`, measured: round(p99 / 1_000), goal: 1 })),
};
