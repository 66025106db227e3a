import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../new-folder.ts";

const script = resolve("scripts/release.mjs");
const who = { GIT_AUTHOR_NAME: "test", GIT_AUTHOR_EMAIL: "", GIT_COMMITTER_NAME: "test", GIT_COMMITTER_EMAIL: "" };
const env = { ...process.env, ...who, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

/** A repository with what a release changes. The script `check` is a piece of JavaScript. */
function newRepository({ unreleased = "- **Added:** a thing.\n", check = "" } = {}) {
  const cwd = newFolder();
  const write = (path: string, content: string | object) => {
    const file = join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
  };
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd, env, encoding: "utf8" }).trim();
  const read = (path: string) => readFileSync(join(cwd, path), "utf8");
  const state = () => `${git("status", "--porcelain")}${git("log", "--format=%H %s")}${git("tag")}`;
  const release = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, env, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const version = "0.1.9";
  write("package.json", { name: "planwright", version, scripts: { check: "node check.cjs" } });
  write("package-lock.json", { name: "planwright", version, packages: { "": { version }, other: { version } } });
  write("examples/web/package.json", { private: true, dependencies: { planwright: `^${version}` } });
  write("CHANGELOG.md", `# Changelog\n\n## [Unreleased]\n\n${unreleased}\n## [${version}] - 2026-01-01\n\n- Old.\n`);
  write("check.cjs", check);
  git("init", "--quiet", "-b", "main");
  git("add", ".");
  git("commit", "--quiet", "-m", "package: begins");
  return { write, git, read, state, release };
}

it("a dry run prints the steps, and changes nothing", () => {
  const { release, state } = newRepository({ check: "process.exit(1)" });
  const before = state();
  expect(release("minor", "--dry-run")).toEqual({
    status: 0,
    stderr: "",
    stdout: [
      "0.1.9 -> 0.2.0 (dry run: nothing is changed)",
      "write CHANGELOG.md, examples/web/package.json, package-lock.json, package.json",
      "npm run check",
      "git commit: release: 0.2.0",
      "git tag v0.2.0",
      "Then publish it by hand: git push --atomic origin main v0.2.0",
      "",
    ].join("\n"),
  });
  expect(state()).toBe(before);
});

it.each([
  ["patch", "0.1.10"],
  ["minor", "0.2.0"],
  ["major", "1.0.0"],
  ["0.12.0", "0.12.0"],
])("%s makes the version %s: files, one commit and a tag", (wanted, version) => {
  const { release, read, git } = newRepository();
  expect(release(wanted)).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(read("package.json")).version).toBe(version);
  expect(JSON.parse(read("package-lock.json"))).toEqual({
    ...{ name: "planwright", version },
    packages: { "": { version }, other: { version: "0.1.9" } },
  });
  expect(JSON.parse(read("examples/web/package.json")).dependencies).toEqual({ planwright: `^${version}` });
  expect(read("CHANGELOG.md").replace(/\d{4}-\d\d-\d\d/, "<today>")).toBe(
    `# Changelog\n\n## [Unreleased]\n\n## [${version}] - <today>\n\n- **Added:** a thing.\n\n## [0.1.9] - 2026-01-01\n\n- Old.\n`,
  );
  expect(git("status", "--porcelain")).toBe("");
  expect(git("log", "--format=%s")).toBe(`release: ${version}\npackage: begins`);
  expect(git("describe")).toBe(`v${version}`);
});

it("leaves everything as it was if the check fails", () => {
  const { release, state } = newRepository({ check: "process.exit(1)" });
  const before = state();
  const { status, stderr } = release("patch");
  expect({ status, isSame: state() === before }).toEqual({ status: 1, isSame: true });
  expect(stderr).toContain('"npm run check" failed. The files are as they were before; nothing was committed.\n');
});

type Repository = ReturnType<typeof newRepository>;

it.each<[string, readonly string[], string, ((repository: Repository) => unknown)?]>([
  ["no version", [], "Usage: npm run release -- <version|patch|minor|major> [--dry-run]"],
  ["two versions", ["patch", "minor"], "Usage: npm run release -- <version|patch|minor|major> [--dry-run]"],
  ["another word", ["v1"], 'Expected patch, minor, major or a version such as 1.2.3; received "v1".'],
  ["the same version", ["0.1.9"], "Version 0.1.9 is not higher than 0.1.9, the version in package.json."],
  ["an older version", ["0.0.10"], "Version 0.0.10 is not higher than 0.1.9, the version in package.json."],
  [
    "another branch",
    ["patch"],
    "A release is made on the branch main; this is topic.",
    ({ git }) => git("switch", "--quiet", "-c", "topic"),
  ],
  ["a tag that exists", ["patch"], "The tag v0.1.10 exists already.", ({ git }) => git("tag", "v0.1.10")],
  [
    "a change",
    ["patch"],
    "Commit or remove these changes first:\n?? notes.txt",
    ({ write }) => write("notes.txt", "later"),
  ],
])("refuses %s", (_, args, message, prepare) => {
  const repository = newRepository();
  prepare?.(repository);
  const before = repository.state();
  expect(repository.release(...args, "--dry-run")).toEqual({ status: 1, stdout: "", stderr: `${message}\n` });
  expect(repository.state()).toBe(before);
});

it("refuses to release nothing", () => {
  const { release } = newRepository({ unreleased: "" });
  expect(release("patch")).toEqual({
    ...{ status: 1, stdout: "" },
    stderr: "CHANGELOG.md has nothing under [Unreleased] to release.\n",
  });
});
