import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import manifest from "./package.json" with { type: "json" };

/** Each entry of the package, as the file of `src` that it is built from. */
const entries = Object.entries(manifest.exports).flatMap(([name, target]) => {
  if (typeof target === "string") return [];
  const source = target.default.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts");
  return [{ find: new RegExp(`^planwright${name.slice(1)}$`), replacement: resolve(import.meta.dirname, source) }];
});

// `--mode long` runs test/long, which takes more time than anybody waits for, `--mode scenarios` every scenario on PostgreSQL,
// `--mode ollama` what needs a real Ollama, and `--mode browser` what needs a browser: all on demand. `npm test` runs the projects
// that need no servers and few processes; CI runs the others, too, and `--mode second-node`.
const onDemand = {
  long: ["test/long/**/*.test.ts"],
  ollama: ["test/adapters/ollama/real-server.test.ts"],
  browser: ["test/browser/*.test.ts"],
};

const all = ["test/**/*.test.ts"];

/** What only computes, reads the sources, or takes long for what other files show, too, on a second version of Node. */
const alike = [
  ...["architecture", "words"].map((name) => `test/${name}.test.ts`),
  ...["kills/kills", "package/built", "package/deploy", "dates/read-dates.random"].map(
    (name) => `test/${name}.test.ts`,
  ),
  ...["gold-plans", "eval", "english", "language", "planners/rules"].map((folder) => `test/${folder}/**`),
];

/** What starts a database server. */
const servers = ["test/adapters/dbos/*.test.ts", "test/adapters/postgres/*.test.ts", "test/kills/*.postgres.test.ts"];

/** What starts many processes, or builds the package. */
const processes = [
  ...["kills/kills", "kills/secrets", "leaks/leaks", "package/built", "package/deploy"],
  ...["adapters/sqlite/*.processes", "adapters/sqlite/database-file.damage"],
].map((name) => `test/${name}.test.ts`);

/** What replaces a part of the whole process, or listens to it: whatever another file has left running would show. */
const concernsProcess = /\bvi\.(useFakeTimers|mock|doMock|resetModules|spyOn)\b|\bunhandledRejection\b/;

/** What runs on a server of its project as well. */
const playsScenario = /\/scenario\/(run-scenario|run-several|resume-from|resume-everywhere|two-processes)\.ts/;

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules"))
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

const alone = files.filter(({ text }) => concernsProcess.test(text)).map(({ path }) => path);

/** One server for all files of a project. */
const onServer = { globalSetup: ["test/scenario/postgres-setup.ts"] };

/** What expects an order of turns, which a database changes. */
const byTurns = [/\/steps\/limits\.test\.ts$/, /\/leases\.test\.ts$/, /\.concurrent\.test\.ts$/];

/** What concerns the store most; all of them with `--mode scenarios`. */
const ofStore = [/^test\/golden\//, /^test\/runs\/(resume\/resume-run|commands\/commands\.decide)\./];

/** Each must match a file, or what was renamed leaves the selection. */
export const selections: readonly (string | RegExp)[] = [
  ...Object.values(onDemand).flat(),
  ...alike,
  ...servers,
  ...processes,
  ...byTurns,
  ...ofStore,
];

const scenarios = files
  .filter(
    ({ path, text }) => playsScenario.test(text) && !byTurns.some((each) => each.test(path)) && !alone.includes(path),
  )
  .map(({ path }) => path);

export default defineConfig(({ mode }) => {
  const isLong = mode === "long";
  const patienceMs = isLong ? 600_000 : 300_000;
  const wanted =
    mode in onDemand ? onDemand[mode as keyof typeof onDemand] : mode === "scenarios" ? scenarios : undefined;
  const unwanted = [
    "**/node_modules/**",
    ...(wanted === undefined ? Object.values(onDemand).flat() : []),
    ...(mode === "second-node" ? alike : []),
  ];
  return {
    resolve: {
      alias: entries,
    },
    test: {
      setupFiles: ["test/setup.ts"],
      // One for each processor: without it, one of them is left to the main process, which has little to do.
      maxWorkers: "100%",
      exclude: unwanted,
      passWithNoTests: isLong,
      // What grows is measured there: a small young generation takes more time the more there is.
      ...(isLong && { execArgv: ["--max-semi-space-size=256"] }),
      // Only patience, so that a test that hangs ends: nothing is claimed of time, as other work may have the processors.
      testTimeout: patienceMs,
      hookTimeout: patienceMs,
      expect: { poll: { timeout: patienceMs / 3 } },
      typecheck: { include: ["test/types/**/*.test-d.ts"] },
      ...(wanted === undefined
        ? {
            projects: [
              // The files of a worker share their modules, which takes a quarter off.
              {
                extends: true as const,
                test: {
                  name: "shared",
                  include: all,
                  isolate: false,
                  exclude: [...unwanted, ...alone, ...servers, ...processes],
                },
              },
              {
                extends: true as const,
                test: {
                  name: "processes",
                  include: processes,
                  isolate: false,
                  exclude: unwanted,
                  typecheck: { enabled: false },
                },
              },
              {
                extends: true as const,
                test: { name: "servers", include: servers, isolate: false, typecheck: { enabled: false } },
              },
              {
                extends: true as const,
                test: {
                  name: "servers-scenarios",
                  include: scenarios.filter((path) => ofStore.some((each) => each.test(path))),
                  isolate: false,
                  ...onServer,
                  typecheck: { enabled: false },
                },
              },
              {
                extends: true as const,
                test: { name: "alone", include: alone, exclude: servers, typecheck: { enabled: false } },
              },
            ],
          }
        : { include: wanted, ...(mode === "scenarios" && { ...onServer, isolate: false }) }),
      coverage: {
        provider: "v8",
        include: ["src/**/*.ts"],
        exclude: ["src/index.ts"],
        reporter: ["text-summary", "json-summary", "html"],
        thresholds: { lines: 95, branches: 90 },
      },
    },
  };
});
