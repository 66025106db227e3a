import { runInside } from "../run-inside.mjs";
import { interleave, median, medianRatio, round } from "../statistics.mjs";

const measures = {
  wallMs: "wall time, ms",
  cpuMs: "CPU time, ms",
  peakRssMb: "peak memory of the process (RSS), MB",
  peakHeapMb: "peak of the heap, MB",
  longestDelayMs: "longest delay of the event loop, ms",
};

/** Many runs at once of 5 steps that wait 10 ms, each contender in processes of its own. */
export const manyRuns = {
  name: "many-runs",
  title: "Many runs at once of 5 steps that wait 10 ms",

  async measure({ folders, isQuick }) {
    const [runs, rounds] = isQuick ? [1_000, 1] : [10_000, 5];
    const samples = await interleave(
      {
        ours: () => runInside(folders.bench, "many-runs-ours.mjs", [runs]),
        loop: () => runInside(folders.bench, "many-runs-loop.mjs", [runs]),
      },
      { rounds },
    );
    const compare = (key) => {
      const [ours, loop] = [samples.ours, samples.loop].map((list) => list.map((sample) => sample[key]));
      return [key, { ours: median(ours), loop: median(loop), ratio: medianRatio(ours, loop) }];
    };
    return { runs, rounds, measures: Object.fromEntries(Object.keys(measures).map(compare)) };
  },

  tables: ({ runs, rounds, measures: figures }) => [
    {
      title: `${runs} runs, medians of ${rounds} processes each`,
      rows: Object.entries(measures).map(([key, label]) => ({
        measure: label,
        planwright: round(figures[key].ours),
        loop: round(figures[key].loop),
        ratio: round(figures[key].ratio),
      })),
    },
  ],

  goals: ({ runs, measures: figures }) =>
    Object.entries(measures).map(([key, label]) => ({
      what: `${runs} runs at once: ${label.replace(/, \w+$/, "")}, against the loop`,
      measured: round(figures[key].ratio),
      goal: 1,
    })),
};
