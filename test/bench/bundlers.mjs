import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as buildByEsbuild, transform } from "esbuild";
import { rollup } from "rollup";
import { build as buildByVite } from "vite";

/**
 * Bundles a program for a browser, minified, each bundler with what it does by default. Gives the chunks: their code, whether
 * they are the entry, and the names of those that they import at once; what comes by import() is not among these.
 */
export const bundlers = {
  esbuild: bundleByEsbuild,

  async rollup({ program, folder, external = [] }) {
    const input = writeProgram({ program, folder });
    const plugins = [nodeResolve({ browser: true })];
    const bundle = await rollup({ input, external, plugins, logLevel: "silent" });
    const { output } = await bundle.generate({ format: "es" });
    const minify = async (chunk) => ({ ...chunk, code: (await transform(chunk.code, { minify: true })).code });
    return (await Promise.all(output.map(minify))).map(readChunk);
  },

  async vite({ program, folder, external = [] }) {
    const input = writeProgram({ program, folder });
    const { output } = await buildByVite({
      configFile: false,
      root: folder,
      logLevel: "error",
      build: { write: false, rolldownOptions: { input, external } },
    });
    return output.map(readChunk);
  },
};

/** Each chunk has its `inputs`, too: how many bytes of which module. */
async function bundleByEsbuild({ program, folder, external = [], splitting = true }) {
  const { metafile, outputFiles } = await buildByEsbuild({
    stdin: { contents: program, resolveDir: folder, sourcefile: "program.js" },
    absWorkingDir: folder,
    outdir: "out",
    bundle: true,
    splitting,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external,
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const codeOf = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const chunks = Object.entries(metafile.outputs).map(([path, { entryPoint, imports, inputs }]) => ({
    name: basename(path),
    code: codeOf.get(basename(path)),
    isEntry: entryPoint === "program.js",
    imports: imports
      .filter(({ kind, external }) => kind === "import-statement" && !external)
      .map(({ path }) => basename(path)),
    inputs,
  }));
  return chunks;
}

/** The chunks that are loaded with the entry. */
export function loadedAtOnce(chunks) {
  const byName = new Map(chunks.map((chunk) => [chunk.name, chunk]));
  const reached = new Set();
  const visit = (chunk) => {
    // What was left out of the bundle has no chunk.
    if (chunk === undefined || reached.has(chunk)) return;
    reached.add(chunk);
    for (const name of chunk.imports) visit(byName.get(name));
  };
  visit(chunks.find(({ isEntry }) => isEntry));
  return reached;
}

function readChunk({ fileName, code, isEntry, imports }) {
  return { name: fileName, code, isEntry, imports };
}

function writeProgram({ program, folder }) {
  const path = join(folder, "program.js");
  writeFileSync(path, program);
  return path;
}
