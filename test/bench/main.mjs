// Measures the packed package as its users get it, against what they would write by hand: `npm run bench`.
//   --only NAME     one section; may be given again
//   --quick         fewer rounds, to see that it works
//   --json FILE     writes all figures there
//   --package FILE  a packed package, instead of building and packing this one
// On another version of Node: npx -y -p node@24 node test/bench/main.mjs
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { prepareFolders } from "./prepare-folders.mjs";
import { bundleSize } from "./sections/bundle-size.mjs";
import { calculator } from "./sections/calculator.mjs";
import { importTime } from "./sections/import-time.mjs";
import { manyRuns } from "./sections/many-runs.mjs";
import { modelPlanning } from "./sections/model-planning.mjs";
import { observers } from "./sections/observers.mjs";
import { postgres } from "./sections/postgres.mjs";
import { stepCost } from "./sections/step-cost.mjs";
import { storedRuns } from "./sections/stored-runs.mjs";
import { unusedFeatures } from "./sections/unused-features.mjs";
import { widePlan } from "./sections/wide-plan.mjs";
import { printTable } from "./table.mjs";

/** Each has a `name`, a `title`, `measure` for the figures, and `tables` and `goals` to read them by. One that `needsBaseline` gets the package as it once was. */
const sections = [
  stepCost,
  unusedFeatures,
  observers,
  widePlan,
  manyRuns,
  importTime,
  bundleSize,
  calculator,
  modelPlanning,
  storedRuns,
  postgres,
];

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    package: { type: "string" },
  },
});
const chosen = choose(options.only);
const { folders, remove } = prepareFolders(options.package, {
  needsBaseline: chosen.some(({ needsBaseline }) => needsBaseline),
});
const report = { machine: describeMachine(), isQuick: options.quick, sections: {}, goals: [] };

try {
  console.log(`\nNode ${report.machine.node}, ${report.machine.processors}${options.quick ? ", quick" : ""}`);
  for (const section of chosen) await runSection(section);
} finally {
  remove();
}
printTable("Goals", report.goals);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`);

function choose(names) {
  const unknown = names?.find((name) => !sections.some((section) => section.name === name));
  if (unknown !== undefined) {
    throw new Error(`There is no section "${unknown}", only ${sections.map(({ name }) => name).join(", ")}.`);
  }
  return sections.filter(({ name }) => names === undefined || names.includes(name));
}

async function runSection(section) {
  const before = loadavg()[0];
  const figures = await section.measure({ folders, isQuick: options.quick });
  const load = { before, after: loadavg()[0] };
  report.sections[section.name] = { load, figures };
  console.log(`\n## ${section.title} (load average ${before.toFixed(1)} to ${load.after.toFixed(1)})`);
  for (const { title, rows } of section.tables(figures)) printTable(title, rows);
  report.goals.push(...section.goals(figures).map(judge));
}

function judge({ what, measured, goal, isAtLeast = false }) {
  const isMet = isAtLeast ? measured >= goal : measured <= goal;
  return { what, measured, goal: `${isAtLeast ? "at least" : "at most"} ${goal}`, verdict: isMet ? "met" : "MISSED" };
}

function describeMachine() {
  const models = cpus();
  return { node: process.version, processors: `${models.length} x ${models[0]?.model}`, platform: process.platform };
}
