import { features } from "../inside/features.mjs";
import { baseline } from "../prepare-baseline.mjs";
import { runInside } from "../run-inside.mjs";
import { interleave, median, medianRatio, round } from "../statistics.mjs";

/** What a step of a plain run costs because there are features that it does not use, and because some are on but idle. */
export const unusedFeatures = {
  name: "unused-features",
  title: "Features that are not used, runs of 10 steps",
  needsBaseline: true,

  async measure({ folders, isQuick }) {
    const rounds = isQuick ? 2 : 10;
    const inRound = isQuick ? [3, 2, 1_000] : [11, 4, 10_000];
    const against = folders.baseline === undefined ? undefined : await compareBuilds(folders, { rounds, inRound });
    const settings = [rounds, ...(isQuick ? [2, 1_000] : [4, 10_000])];
    const run = (label) => runInside(folders.bench, "feature-cost.mjs", [label, ...settings]);
    const idle = Object.keys(features).map((label) => toIdle(label, run(label)));
    return { rounds, baseline: { ...baseline, figures: against }, idle };
  },

  tables: ({ rounds, baseline: { commit, figures }, idle }) => [
    figures === undefined
      ? {
          title: "The code before the features against this one: not measured",
          rows: [{ why: `Commit ${commit} is not in this clone; git fetch --unshallow brings it.` }],
        }
      : {
          title: `Microseconds a step, each build in processes of its own, medians of ${rounds} rounds`,
          rows: Object.entries(labels).map(([name, build]) => ({
            build,
            us: round(figures[name].us),
            ratio: round(figures[name].ratio),
            fastest: round(figures[name].fastestUs),
            "ratio of fastest": round(figures[name].fastestRatio),
          })),
        },
    {
      title: "Microseconds a step with a feature on but idle, beside a plain run in the same process",
      rows: idle.map(({ label, failure, figures }) => ({
        feature: label,
        plain: figures ? round(figures.plain) : "-",
        on: figures ? round(figures.on) : "-",
        ratio: figures ? round(figures.ratio) : failure,
      })),
    },
  ],

  goals: ({ baseline: { figures } }) =>
    figures === undefined
      ? []
      : [
          {
            what: "cost of a step, against the code before the features",
            measured: round(figures.present.ratio),
            goal: 1.05,
          },
        ],
};

const labels = {
  before: `before the features (${baseline.commit.slice(0, 7)})`,
  again: "the same again, to see the noise",
  present: "this one, none of them used",
};

/** Each build in a process of its own each round, as they would else share what is compiled for zod, and the garbage. */
async function compareBuilds(folders, { rounds, inRound }) {
  const run = (folder) => () => runInside(folder, "plain-cost.mjs", inRound);
  const samples = await interleave(
    { before: run(folders.baseline), present: run(folders.bench), again: run(folders.baseline) },
    { rounds, warmUps: 1 },
  );
  // The fastest of a process shows what load from outside hides.
  const middles = mapValues(samples, (processes) => processes.map(median));
  const fastest = mapValues(samples, (processes) => processes.map((times) => Math.min(...times)));
  return mapValues(samples, (_processes, name) => ({
    us: median(middles[name]),
    ratio: medianRatio(middles[name], middles.before),
    fastestUs: median(fastest[name]),
    fastestRatio: medianRatio(fastest[name], fastest.before),
  }));
}

function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

function toIdle(label, { failure, plain, on }) {
  if (failure !== undefined) return { label, failure };
  return { label, figures: { plain: median(plain), on: median(on), ratio: medianRatio(on, plain) } };
}
