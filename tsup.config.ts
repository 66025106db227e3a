import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { defineConfig } from "tsup";

/** Pages and graphs are drawn in browsers, too: as one file without packages, and without what it shares with agents. */
const viewBuild = {
  entryPoints: { "view/index": "src/view/index.ts" },
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  sourcemap: "external",
  sourcesContent: false,
} as const;

export default defineConfig(({ outDir = "dist" }) => ({
  entry: {
    index: "src/index.ts",
    "adapters/ai-sdk/index": "src/adapters/ai-sdk/index.ts",
    "adapters/dbos/index": "src/adapters/dbos/index.ts",
    "adapters/log/index": "src/adapters/log/index.ts",
    "adapters/metrics/index": "src/adapters/metrics/index.ts",
    "adapters/otel/index": "src/adapters/otel/index.ts",
    "adapters/postgres/index": "src/adapters/postgres/index.ts",
    "adapters/schemas/index": "src/adapters/schemas/index.ts",
    "adapters/sqlite/index": "src/adapters/sqlite/index.ts",
    "adapters/wllama/index": "src/adapters/wllama/index.ts",
    "testing/index": "src/testing/index.ts",
    "cli/main": "src/cli/main.ts",
    // Not to be imported: as entries they get chunks of their own, which a bundler leaves out where they are not used.
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
    // The maps lead to src/, which is beside dist/ in the repository.
    options.sourcesContent = false;
    // Its build for bundlers needs no helpers of esbuild, which would be one more file to load.
    options.alias = { eventemitter3: "./node_modules/eventemitter3/dist/eventemitter3.esm.js" };
  },
  // Their licences are in THIRD-PARTY-LICENSES. The first is CommonJS, which as a package of its own takes a third of the time of
  // our import; the second would be 0.8 MB on disk, of which little is used.
  noExternal: ["eventemitter3", "@noble/hashes"],
  onSuccess: async () => {
    await build({ ...viewBuild, outdir: outDir });
  },
  plugins: [
    {
      // esbuild has each file import, without a name, all chunks that those it uses import. Nothing of ours does anything by being
      // imported, and a bundler would load them at once for it. Their lines stay, so that the maps hold.
      name: "no-bare-imports",
      renderChunk: (code) => ({ code: code.replace(/^import "\.[./]*\/chunk-[^"]+";$/gm, "") }),
    },
    {
      // The maps are not in the package, and tools warn of a file that names a map which is not there.
      name: "no-names-of-maps",
      buildEnd: async ({ writtenFiles }) => {
        for (const { name } of writtenFiles) {
          if (!name.endsWith(".js")) continue;
          await writeFile(name, (await readFile(name, "utf8")).replace(/\n\/\/# sourceMappingURL=\S+\n?$/, "\n"));
        }
      },
    },
  ],
}));
