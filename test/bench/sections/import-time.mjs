import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { runInside } from "../run-inside.mjs";
import { interleave, median, medianRatio, round } from "../statistics.mjs";

/** How long imports take, and the start of the command, each in fresh processes. */
export const importTime = {
  name: "import",
  title: "Import and start",

  async measure({ folders, isQuick }) {
    const rounds = isQuick ? 5 : 31;
    const command = join(folders.bench, "node_modules/planwright/dist/cli/main.js");
    const samples = await interleave(
      {
        loop: () => runInside(folders.bench, "time-import.mjs", ["hand-written-loop"]),
        ours: () => runInside(folders.bench, "time-import.mjs", ["planwright"]),
        oursAndZod: () => runInside(folders.bench, "time-import.mjs", ["planwright-and-zod"]),
        testing: () => runInside(folders.bench, "time-import.mjs", ["testing"]),
        node: () => timeProcess(["-e", "0"]),
        command: () => timeProcess([command, "--help"]),
      },
      { rounds, warmUps: 1 },
    );
    const compare = (name, base) => ({
      medianMs: median(samples[name]),
      ratio: medianRatio(samples[name], samples[base]),
    });
    return {
      rounds,
      loop: compare("loop", "loop"),
      ours: compare("ours", "loop"),
      oursAndZod: compare("oursAndZod", "loop"),
      testing: compare("testing", "loop"),
      node: compare("node", "node"),
      command: compare("command", "node"),
    };
  },

  tables: ({ rounds, loop, ours, oursAndZod, testing, node, command }) => [
    {
      title: `Import, medians of ${rounds} fresh processes`,
      rows: [
        toRow("zod, p-retry and p-timeout", loop),
        toRow("planwright", ours),
        toRow("planwright and zod", oursAndZod),
        toRow("planwright/testing", testing),
      ],
    },
    {
      title: "From start to end of a process",
      rows: [toRow("node -e 0", node), toRow("planwright --help", command)],
    },
  ],

  goals: ({ ours }) => [{ what: "import, against zod + p-retry + p-timeout", measured: round(ours.ratio), goal: 1.2 }],
};

function timeProcess(args) {
  const started = performance.now();
  execFileSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  return performance.now() - started;
}

function toRow(what, { medianMs, ratio }) {
  return { what, ms: round(medianMs), ratio: round(ratio) };
}
