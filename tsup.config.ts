import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "testing/index": "src/testing/index.ts",
    "cli/main": "src/cli/main.ts",
    // Not to be imported: as entries they get chunks of their own, which a bundler leaves out where they are not used.
    "tools/calculator": "src/tools/calculator/calculator.ts",
    "tools/todo-store": "src/tools/todo-store/todo-store.ts",
  },
  format: "esm",
  target: "node20",
  splitting: true,
  clean: true,
  // tsup 8.5 sets options that TypeScript 6 calls deprecated.
  dts: {
    entry: { index: "src/index.ts", "testing/index": "src/testing/index.ts" },
    compilerOptions: { ignoreDeprecations: "6.0" },
  },
});
