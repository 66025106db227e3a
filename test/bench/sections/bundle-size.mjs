import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { round } from "../statistics.mjs";

const source = resolve(import.meta.dirname, "../../..");

/** What an app that is bundled ships of us, without zod. */
export const bundleSize = {
  name: "bundle",
  title: "Bundle, minified, without zod",

  async measure({ folders }) {
    const agent = 'export { createAgent, defineTool } from "planwright";';
    return {
      agent: await measureBundle(agent, folders.bench),
      whole: await measureBundle('export * from "planwright";', folders.bench),
      // The package's own files are merged already; only the source still knows which module is which.
      modules: await listModules(agent.replace("planwright", "./src/index.ts"), source),
    };
  },

  tables: ({ agent, whole, modules }) => [
    { title: "kB", rows: [toRow("createAgent and defineTool", agent), toRow("the whole entry", whole)] },
    {
      title: "The largest modules of the first, loaded at once",
      rows: modules.map(({ path, bytes }) => ({ module: path, "minified, kB": round(bytes / 1_000) })),
    },
  ],

  goals: ({ agent }) => [
    {
      what: "createAgent and defineTool, loaded at once, gzip, kB",
      measured: round(agent.atOnce.gzip / 1_000),
      goal: 15,
    },
  ],
};

async function bundle(contents, folder) {
  return build({
    stdin: { contents, resolveDir: folder, sourcefile: "entry.js" },
    absWorkingDir: folder,
    outdir: "out",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: ["zod"],
    metafile: true,
    write: false,
    logLevel: "error",
  });
}

async function measureBundle(contents, folder) {
  const { metafile, outputFiles } = await bundle(contents, folder);
  const atOnce = loadedAtOnce(metafile);
  const sumUp = (isWanted) => {
    const files = outputFiles.filter(({ path }) => isWanted(path));
    return {
      minified: files.reduce((sum, file) => sum + file.contents.length, 0),
      gzip: files.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0),
    };
  };
  const isAtOnce = (path) => [...atOnce].some((output) => path.endsWith(output));
  return { atOnce: sumUp(isAtOnce), later: sumUp((path) => !isAtOnce(path)) };
}

/** The entry and what it imports, and so on; what comes by import() is not among them. */
function loadedAtOnce({ outputs }) {
  const entry = Object.keys(outputs).find(
    (path) => outputs[path].entryPoint === "entry.js" || path.endsWith("stdin.js"),
  );
  const reached = new Set();
  const visit = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { path: imported, kind, external } of outputs[path].imports) {
      if (kind === "import-statement" && !external) visit(imported);
    }
  };
  visit(entry);
  return reached;
}

async function listModules(contents, folder) {
  const { metafile } = await bundle(contents, folder);
  const bytesOf = new Map();
  for (const output of loadedAtOnce(metafile)) {
    for (const [path, { bytesInOutput }] of Object.entries(metafile.outputs[output].inputs)) {
      bytesOf.set(path, (bytesOf.get(path) ?? 0) + bytesInOutput);
    }
  }
  const modules = [...bytesOf].map(([path, bytes]) => ({ path, bytes }));
  return modules.sort((left, right) => right.bytes - left.bytes).slice(0, 10);
}

function toRow(what, { atOnce, later }) {
  return {
    entry: what,
    "at once, minified": round(atOnce.minified / 1_000),
    "at once, gzip": round(atOnce.gzip / 1_000),
    "by import(), minified": round(later.minified / 1_000),
    "by import(), gzip": round(later.gzip / 1_000),
  };
}
