// Packs what is built and checks the tarball: each export leads to files that are in it, types included; nothing is in it that
// it needs not, and it is no larger than promised. README and docs quote its sizes between `<!-- size:name -->` and
// `<!-- /size -->`: a figure that is off by more than one in its last digit is a problem. `--write` puts the right one there.
import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, posix, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { bundlers, loadedAtOnce } from "../bench/bundlers.mjs";
import { app } from "../bench/sections/bundle-size.mjs";
import { interleave, median, medianRatio } from "../bench/statistics.mjs";

const maxTarballBytes = 900_000;
const maxInstalledBytes = 3_200_000;
/** Of JavaScript without zod, minified by esbuild, as gzip -9. */
const maxBundled = { atOnce: 47_000, oneFile: 252_000, engine: 103_000 };
const maxFilesLoaded = 30;
const shouldWrite = process.argv.includes("--write");
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const problems = [];
const folder = mkdtempSync(join(tmpdir(), "planwright-packed-"));

try {
  const printed = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]);
  const [{ filename, files, size, unpackedSize }] = JSON.parse(printed);
  const packed = new Set(files.map(({ path }) => path));
  checkTargets(packed);
  checkContent(packed);
  checkSize("The tarball", size, maxTarballBytes);
  checkSize("The package, unpacked,", unpackedSize, maxInstalledBytes);
  const tarball = join(folder, filename);
  runTool("publint", ["--strict", tarball]);
  // That `require` gives an ES module is meant: each Node of "engines" can load one.
  runTool("attw", [tarball, "--ignore-rules", "cjs-resolves-to-esm"]);
  const installed = linkInstalled(tarball);
  const bundle = await bundlers.esbuild({ program: app, folder });
  const atOnce = [...loadedAtOnce(bundle)].map(({ code }) => gzipSync(code).length);
  const loading = await measureLoading();
  const sizes = {
    packages: String(installed.size),
    installed: inMegabytes([...installed.values()].reduce((sum, bytes) => sum + bytes, 0)),
    own: inMegabytes(installed.get("planwright")),
    tarball: inMegabytes(size),
    bundle: `${Math.round(atOnce.reduce((sum, bytes) => sum + bytes, 0) / 1e3)} kB`,
    oneFile: `${Math.round(loading.oneFile / 1e3)} kB`,
    engine: `${Math.round(loading.engine / 1e3)} kB`,
  };
  console.log(`${filename}: ${packed.size} files`, { ...sizes, tarballBytes: size, unpackedBytes: unpackedSize });
  console.log("What loads", loading);
  quote(sizes);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function runTool(name, args) {
  const { status, stdout, stderr } = spawnSync(resolve("node_modules/.bin", name), args, { encoding: "utf8" });
  if (status !== 0) problems.push(`${name} ${args.join(" ")}:\n${stdout}${stderr}`);
}

/** What package.json names is there, and each entry has its declarations, for every way of looking for them. */
function checkTargets(packed) {
  const { main, types, bin, exports, typesVersions } = manifest;
  const older = typesVersions["*"];
  const targets = [main, types, ...Object.values(bin), ...Object.values(older).flat()];
  for (const [name, target] of Object.entries(exports)) {
    if (typeof target === "string") {
      targets.push(target);
      continue;
    }
    targets.push(...Object.values(target));
    if (!target.types?.endsWith(".d.ts")) problems.push(`The export "${name}" names no declarations.`);
    const found = name === "." ? types : older[name.slice(2)]?.[0];
    if (found !== target.types) problems.push(`"types" or "typesVersions" has other declarations for "${name}".`);
  }
  for (const target of targets) {
    if (!packed.has(posix.normalize(target))) problems.push(`package.json names ${target}, which is not packed.`);
  }
}

