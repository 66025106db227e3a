// Releases a version: `npm run release -- <version|patch|minor|major> [--dry-run]`. On a clean `main`, it moves what CHANGELOG.md has
// under [Unreleased] to the version, sets the version, runs `npm run check`, commits and tags; it pushes nothing. With `--dry-run` it
// prints these steps and changes nothing.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

try {
  release(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function release(args) {
  const isDryRun = args.includes("--dry-run");
  const [wanted, ...others] = args.filter((arg) => arg !== "--dry-run");
  if (wanted === undefined || others.length > 0) {
    throw new Error("Usage: npm run release -- <version|patch|minor|major> [--dry-run]");
  }
  const current = readJson("package.json").version;
  const version = nextVersion(current, wanted);
  const tag = `v${version}`;
  checkRepository(tag);
  const before = new Map(versionedFiles().map((path) => [path, readFileSync(path, "utf8")]));
  const after = new Map([...before].map(([path, text]) => [path, withVersion(path, { text, version })]));
  const act = (words, action) => {
    console.log(words);
    if (!isDryRun) action();
  };

  console.log(`${current} -> ${version}${isDryRun ? " (dry run: nothing is changed)" : ""}`);
  act(`write ${[...after.keys()].join(", ")}`, () => write(after));
  try {
    act("npm run check", () => execFileSync("npm", ["run", "check"], { stdio: "inherit" }));
  } catch {
    write(before);
    throw new Error('"npm run check" failed. The files are as they were before; nothing was committed.');
  }
  act(`git commit: release: ${version}`, () => git("commit", "--quiet", "--all", "-m", `release: ${version}`));
  act(`git tag ${tag}`, () => git("tag", "-a", tag, "-m", `Version ${version}`));
  console.log(`Then publish it by hand: git push --atomic origin main ${tag}`);
}

/** The version that is meant; it must be higher than the current one. */
function nextVersion(current, wanted) {
  const [major, minor, patch] = numbersOf(current);
  const raised = {
    major: `${major + 1}.0.0`,
    minor: `${major}.${minor + 1}.0`,
    patch: `${major}.${minor}.${patch + 1}`,
  };
  const version = raised[wanted] ?? wanted;
  const numbers = numbersOf(version);
  const changed = numbers.findIndex((number, index) => number !== numbersOf(current)[index]);
  if (changed === -1 || numbers[changed] < numbersOf(current)[changed]) {
    throw new Error(`Version ${version} is not higher than ${current}, the version in package.json.`);
  }
  return version;
}

function numbersOf(version) {
  const parts = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(version);
  if (parts === null)
    throw new Error(`Expected patch, minor, major or a version such as 1.2.3; received "${version}".`);
  return parts.slice(1).map(Number);
}

function checkRepository(tag) {
  const branch = git("branch", "--show-current");
  if (branch !== "main") throw new Error(`A release is made on the branch main; this is ${branch || "no branch"}.`);
  const changes = git("status", "--porcelain");
  if (changes !== "") throw new Error(`Commit or remove these changes first:\n${changes}`);
  if (git("tag", "--list", tag) !== "") throw new Error(`The tag ${tag} exists already.`);
}

/** The examples depend on the version that they are released with. */
function versionedFiles() {
  const manifests = git("ls-files", "package.json", "package-lock.json", "examples/*/package.json").split("\n");
  return ["CHANGELOG.md", ...manifests];
}

function withVersion(path, { text, version }) {
  if (path === "CHANGELOG.md") return withRelease(text, version);
  const data = JSON.parse(text);
  if (path.startsWith("examples/")) data.dependencies.planwright = `^${version}`;
  else data.version = version;
  if (path === "package-lock.json") data.packages[""].version = version;
  return `${JSON.stringify(data, null, 2)}\n`;
}

function withRelease(changelog, version) {
  const heading = "\n## [Unreleased]\n";
  const [start, rest] = changelog.split(heading);
  if (rest === undefined) throw new Error("CHANGELOG.md has no heading [Unreleased].");
  const [entries] = rest.split("\n## [");
  if (entries.trim() === "") throw new Error("CHANGELOG.md has nothing under [Unreleased] to release.");
  return `${start}${heading}\n## [${version}] - ${new Date().toISOString().slice(0, 10)}\n${rest}`;
}

function write(texts) {
  for (const [path, text] of texts) writeFileSync(path, text);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function git(...args) {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}
