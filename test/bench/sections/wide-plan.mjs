import { runInside } from "../run-inside.mjs";
import { interleave, median, medianRatio, round } from "../statistics.mjs";

const width = 1_000;
const concurrency = 100;
const stepMs = 10;
/** The first step, ten times a hundred, the last step. */
const idealMs = (2 + width / concurrency) * stepMs;

/** Many independent steps between one first and one last, each contender in processes of its own. */
export const widePlan = {
  name: "wide-plan",
  title: `1 + ${width} + 1 steps, ${concurrency} at a time`,

  async measure({ folders, isQuick }) {
    const rounds = isQuick ? 2 : 11;
    const laterRuns = isQuick ? 3 : 10;
    const run = (contender, kind, concurrent) => () =>
      toFigures(runInside(folders.bench, "wide-plan.mjs", [contender, kind, width, concurrent, 1 + laterRuns]));
    const samples = await interleave(
      {
        ours: run("ours", "waiting", concurrency),
        loop: run("loop", "waiting", concurrency),
        trivial: run("ours", "trivial", concurrency),
        trivialOneByOne: run("ours", "trivial", 1),
        trivialLoop: run("loop", "trivial", concurrency),
      },
      { rounds },
    );
    return {
      rounds,
      laterRuns,
      idealMs,
      waiting: {
        first: compareToIdeal(samples, "firstMs"),
        firstSteps: compareToIdeal(samples, "firstStepsMs"),
        later: compareToIdeal(samples, "laterMs"),
        laterSteps: compareToIdeal(samples, "laterStepsMs"),
      },
      trivial: ["trivial", "trivialOneByOne", "trivialLoop"].map((name) => ({
        name,
        firstUs: toStepUs(samples[name], "firstMs"),
        laterUs: toStepUs(samples[name], "laterMs"),
      })),
    };
  },

  tables: ({ rounds, laterRuns, waiting, trivial }) => [
    {
      title: `Steps of ${stepMs} ms, in milliseconds; the ideal is ${idealMs}. Medians of ${rounds} processes`,
      rows: [
        toRow("the first run of a process", waiting.first),
        toRow("from its first step to its last", waiting.firstSteps),
        toRow(`the ${laterRuns} runs after it, their median`, waiting.later),
        toRow("from their first step to their last", waiting.laterSteps),
      ],
    },
    {
      title: `Steps of 0 ms, microseconds a step. Medians of ${rounds} processes`,
      rows: trivial.map(({ name, firstUs, laterUs }) => ({
        contender: labels[name],
        "first run": round(firstUs),
        "runs after it": round(laterUs),
      })),
    },
  ],

  goals: ({ waiting }) => [
    { what: "wide plan, against the ideal, first run of a process", measured: round(waiting.first.ratio), goal: 1.3 },
    { what: "wide plan, against the ideal, runs after it", measured: round(waiting.later.ratio), goal: 1.3 },
  ],
};

const labels = {
  trivial: `planwright, ${concurrency} at a time`,
  trivialOneByOne: "planwright, the same plan, 1 at a time",
  trivialLoop: `bare loop, ${concurrency} at a time`,
};

function toFigures([first, ...later]) {
  return {
    firstMs: first.wholeMs,
    firstStepsMs: first.stepsMs,
    laterMs: median(later.map(({ wholeMs }) => wholeMs)),
    laterStepsMs: median(later.map(({ stepsMs }) => stepsMs)),
  };
}

function compareToIdeal({ ours, loop }, key) {
  const [oursMs, loopMs] = [ours, loop].map((samples) => samples.map((sample) => sample[key]));
  return {
    oursMs: median(oursMs),
    slowestMs: Math.max(...oursMs),
    loopMs: median(loopMs),
    ratio: median(oursMs) / idealMs,
    loopRatio: median(loopMs) / idealMs,
    againstLoop: medianRatio(oursMs, loopMs),
  };
}

function toStepUs(samples, key) {
  return (median(samples.map((sample) => sample[key])) * 1_000) / (width + 2);
}

function toRow(what, { oursMs, slowestMs, loopMs, ratio, loopRatio, againstLoop }) {
  return {
    what,
    planwright: round(oursMs),
    slowest: round(slowestMs),
    "bare loop": round(loopMs),
    "against the ideal": round(ratio),
    "loop against the ideal": round(loopRatio),
    "against the loop": round(againstLoop),
  };
}