/** No sources, no maps and nothing that names one; no type that TypeScript before 5.7 lacks. */
function checkContent(packed) {
  for (const path of packed) {
    if (/^src\/|\.map$|^docs\/(decisions|pictures)\//.test(path)) problems.push(`${path} is packed.`);
    if (!/^dist\/.*\.(js|d\.ts)$/.test(path)) continue;
    const text = readFileSync(path, "utf8");
    if (text.includes("//# sourceMappingURL=")) problems.push(`${path} names a map, which is not packed.`);
    if (path.endsWith(".d.ts") && /\bUint8Array</.test(text)) problems.push(`${path} has a generic Uint8Array.`);
    if (text.includes("{@includeCode")) problems.push(`${path} has a tag that only TypeDoc reads.`);
    for (const [, example] of text.matchAll(/\* Example: `([^`]+)`/g))
      if (!packed.has(example)) problems.push(`${path} names ${example}, which is not packed.`);
  }
}

function checkSize(what, bytes, max) {
  if (bytes > max) problems.push(`${what} has ${bytes} bytes; at most ${max} are allowed.`);
}

/** Puts the package, zod and what they depend on beside each other, as npm does; gives the bytes of each. */
function linkInstalled(tarball) {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  execFileSync("tar", ["-xzf", tarball, "-C", modules]);
  const own = join(modules, "planwright");
  execFileSync("mv", [join(modules, "package"), own]);
  const sizes = new Map([["planwright", sizeOf(own)]]);
  const visit = (name) => {
    if (sizes.has(name)) return;
    const source = resolve("node_modules", name);
    sizes.set(name, sizeOf(source));
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(source, join(modules, name));
    const { dependencies = {} } = createRequire(import.meta.url)(join(source, "package.json"));
    for (const each of Object.keys(dependencies)) visit(each);
  };
  for (const name of ["zod", ...Object.keys(manifest.dependencies)]) visit(name);
  return sizes;
}

/** Times are printed, and not judged: other work may have the processors. */
async function measureLoading() {
  const parts = "{ createAgent, defineTool }";
  const bundled = {};
  for (const [name, entry, splitting] of [
    ["atOnce", "planwright", true],
    ["oneFile", "planwright", false],
    ["engine", "planwright/engine", false],
  ]) {
    const program = `export ${parts} from "${entry}";`;
    const chunks = await bundlers.esbuild({ program, folder, external: ["zod"], splitting });
    bundled[name] = [...loadedAtOnce(chunks)].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
    checkSize(`${parts} of "${entry}", ${splitting ? "at once" : "in one file"},`, bundled[name], maxBundled[name]);
  }
  const files = filesLoadedBy(join(folder, "node_modules/planwright/dist/index.js")).size;
  if (files > maxFilesLoaded)
    problems.push(`"planwright" loads ${files} files; at most ${maxFilesLoaded} are allowed.`);
  const samples = await interleave(
    { ours: () => timeImports(["planwright"]), loop: () => timeImports(["zod", "p-retry", "p-timeout"]) },
    { rounds: 11, warmUps: 1 },
  );
  const importMs = Math.round(median(samples.ours));
  return { ...bundled, files, importMs, importRatio: medianRatio(samples.ours, samples.loop).toFixed(2) };
}

function filesLoadedBy(path, loaded = new Set()) {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  const imports = readFileSync(path, "utf8").matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)";/gm);
  for (const [, specifier] of imports) filesLoadedBy(join(dirname(path), specifier), loaded);
  return loaded;
}

function timeImports(names) {
  const imports = names.map((name) => `import("${name}")`).join(", ");
  const program = `const started = performance.now(); await Promise.all([${imports}]); console.log(performance.now() - started);`;
  const options = { cwd: folder, encoding: "utf8" };
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], options));
}

function sizeOf(path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.reduce((sum, each) => sum + statSync(each).size, 0);
}

function inMegabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Whether two sizes differ by one in the last digit at most, so that a byte more is no problem. Counts must be the same. */
function isNear(figure, measured) {
  const [, decimals = "", unit] = /^\d+(?:\.(\d+))?(\D*)$/.exec(measured);
  if (unit === "" || !figure.endsWith(unit)) return figure === measured;
  return Math.abs(parseFloat(figure) - parseFloat(measured)) < 1.5 * 10 ** -decimals.length;
}

function quote(sizes) {
  const pages = readdirSync("docs", { recursive: true }).map((name) => join("docs", name));
  for (const page of ["README.md", ...pages].filter((name) => name.endsWith(".md"))) {
    const before = readFileSync(page, "utf8");
    const after = before.replace(/(<!-- size:(\w+) -->)(.*?)(<!-- \/size -->)/g, (_all, start, name, figure, end) => {
      if (sizes[name] === undefined) problems.push(`${page}: there is no size "${name}".`);
      else if (!isNear(figure, sizes[name]) && !shouldWrite) {
        problems.push(`${page}: ${name} is ${sizes[name]}, not ${figure}; run "npm run check:package -- --write".`);
      }
      return start + (sizes[name] ?? figure) + end;
    });
    if (shouldWrite && after !== before) writeFileSync(page, after);
  }
}
