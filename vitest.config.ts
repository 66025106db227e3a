import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// `--mode long` runs test/long, which takes more time than anybody waits for, `--mode engine` what needs a real engine, and `--mode
// browser` what needs one: all on demand.
const onDemand = {
  long: ["test/long/**/*.test.ts"],
  engine: [
    "test/real-models/tiny-model.test.ts",
    "test/real-models/ollama.test.ts",
    "test/real-models/constrained-answers.test.ts",
  ],
  browser: ["test/browser/*.test.ts"],
};

export default defineConfig(({ mode }) => {
  const isLong = mode === "long";
  const wanted = mode === "long" || mode === "engine" || mode === "browser" ? onDemand[mode] : undefined;
  return {
    resolve: {
      alias: [
        { find: /^planwright\/ai-sdk$/, replacement: source("./src/adapters/ai-sdk/index.ts") },
        { find: /^planwright\/log$/, replacement: source("./src/adapters/log/index.ts") },
        { find: /^planwright\/otel$/, replacement: source("./src/adapters/otel/index.ts") },
        { find: /^planwright\/postgres$/, replacement: source("./src/adapters/postgres/index.ts") },
        { find: /^planwright\/schemas$/, replacement: source("./src/adapters/schemas/index.ts") },
        { find: /^planwright\/sqlite$/, replacement: source("./src/adapters/sqlite/index.ts") },
        { find: /^planwright\/testing$/, replacement: source("./src/testing/index.ts") },
        { find: /^planwright\/view$/, replacement: source("./src/view/index.ts") },
        { find: /^planwright$/, replacement: source("./src/index.ts") },
      ],
    },
    test: {
      include: wanted ?? ["test/**/*.test.ts"],
      setupFiles: ["test/setup.ts"],
      // One for each processor: without it, one of them is left to the main process, which has little to do.
      maxWorkers: "100%",
      // Modules are loaded once for all files of a worker, which takes a quarter off: a test that needs its own resets them.
      isolate: false,
      exclude: ["**/node_modules/**", ...(wanted === undefined ? Object.values(onDemand).flat() : [])],
      passWithNoTests: isLong,
      // What grows is measured there: a small young generation takes more time the more there is.
      ...(isLong && { execArgv: ["--max-semi-space-size=256"] }),
      testTimeout: isLong ? 600_000 : 20_000,
      typecheck: { include: ["test/types/**/*.test-d.ts"] },
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
