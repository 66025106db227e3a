import { runInside } from "../run-inside.mjs";
import { interleave, median, medianRatio, round } from "../statistics.mjs";

const others = ["mathjs", "expr-eval-fork"];

/** The Calculator from text to value, against other evaluators. */
export const calculator = {
  name: "calculator",
  title: "Calculator from text",

  async measure({ folders, isQuick }) {
    const [rounds, warmUps, calls] = isQuick ? [5, 2, 200] : [21, 5, 2_000];
    const samples = runInside(folders.bench, "calculators.mjs", [rounds, warmUps, calls]);
    const warm = Object.entries(samples).map(([expression, byName]) => ({
      expression,
      micros: mapNames(["planwright", ...others], (name) => median(byName[name])),
      // How often ours fits into the time of the other one.
      timesAsFast: mapNames(others, (name) => medianRatio(byName[name], byName.planwright)),
    }));
    const nested = await interleave(
      mapNames(["planwright", ...others], (name) => () => runInside(folders.bench, "nested-parentheses.mjs", [name])),
      { rounds: isQuick ? 3 : 11 },
    );
    return { rounds, warm, nested: Object.entries(nested).map(([name, list]) => toNested(name, list)) };
  },

  tables: ({ rounds, warm, nested }) => [
    {
      title: `Microseconds a call, medians of ${rounds} rounds`,
      rows: warm.map(({ expression, micros, timesAsFast }) => ({
        expression,
        planwright: round(micros.planwright),
        mathjs: round(micros.mathjs),
        "expr-eval-fork": round(micros["expr-eval-fork"]),
        "times as fast as mathjs": round(timesAsFast.mathjs),
        "as expr-eval-fork": round(timesAsFast["expr-eval-fork"]),
      })),
    },
    {
      title: "1 000 nested parentheses, first call in a fresh process",
      rows: nested.map(({ name, answer, ms }) => ({ evaluator: name, answer, ms: round(ms) })),
    },
  ],

  goals: ({ warm, nested }) => [
    ...warm
      .filter(({ expression }) => /^\(41|^50 operators/.test(expression))
      .map(({ expression, timesAsFast }) => ({
        what: `${expression}: times as fast as mathjs`,
        measured: round(timesAsFast.mathjs),
        goal: 3,
        isAtLeast: true,
      })),
    {
      what: "1 000 nested parentheses answered at the first call (1 is yes)",
      measured: nested[0].answer === "1" ? 1 : 0,
      goal: 1,
      isAtLeast: true,
    },
  ],
};

function mapNames(names, make) {
  return Object.fromEntries(names.map((name) => [name, make(name)]));
}

function toNested(name, list) {
  return { name, answer: list[0].answer, ms: median(list.map(({ ms }) => ms)) };
}
