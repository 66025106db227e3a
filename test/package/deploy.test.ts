import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

const folder = "examples/deploy";
const read = (name: string) => readFileSync(join(folder, name), "utf8");

interface Service {
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly depends_on?: object;
  readonly stop_grace_period?: string;
}

const { services } = parse(read("compose.yaml"), { merge: true }) as { services: Readonly<Record<string, Service>> };
const unit = read("planwright-worker@.service");
const setting = (key: string) => new RegExp(`^${key}=(.*)$`, "m").exec(unit)?.[1] ?? "";

/** What the processes read of their environment. */
const readNames = /const \{(.*)\} = process\.env/.exec(read("settings.ts"))?.[1] ?? "";
const known = new Set(readNames.match(/[A-Z_]{2,}/g));
/** How long a worker lets running steps end. */
const closeMs = Number(/timeoutMs: ([\d_]+)/.exec(read("worker.ts"))?.[1]?.replaceAll("_", ""));

it("compose.yaml starts files of the image with the environment that they read", () => {
  const own = Object.values(services).filter(({ command }) => command !== undefined);
  expect(own).toHaveLength(2);
  for (const { command = [], depends_on = {} } of own) {
    expect(command).toEqual(["node", expect.stringMatching(/^\w+\.ts$/)]);
    expect(existsSync(join(folder, command[1] ?? ""))).toBe(true);
    expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(depends_on)));
  }
  expect(new Set(own.flatMap(({ environment }) => Object.keys(environment)))).toEqual(known);
  expect(read("Dockerfile")).toContain("COPY *.ts");
});

it("a worker has more time to stop than it takes", () => {
  expect(closeMs).toBeGreaterThan(0);
  for (const time of [services.worker?.stop_grace_period, setting("TimeoutStopSec")]) {
    expect(Number.parseInt(time ?? "", 10) * 1_000).toBeGreaterThan(closeMs + 2_000);
  }
});

it("the unit starts a file that exists, with an environment that is read", () => {
  expect(setting("ExecStart")).toBe("node worker.ts");
  const file = setting("EnvironmentFile").split("/").at(-1) ?? "";
  const names = [...read(file).matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(names).toContain("DATABASE_URL");
  expect([...known]).toEqual(expect.arrayContaining(names));
});

it("systemd finds nothing wrong with the unit", ({ skip, onTestFinished }) => {
  const isThere = spawnSync("systemd-analyze", ["--version"]).status === 0;
  if (!isThere) console.log("skipped: there is no systemd-analyze");
  skip(!isThere, "there is no systemd-analyze");
  const temporary = mkdtempSync(join(tmpdir(), "planwright-unit-"));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  const complaints = (text: string) => {
    const path = join(temporary, "planwright-worker@.service");
    // It also looks for the command, which is where this test has it from.
    writeFileSync(path, text.replace("ExecStart=node", `ExecStart=${process.execPath}`));
    const { stdout, stderr } = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
    return `${stdout}${stderr}`.split("\n").filter((line) => line.includes("planwright-worker"));
  };
  expect(complaints(unit)).toEqual([]);
  expect(complaints(unit.replace("TimeoutStopSec", "TimeoutStop"))).not.toEqual([]);
});

it("what the application depends on is what it imports, of the versions that are tested", () => {
  const { dependencies } = JSON.parse(read("package.json"));
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const sources = ["agent.ts", "web.ts", "worker.ts"].map(read).join("\n");
  const imported = [...sources.matchAll(/from "((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => name);
  const { "@dbos-inc/dbos-sdk": dbos, planwright, ...others } = dependencies;
  expect(imported).toEqual(expect.arrayContaining(["planwright", ...Object.keys(others)]));
  expect({ planwright, dbos }).toEqual({
    planwright: `^${manifest.version}`,
    dbos: manifest.devDependencies["@dbos-inc/dbos-sdk"],
  });
  expect(others).toEqual({ pg: manifest.devDependencies.pg, zod: manifest.devDependencies.zod });
});

it("errors have the HTTP statuses that the documentation says", () => {
  const docs = readFileSync("docs/errors.md", "utf8");
  const rows = [...docs.matchAll(/^\| (4\d\d|5\d\d)[^|]* \| (.*) \|$/gm)];
  const documented = rows.flatMap(([, status, codes = ""]) =>
    [...codes.matchAll(/`([\w-]+)`/g)].map(([, code = ""]): [string, number] => [code, Number(status)]),
  );
  const [, table = ""] = /const statuses[^{]*\{([^}]*)\}/.exec(read("web.ts")) ?? [];
  const written = [...table.matchAll(/"?([\w-]+)"?: (\d+)/g)].map(([, code = "", status]) => [code, Number(status)]);
  expect(documented.length).toBeGreaterThan(10);
  expect(written).toEqual(documented);
  const [, others] = /if \(!isAgentError\(thrown\)\) return \{ status: (\d+)/.exec(read("web.ts")) ?? [];
  expect(docs).toContain(`| ${others} | all other codes, and any other error |`);
  // Each stands once, and is described on the page.
  expect(new Set(documented.map(([code]) => code)).size).toBe(documented.length);
  for (const [code] of documented) expect(docs).toContain(`\n## ${code}\n`);
});
