import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire, SourceMap, type SourceMapping } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
import { build } from "tsup";
import { beforeAll, describe, expect, it } from "vitest";
import { hasTopLevelAwait, importsOf, isBuiltin, readSource, resolveRelative } from "../source-files.ts";

// As deep below the repository as dist is, but not dist, so that nobody's build is touched.
const folder = ".build";
const require = createRequire(import.meta.url);

beforeAll(async () => {
  await build({ outDir: folder, dts: false, silent: true });
});

/** What a file imports. Each is parsed once: packages have files of thousands of lines. */
function specifiersOf(path: string): readonly string[] {
  const known = specifiers.get(path) ?? importsOf(readSource(path)).map(({ specifier }) => specifier);
  specifiers.set(path, known);
  return known;
}
const specifiers = new Map<string, readonly string[]>();

/** Every file that a built entry reaches, those of its packages included, and the modules of Node among their imports. */
function walk(entry: string) {
  const files = new Set<string>();
  const builtins: string[] = [];
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    for (const specifier of specifiersOf(path)) {
      if (isBuiltin(specifier)) builtins.push(`${path} imports ${specifier}`);
      else visit(specifier.startsWith(".") ? resolveFile(path, specifier) : require.resolve(specifier));
    }
  };
  visit(entry);
  return { files: [...files], builtins };
}

/** The file of a relative import; one of a package may leave out how it ends. */
function resolveFile(from: string, specifier: string): string {
  return require.resolve(resolve(resolveRelative(from, specifier)));
}

