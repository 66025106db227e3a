import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
/** Without what is built, and what is left out of a folder. */
const named: readonly string[] = manifest.files.filter((name: string) => name !== "dist" && !name.startsWith("!"));

it("names one repository; pages may link to its files, code never does", () => {
  const address = manifest.repository.url.replace(/^git\+(.*)\.git$/, "$1");
  expect(manifest.homepage).toBe(`${address}#readme`);
  expect(manifest.bugs).toBe(`${address}/issues`);
  const code = [...filesOf("src"), ...filesOf("examples")];
  expect(code.filter((path) => readFileSync(path, "utf8").includes(address))).toEqual([]);
});

it("all shipped files exist, and the changelog contains this version", () => {
  for (const name of named) expect(existsSync(name), name).toBe(true);
  expect(readFileSync("CHANGELOG.md", "utf8")).toContain(`\n## [${manifest.version}] - `);
});

it("CONTRIBUTING.md names files and scripts that exist", () => {
  const text = readFileSync("CONTRIBUTING.md", "utf8");
  const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);
  const paths = found(/\b((?:src|test|docs|examples)\/[\w./-]*\w)/g);
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  const scripts = found(/\bnpm run ([\w:]+)/g);
  expect(scripts.filter((name) => manifest.scripts[name] === undefined)).toEqual([]);
});

function filesOf(name: string): readonly string[] {
  const isFile = (path: string) => statSync(path).isFile();
  if (isFile(name)) return [name];
  const entries = readdirSync(name, { recursive: true, encoding: "utf8" });
  return entries.map((entry) => `${name}/${entry}`).filter(isFile);
}
