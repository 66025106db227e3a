// Holds the code in README.md and docs/ against examples/: a line `<!-- examples/name.ts -->` is followed by a fenced block
// that is the file. `--write` puts the file's text there. A block of TypeScript that is no example must say so by a line
// `<!-- fragment -->`, as nothing checks that it compiles. Each link of a packed page to a file leads to one that is packed, too;
// to any other file of the repository it is an address of it. A link to a heading leads to one that is there. Each text in double quotes on some
// pages is a request of documented-requests.jsonl, which a test plans, or one of the texts below. Each name in the form of ours
// that a page marks as code is in the source. llms.txt lists each page of docs/ that is packed, and a skill is short.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { posix } from "node:path";

/** Texts in double quotes that are no requests, on pages whose others are. */
const noRequests = new Set([
  "Wash the dishes",
  "dishes",
  "Buy milk!",
  "buy milk",
  "C++",
  "C#",
  "my Shopping list",
  "both",
  "because the kitchen is late",
]);

const requests = readFileSync("test/package/documented-requests.jsonl", "utf8").trim().split("\n").map(JSON.parse);
const quotingPages = [
  "dialogue",
  "getting-started",
  "phrases",
  "planners",
  "tools/calculator",
  "tools/notes",
  "tools/todo-store",
];
const shouldWrite = process.argv.includes("--write");
const { files, repository } = JSON.parse(readFileSync("package.json", "utf8"));
const address = repository.url.replace(/^git\+(.*)\.git$/, "$1");
const maxSkillLines = 100;
const skills = listFiles("skills", ".md");
const guides = ["README.md", ...listFiles("docs", ".md"), ...skills];
const pages = [...guides, "AGENTS.md", "llms.txt"];
const problems = [];
let blocks = 0;

for (const page of ["README.md", ...quotingPages.map((name) => `docs/${name}.md`)]) checkRequests(page);
checkNames(guides.filter((page) => !/architecture|decisions/.test(page)));

for (const page of pages) {
  const before = readFileSync(page, "utf8");
  const after = fillIn(page, before.split("\n")).join("\n");
  if (shouldWrite && after !== before) writeFileSync(page, after);
  checkLinks(page, before);
}
for (const page of ["CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md"]) {
  checkLinks(page, readFileSync(page, "utf8"));
}
checkListed(readFileSync("llms.txt", "utf8"));
for (const page of skills) {
  const lines = readFileSync(page, "utf8").trimEnd().split("\n").length;
  if (lines > maxSkillLines) problems.push(`${page} has ${lines} lines; at most ${maxSkillLines} are allowed`);
}