describe("the built package", () => {
  it.each(["index.js", "engine.js", "adapters/ai-sdk/index.js"])(
    "uses no module of Node in %s, not even through a package",
    (entry) => {
      expect(walk(join(folder, entry)).builtins).toEqual([]);
    },
  );

  it("uses only the expected modules of Node elsewhere, and the check sees packages", () => {
    const { files } = walk(join(folder, "index.js"));
    for (const name of ["p-retry", "ollama", "minisearch"]) {
      expect(files.filter((file) => file.includes(`node_modules/${name}/`))).not.toEqual([]);
    }
    // The conformance suites of planwright/testing assert, and its fake Ollama is a server.
    const ofTesting = walk(join(folder, "testing/index.js")).builtins.map((line) => line.split(" ").at(-1));
    expect([...new Set(ofTesting)].sort()).toEqual(["assert/strict", "http"]);
  });

  it("includes the licence of every package whose code it contains", () => {
    // The maps of all files, however each was built.
    const maps = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js.map"));
    const sources = maps.flatMap((name): string[] => JSON.parse(readFileSync(join(folder, name), "utf8")).sources);
    const packages = new Set(sources.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
    expect([...packages].sort()).toEqual(["@noble/hashes", "eventemitter3", "zod"]);
    const licences = readFileSync("THIRD-PARTY-LICENSES", "utf8");
    for (const name of packages) {
      const file = readdirSync(`node_modules/${name}`).find((each) => each.startsWith("LICENSE"));
      expect(licences).toContain(`## ${name}\n\n${readFileSync(`node_modules/${name}/${file}`, "utf8").trim()}\n`);
    }
    expect(require("../../package.json").files).toContain("THIRD-PARTY-LICENSES");
  });

  it("has source maps that lead every class to its source", () => {
    let classes = 0;
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".js.map") || name.startsWith("docs")) continue;
      const map = new SourceMap(JSON.parse(readFileSync(join(folder, name), "utf8")));
      const lines = readFileSync(join(folder, name.slice(0, -".map".length)), "utf8").split("\n");
      for (const [index, line] of lines.entries()) {
        const [, declared] = /^var (\w+) = class /.exec(line) ?? [];
        if (declared === undefined) continue;
        const { originalSource, originalLine } = map.findEntry(index, line.indexOf("class")) as SourceMapping;
        const source = readFileSync(join(folder, dirname(name), originalSource), "utf8").split("\n");
        expect(source[originalLine], `${declared} of ${originalSource}`).toContain(`class ${declared}`);
        classes++;
      }
    }
    expect(classes).toBeGreaterThan(50);
  });

  it("lets a bundler drop unused parts of zod", async () => {
    const contents = `import { createAgent, defineTool } from "./index.js"; import * as z from "zod/v4";
      globalThis.agent = createAgent({ tools: [defineTool({ name: "A", inputSchema: z.object({}) })] });`;
    const bundling = {
      stdin: { contents, resolveDir: resolve(folder) },
      outdir: "out",
      format: "esm",
      platform: "browser",
    } as const;
    const { metafile } = await esbuild({ ...bundling, bundle: true, splitting: true, write: false, metafile: true });
    const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
    expect(used.filter((path) => /zod\/v4\/locales\/(?!en\.|index\.)/.test(path))).toEqual([]);
    expect(used.filter((path) => path.includes("zod/v4/classic/schemas"))).not.toEqual([]);
  });

  it("bundles no converter of zod 3, and no expressions that are not asked for, with planwright/engine", async () => {
    const bundle = async (names: string, entry: string) => {
      const stdin = { contents: `export { ${names} } from "./${entry}.js";`, resolveDir: resolve(folder) };
      const bundling = { stdin, format: "esm", platform: "browser", bundle: true, write: false } as const;
      const { metafile, outputFiles } = await esbuild({ ...bundling, metafile: true, external: ["zod"] });
      const paths = Object.keys(metafile.inputs).filter((path) => path.includes("node_modules/zod-to-json-schema"));
      const code = outputFiles[0]?.text ?? "";
      const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
      const bytes = used.reduce(
        (sum, [path, { bytesInOutput }]) => sum + (paths.includes(path) ? bytesInOutput : 0),
        0,
      );
      return { hasConverter: bytes > 0, hasExpressions: code.includes("CelLimitExceeded") };
    };
    const all = "createAgent, createOrchestrator, defineTool, createMemoryRunStore";
    expect(await bundle(all, "engine")).toEqual({ hasConverter: false, hasExpressions: false });
    expect(await bundle(`${all}, createExpressions`, "engine")).toEqual({ hasConverter: false, hasExpressions: true });
    expect(await bundle("createAgent, defineTool", "index")).toEqual({ hasConverter: true, hasExpressions: true });
  });

  it("has no top-level await in any file, nor in a package that it loads", () => {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const built = names
      .filter((name) => name.endsWith(".js") && !name.startsWith("docs"))
      .map((name) => join(folder, name));
    const files = [...built, ...walk(join(folder, "index.js")).files];
    expect(files.filter((file) => hasTopLevelAwait(readSource(file).tree))).toEqual([]);
  });

  it("names no map, as none is in the package", () => {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.js$/.test(name));
    expect(names.filter((name) => readFileSync(join(folder, name), "utf8").includes("//# source"))).toEqual([]);
    expect(names).toContain(join("view", "index.js"));
  });

  it.each(["esm", "cjs"] as const)("finds a driver of SQLite beside a bundle that is %s", async (format) => {
    const outfile = join(folder, `bundled.${format === "esm" ? "mjs" : "cjs"}`);
    const contents = `import { createSqliteRunStore } from "./adapters/sqlite/index.js";
      createSqliteRunStore({ path: ":memory:", driver: "libsql" }).close(); console.log("opened");`;
    const { warnings } = await esbuild({
      stdin: { contents, resolveDir: resolve(folder) },
      logOverride: { "empty-import-meta": "silent" },
      ...{ outfile, format, platform: "node", bundle: true, logLevel: "silent" },
    });
    expect(warnings).toEqual([]);
    const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
    expect(stdout).toBe("opened\n");
  });

  it("says on an older Node which one it needs, and works where there is no Node", async () => {
    const versions = (node: string) =>
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: ${node} } });`;
    const load = (node: string) =>
      promisify(execFile)(process.execPath, [
        ...["--input-type=module", "-e"],
        `${versions(node)} import(${JSON.stringify(resolve(folder, "index.js"))}).then(() => console.log("loaded"), ({ message }) => console.log(message))`,
      ]);
    const needed = "planwright needs Node 20.19 or later";
    expect((await load('"18.20.8"')).stdout).toBe(`${needed} (this is 18.20.8).\n`);
    expect((await load('"20.18.9"')).stdout).toBe(`${needed} (this is 20.18.9).\n`);
    expect((await load('"20.19.0"')).stdout).toBe("loaded\n");
    expect((await load("undefined")).stdout).toBe("loaded\n");
  });

  it("can be loaded with require()", () => {
    const script = `console.log(typeof require(${JSON.stringify(resolve(folder, "index.js"))}).createAgent)`;
    expect(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }).trim()).toBe("function");
  });
});

// Each in a process of its own, so that what a first run loads is not there yet.
describe("the first run of a process", () => {
  const firstRun = async (name: string) => {
    const script = resolve("test/package/first-run.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [script, resolve(folder), name]);
    return JSON.parse(stdout);
  };

  it("times out and is retried by a manual clock", async () => {
    expect(await firstRun("retries")).toEqual({ calls: [1, 1, 2, 3], status: "completed", pendingTimers: 0 });
  });

  it("takes no time of a manual clock while code is loaded", async () => {
    expect(await firstRun("rules")).toEqual({ status: "completed", passedMs: 0 });
  });

  it("can be cancelled before its code is loaded", async () => {
    expect(await firstRun("cancelled")).toEqual({
      status: "cancelled",
      calls: 0,
      events: ["run-start", "step-skip", "run-end"],
    });
  });

  it("can reach its deadline while its code is loaded", async () => {
    expect(await firstRun("deadline")).toEqual({ status: "failed", code: "timeout", calls: 0 });
  });

  it("runs the plan as it was when the run started", async () => {
    expect(await firstRun("changed")).toEqual({ status: "completed", inputs: [{ n: 1 }] });
  });

  it("throws immediately for invalid options", async () => {
    expect(await firstRun("options")).toEqual({ thrown: "invalid-options" });
  });
});

describe("the built command", () => {
  const command = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(folder, "cli/main.js"), ...args], {
      env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: "1" },
    });

  it("plans and runs a request, and prints its result", async () => {
    const { stdout, stderr } = await command("Add a todo to buy milk, then show me all my tasks");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^Plan\n {2}s1 {2}add the todo "buy milk"\n {6}TodoStore/);
    expect(stdout).toContain('\nResult\n  Added "buy milk"');
  });

  it("prints its version", async () => {
    const { version } = require("../../package.json");
    expect((await command("--version")).stdout).toBe(`${version}\n`);
  });

  it("prints one sentence on an older Node", async () => {
    const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });';
    const args = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, join(folder, "cli/main.js"), "2+2"];
    await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
      ...{ code: 1, stdout: "", stderr: "planwright needs Node 20.19 or later (this is 18.20.8).\n" },
    });
  });

  it("exits with 2 if it cannot plan", async () => {
    await expect(command("Sing a song")).rejects.toMatchObject({ code: 2, stdout: "" });
  });
});
