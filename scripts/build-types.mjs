// Writes the declarations into dist/. The compiler writes those of every file; here those stay that an entry leads to.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const { files } = JSON.parse(readFileSync("tsconfig.build.json", "utf8"));
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });

const reached = new Set();
for (const file of files) visit(file.replace(/^src/, "dist").replace(/\.ts$/, ".d.ts"));
for (const name of readdirSync("dist", { recursive: true })) {
  const path = join("dist", name);
  if (path.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
}

function mayImport(path, name) {
  if (name === "zod/v4") return path.endsWith("core/plan.d.ts");
  return name === "@opentelemetry/api" && path.includes("adapters/otel");
}

/** Follows the imports of a declaration, and has them name the built files. */
function visit(path) {
  if (reached.has(path)) return;
  reached.add(path);
  const text = readFileSync(path, "utf8");
  const [, name] = /^(?:import|export)(?: type)? (?:\{[^}]*\}|\*(?: as \w+)?|\w+) from "([^.][^"]*)"/m.exec(text) ?? [];
  if (name !== undefined && !mayImport(path, name)) {
    throw new Error(
      `${path} imports ${name}: only planSchema and telemetry may need a package's types. Mark what does as @internal.`,
    );
  }
  for (const [, specifier] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g)) {
    visit(join(dirname(path), `${specifier}.d.ts`));
  }
  const published = text.replace(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"');
  // Only TypeDoc reads the tag; the package has the examples.
  writeFileSync(
    path,
    published.replace(/\{@includeCode (?:\.\.\/)+(examples\/[\w.-]+)\}/g, "Example: `$1` of the package."),
  );
}
