import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^planwright\/testing$/, replacement: source("./src/testing/index.ts") },
      { find: /^planwright$/, replacement: source("./src/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/long/**", "node_modules/**"],
    typecheck: { include: ["test/types/**/*.test-d.ts"] },
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/index.ts"],
      reporter: ["text-summary", "json-summary", "html"],
      thresholds: { lines: 95, branches: 90 },
    },
  },
});
