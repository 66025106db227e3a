import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix, sep } from "node:path";
import { expect, it } from "vitest";

/** Tests that are about no single file of src: folders, and files beside them. */
const aboutTheWhole: ReadonlySet<string> = new Set([
  "architecture.test.ts",
  "layout.test.ts",
  "option-tables.test.ts",
  "words.test.ts",
  "browser",
  "eval",
  "gold-plans",
  "kills",
  "long",
  "package",
  "random-plans",
  "real-models",
  "whole-runs",
]);

const allTests = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll(sep, "/"))
  .filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules/"));
const tests = allTests.filter((path) => !aboutTheWhole.has(path.split("/")[0] ?? ""));

it("each test has the path and the name of the file of src that it tests", () => {
  const sourceOf = (path: string) => posix.join("src", posix.dirname(path), `${posix.basename(path).split(".")[0]}.ts`);
  const lost = tests.filter((path) => !existsSync(sourceOf(path)));
  expect(lost.map((path) => `test/${path} tests no ${sourceOf(path)}`)).toEqual([]);
});

it("a further test of the same file is named by its aspect, in one or two words", () => {
  const wrong = tests.filter((path) => !/^[a-z0-9-]+(\.[a-z0-9]+(-[a-z0-9]+)?)?\.test\.ts$/.test(posix.basename(path)));
  expect(wrong).toEqual([]);
});

it("the folders for tests about the whole exist, and are not folders of src", () => {
  const isRight = (name: string) => existsSync(posix.join("test", name)) && !existsSync(posix.join("src", name));
  expect([...aboutTheWhole].filter((name) => !isRight(name))).toEqual([]);
});

it("no test but the long ones measures how long something takes, or says how long it waits", () => {
  const timed =
    /performance\.now|process\.(hrtime|cpuUsage)|Date\.now\(\) -|- Date\.now\(|\bvi\.wait(For|Until)\(|\.poll\(.*timeout:/;
  const textOf = (path: string) => readFileSync(posix.join("test", path), "utf8");
  const found = allTests.filter((path) => !path.startsWith("long/") && timed.test(textOf(path)));
  expect(found, "count steps instead, and wait with expect.poll").toEqual([]);
});