for (const problem of problems) console.error(problem);
console.log(`${blocks} code blocks in ${pages.length} pages, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

function listFiles(folder, ending) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(ending));
  return names.map((name) => `${folder}/${name}`).sort();
}

/** An entry for each packed page, as https://llmstxt.org has it: a link and a note. */
function checkListed(list) {
  const listed = new Set([...list.matchAll(/^- \[[^\]]+\]\(([^)#]+)\): \S/gm)].map(([, path]) => path));
  for (const page of listFiles("docs", ".md"))
    if (isPacked(page) && page !== "docs/README.md" && !listed.has(page))
      problems.push(`llms.txt does not list ${page}`);
}

function checkRequests(page) {
  const known = requests.filter((row) => row.page === page).map(({ request }) => request);
  const quoted = quotesOf(readFileSync(page, "utf8"));
  for (const text of quoted)
    if (!known.includes(text) && !noRequests.has(text))
      problems.push(`${page}: "${text}" is not in documented-requests.jsonl`);
  for (const text of known)
    if (!quoted.includes(text)) problems.push(`${page}: "${text}" of documented-requests.jsonl is not there`);
}

/** The texts in double quotes of prose and of calls of the command, and of no other code. */
function quotesOf(page) {
  const text = page
    .replace(/<!--.*?-->/gs, "")
    .replace(/^```([^\n]*)$(.*?)^```$/gms, (_, language, code) =>
      /^(sh|console)$/.test(language) ? commandsOf(code) : "",
    )
    .replace(/`[^`]*`/g, "");
  return text
    .split("\n\n")
    .flatMap((part) => [...part.replace(/\s+/g, " ").matchAll(/"([^"]+)"/g)].map(([, quote]) => quote));
}

function commandsOf(code) {
  return code
    .split("\n")
    .filter((line) => /\bplanwright .*"|npm run demo/.test(line))
    .join("\n");
}

/** Names such as `requestApproval` and `cannot-plan` that nothing has: a slip, or the old name of something. */
function checkNames(pages) {
  const sources = ["src", "examples"].flatMap((folder) => listFiles(folder, ".ts"));
  const words = new Set(sources.flatMap((path) => readFileSync(path, "utf8").match(/[A-Za-z][\w-]*/g)));
  for (const page of pages) {
    const prose = readFileSync(page, "utf8").replace(/^```.*?^```$/gms, "");
    const names = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => namesIn(code));
    for (const name of new Set(names)) if (!words.has(name)) problems.push(`${page}: nothing in src/ is named ${name}`);
  }
}

function namesIn(code) {
  if (/^[a-z]+(-[a-z]+)+$/.test(code)) return [code];
  return code.replace(/"[^"]*"/g, "").match(/(?<![\w-])[a-z]+[A-Z]\w*/g) ?? [];
}

function checkLinks(page, text) {
  const raw = address.replace("github.com", "raw.githubusercontent.com");
  for (const [, target] of text.matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)"\s]+)/g)) {
    const [url, heading] = target.split("#");
    const base = [`${address}/blob/main/`, `${raw}/main/`].find((start) => url.startsWith(start));
    if (base === undefined && /^https?:/.test(url)) continue;
    const local = url === "" ? page : posix.join(posix.dirname(page), url);
    const path = base === undefined ? local : url.slice(base.length);
    if (!existsSync(path)) problems.push(`${page}: ${target} leads to no file`);
    else if (base === undefined && isPacked(page) && !isPacked(path)) {
      problems.push(`${page}: ${path} is not packed; link to ${address}/blob/main/${path}`);
    } else if (heading !== undefined && !headingsOf(path).has(heading)) {
      problems.push(`${page}: ${target} has no such heading`);
    }
  }
}

/** As npm reads `files`: the last entry that a path is below counts, and one with `!` leaves it out. */
function isPacked(path) {
  if (path === "README.md" || path === "LICENSE" || path === "package.json") return true;
  const entry = files.findLast((name) => `${path}/`.startsWith(`${name.replace(/^!/, "")}/`));
  return entry !== undefined && !entry.startsWith("!");
}

/** The headings of a page, as links name them. */
function headingsOf(page) {
  const headings = readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, text]) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** The lines of a page with every example as it should be; what differed is a problem. */
function fillIn(page, lines) {
  const filled = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    filled.push(line);
    const example = /^<!-- (examples\/\S+) -->$/.exec(line)?.[1];
    if (example !== undefined) {
      const found = readBlock(lines, index + 1);
      filled.push("", ...blockOf(page, { example, found: found?.text }));
      index = found?.end ?? index;
    } else if (line.startsWith("```")) {
      const block = readBlock(lines, index);
      const isFragment = lines.slice(0, index).findLast((text) => text !== "") === "<!-- fragment -->";
      if (/^```(ts|typescript|tsx)\b/.test(line) && !isFragment) {
        problems.push(`${page}:${index + 1}: TypeScript without an example; see test/package/check-docs.mjs`);
      }
      filled.push(...lines.slice(index + 1, block.end + 1));
      index = block.end;
    }
  }
  return filled;
}

/** The fenced block that begins at a line or behind empty ones, with the number of its last line. */
function readBlock(lines, from) {
  let start = from;
  while (lines[start] === "") start++;
  if (!lines[start]?.startsWith("```")) return undefined;
  const end = lines.findIndex((line, index) => index > start && line === "```");
  if (end === -1) throw new Error(`The block at line ${start + 1} has no end.`);
  return { text: lines.slice(start, end + 1).join("\n"), end };
}

function blockOf(page, { example, found }) {
  blocks++;
  if (!existsSync(example)) {
    problems.push(`${page}: there is no ${example}`);
    return found?.split("\n") ?? [];
  }
  const language = example.endsWith(".ts") ? "ts" : "text";
  const wanted = `\`\`\`${language}\n${readFileSync(example, "utf8").trimEnd()}\n\`\`\``;
  if (found !== wanted && !shouldWrite) {
    problems.push(`${page}: the block of ${example} differs; run "npm run check:docs -- --write"`);
  }
  return wanted.split("\n");
}
