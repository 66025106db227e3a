import { runInside } from "../run-inside.mjs";
import { median, medianRatio, round } from "../statistics.mjs";

const sdk = "otel with an SDK: spans in batches, metrics";

/** What is measured beside what, and how many times its cost a step may have. */
const contenders = [
  { label: "an empty list", against: "none", goal: 1.03 },
  { label: "an observer that does nothing", against: "none" },
  { label: "log, to a logger that does nothing", against: "none" },
  { label: "otel without an SDK", against: "none" },
  { label: sdk, against: "none" },
  { label: "the same, with inputs and outputs", against: "none" },
  { label: sdk, against: "otel without an SDK", goal: 1.6 },
];

/** What a step costs more because somebody looks on. */
export const observers = {
  name: "observers",
  title: "Observers, runs of 10 steps",

  measure({ folders, isQuick }) {
    const settings = isQuick ? [5, 2, 1_000] : [21, 4, 10_000];
    const figures = contenders.map(({ label, against, goal }) => {
      const { base, on } = runInside(folders.bench, "observer-cost.mjs", [label, against, ...settings]);
      return { label, against, goal, base: median(base), on: median(on), ratio: medianRatio(on, base) };
    });
    return { rounds: settings[0], figures };
  },

  tables: ({ rounds, figures }) => [
    {
      title: `Microseconds a step, both of a line in one process, medians of ${rounds} rounds`,
      rows: figures.map(({ label, against, base, on, ratio }) => ({
        observer: label,
        us: round(on),
        against,
        "its us": round(base),
        ratio: round(ratio),
      })),
    },
  ],

  goals: ({ figures }) =>
    figures
      .filter(({ goal }) => goal !== undefined)
      .map(({ label, against, ratio, goal }) => ({
        what: `cost of a step observed by ${label}, against ${against}`,
        measured: round(ratio),
        goal,
      })),
};
