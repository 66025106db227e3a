import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { bundlers, loadedAtOnce } from "../bundlers.mjs";
import { round } from "../statistics.mjs";

const source = resolve(import.meta.dirname, "../../..");

/** What ours alone comes to: zod is left out. */
const ours = {
  agent: 'export { createAgent, defineTool } from "planwright";',
  whole: 'export * from "planwright";',
};

/** What an app has that defines a tool, as the README does. */
export const app = `
  import { createAgent, defineTool } from "planwright";
  import * as z from "zod/v4";
  const weather = defineTool({
    name: "Weather",
    description: "Current weather in a city",
    inputSchema: z.object({ city: z.string() }),
    outputSchema: z.object({ celsius: z.number() }),
    phrases: ["weather in {city}"],
    execute: () => ({ celsius: 15 }),
  });
  globalThis.agent = createAgent({ tools: [weather] });
`;

/** What an app that is bundled ships because of us. */
export const bundleSize = {
  name: "bundle",
  title: "Bundle, minified",

  async measure({ folders }) {
    const folder = folders.bench;
    const withZod = {};
    for (const [name, bundle] of Object.entries(bundlers)) {
      withZod[name] = sizesOf(await bundle({ program: app, folder }));
    }
    return {
      agent: sizesOf(await bundlers.esbuild({ program: ours.agent, folder, external: ["zod"] })),
      whole: sizesOf(await bundlers.esbuild({ program: ours.whole, folder, external: ["zod"] })),
      withZod,
      modules: await listModules(),
    };
  },

  tables: ({ agent, whole, withZod, modules }) => [
    {
      title: "Ours alone, by esbuild, kB",
      rows: [toRow("createAgent and defineTool", agent), toRow("the whole entry", whole)],
    },
    {
      title: "An app with one tool, with zod, kB",
      rows: Object.entries(withZod).map(([name, sizes]) => toRow(name, sizes)),
    },
    {
      title: "The largest modules of ours, loaded at once",
      rows: modules.map(({ path, bytes }) => ({ module: path, "minified, kB": round(bytes / 1_000) })),
    },
  ],

  goals: ({ agent, withZod }) => [
    {
      what: "createAgent and defineTool, loaded at once, gzip, kB",
      measured: round(agent.atOnce.gzip / 1_000),
      goal: 17,
    },
    ...Object.entries(withZod).map(([name, { atOnce }]) => ({
      what: `an app with one tool, with zod, by ${name}, loaded at once, gzip, kB`,
      measured: round(atOnce.gzip / 1_000),
      goal: 60,
    })),
  ],
};

function sizesOf(chunks) {
  const atOnce = loadedAtOnce(chunks);
  const sumUp = (some) => ({
    minified: some.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0),
    gzip: some.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0),
  });
  return { atOnce: sumUp([...atOnce]), later: sumUp(chunks.filter((chunk) => !atOnce.has(chunk))) };
}

/** The package's own files are merged already; only the source still knows which module is which. */
async function listModules() {
  const program = ours.agent.replace("planwright", "./src/index.ts");
  const bytesOf = new Map();
  for (const { inputs } of loadedAtOnce(await bundlers.esbuild({ program, folder: source, external: ["zod"] }))) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      bytesOf.set(path, (bytesOf.get(path) ?? 0) + bytesInOutput);
    }
  }
  const modules = [...bytesOf].map(([path, bytes]) => ({ path, bytes }));
  return modules.sort((left, right) => right.bytes - left.bytes).slice(0, 10);
}

function toRow(what, { atOnce, later }) {
  return {
    what,
    "at once, minified": round(atOnce.minified / 1_000),
    "at once, gzip": round(atOnce.gzip / 1_000),
    "by import(), minified": round(later.minified / 1_000),
    "by import(), gzip": round(later.gzip / 1_000),
  };
}
