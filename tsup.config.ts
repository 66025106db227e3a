import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    "ai-sdk/index": "src/ai-sdk/index.ts",
    "sqlite/index": "src/sqlite/index.ts",
    "testing/index": "src/testing/index.ts",
    "cli/main": "src/cli/main.ts",
    // Not to be imported: as entries they get chunks of their own, which a bundler leaves out where they are not used.
    agent: "src/agent.ts",
    "tools/calculator": "src/tools/calculator/calculator.ts",
    "tools/notes": "src/tools/notes/notes.ts",
    "tools/todo-store": "src/tools/todo-store/todo-store.ts",
    "tools/web-search": "src/tools/web-search/web-search.ts",
  },
  format: "esm",
  target: "node20",
  splitting: true,
  clean: true,
  sourcemap: true,
  esbuildOptions: (options) => {
    // The source that the maps lead to is in the package.
    options.sourcesContent = false;
    // Its build for bundlers needs no helpers of esbuild, which would be one more file to load.
    options.alias = { eventemitter3: "./node_modules/eventemitter3/dist/eventemitter3.esm.js" };
  },
  // CommonJS, which as a package of its own takes a third of the time of our import. Its licence is in THIRD-PARTY-LICENSES.
  noExternal: ["eventemitter3"],
  // esbuild has each file import, without a name, all chunks that those it uses import. Nothing of ours does anything by being
  // imported, and a bundler would load them at once for it. Their lines stay, so that the maps hold.
  plugins: [
    {
      name: "no-bare-imports",
      renderChunk: (code) => ({ code: code.replace(/^import "\.{1,2}\/chunk-[^"]+";$/gm, "") }),
    },
  ],
});
