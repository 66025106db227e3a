import { readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
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

const entries = {
  index: "src/index.ts",
  engine: "src/engine.ts",
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
};

/** The files that something loads by import(), and so by itself. */
function findLoadedAlone(): readonly string[] {
  const names = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return names.flatMap((name) => {
    const path = join("src", name);
    const found = readFileSync(path, "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g);
    return [...found].map(([, specifier = ""]) => join(dirname(path), specifier));
  });
}

/**
 * esbuild makes a chunk of the files that the same entries reach: fifty for `import "planwright"`. So that what every agent needs
 * is one chunk, each entry and all that is loaded by itself imports it here, and all that reads words imports what says them.
 * These imports name nothing, and are removed below.
 */
const fewChunks: Plugin = {
  name: "few-chunks",
  setup(building) {
    const shared = { engine: resolve("src/engine.ts"), words: resolve("src/planners/rules/say.ts") };
    const reaching = new Set([...Object.values(entries), ...findLoadedAlone()].map((path) => resolve(path)));
    building.onResolve({ filter: /^shared:/ }, ({ path }) => ({
      path: shared[path.slice("shared:".length) as keyof typeof shared],
      sideEffects: true,
    }));
    building.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      // The command says that Node is too old, where the engine only throws.
      if (!reaching.has(path) || path === resolve(entries["cli/main"])) return undefined;
      const readsWords = path === resolve("src/index.ts") || /\/(?:planners|tools\/.*phrases)/.test(path);
      const added = readsWords ? 'import "shared:engine";\nimport "shared:words";\n' : 'import "shared:engine";\n';
      return { contents: `${await readFile(path, "utf8")}\n${added}`, loader: "ts" };
    });
  },
};

export default defineConfig(({ outDir = "dist" }) => ({
  entry: entries,
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
  esbuildPlugins: [fewChunks],
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
