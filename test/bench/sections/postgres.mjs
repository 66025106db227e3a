import { startEmbeddedServer } from "../../adapters/postgres/embedded-server.mjs";
import { runInside } from "../run-inside.mjs";
import { median, medianRatio, round } from "../statistics.mjs";

const atOnce = 20;

/** What a step costs on the PostgreSQL store, beside a step of DBOS alone on the same server. */
export const postgres = {
  name: "postgres",
  title: "Runs in PostgreSQL",

  /** Undefined where no server can be started. */
  async measure({ folders, isQuick }) {
    const [rounds, steps] = isQuick ? [2, 10] : [11, 50];
    const server = await startServer();
    if (server === undefined) return undefined;
    try {
      const { one, many } = runInside(folders.bench, "postgres.mjs", [server.url, rounds, steps, atOnce]);
      const perSecond = (samples) => samples.map((ms) => 1_000 / ms);
      const [oursPerSecond, barePerSecond] = [perSecond(many.ours), perSecond(many.bare)];
      return {
        rounds,
        steps,
        one: { ours: median(one.ours), bare: median(one.bare), ratio: medianRatio(one.ours, one.bare) },
        many: {
          ours: median(oursPerSecond),
          bare: median(barePerSecond),
          ratio: medianRatio(oursPerSecond, barePerSecond),
        },
      };
    } finally {
      await server.end();
    }
  },

  tables: (figures) =>
    figures === undefined
      ? []
      : [
          {
            title: `Runs of ${figures.steps} steps, medians of ${figures.rounds} rounds, every commit on the disk`,
            rows: [
              { measure: "ms a step of one run", ...rowOf(figures.one) },
              { measure: `steps a second, ${atOnce} runs at once`, ...rowOf(figures.many) },
            ],
          },
        ],

  goals: (figures) =>
    figures === undefined
      ? []
      : [
          { what: "ms a step in PostgreSQL, against a step of DBOS", measured: round(figures.one.ratio), goal: 1 },
          {
            what: `steps a second in PostgreSQL, ${atOnce} runs at once, against DBOS`,
            measured: round(figures.many.ratio),
            goal: 2,
            isAtLeast: true,
          },
        ],
};

const rowOf = ({ ours, bare, ratio }) => ({ planwright: round(ours), "DBOS alone": round(bare), ratio: round(ratio) });

/** Says why if none can be started. */
async function startServer() {
  try {
    return await startEmbeddedServer();
  } catch (error) {
    console.log(`\nRuns in PostgreSQL are not measured, as no server can be started: ${error.message}`);
    return undefined;
  }
}
