import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createCalculator, createNotes, createTodoStore, createWebSearch } from "planwright";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { algorithmTests, otherTests } from "./internal-imports.ts";
import { publicExports } from "./public-exports.ts";
import {
  circlesOf,
  hasTopLevelAwait,
  importsOf,
  isBuiltin,
  nodesOf,
  readSource,
  readSources,
  resolveRelative,
  type SourceFile,
} from "./source-files.ts";

const sources = readSources("src");

/** What each layer may import: of ours by path, then of packages. The first layer whose name a path begins with counts. */
const layers: readonly { readonly layer: string; readonly own: RegExp; readonly packages: RegExp }[] = [
  { layer: "src/async/", own: /^src\/async\//, packages: /^(p-retry|p-timeout|eventemitter3)$/ },
  { layer: "src/english/", own: /^src\/english\//, packages: /^$/ },
  { layer: "src/language/", own: /^src\/(core\/(phrase-syntax|remembered)\.ts|english\/|language\/)/, packages: /^$/ },
  { layer: "src/sums/", own: /^src\/(english|language|sums)\//, packages: /^$/ },
  { layer: "src/dates/", own: /^src\/(dates|english|language)\//, packages: /^$/ },
  { layer: "src/core/decimal.ts", own: /^src\/core\//, packages: /^decimal\.js$/ },
  {
    // Words are read above it: apps that only run plans load no English.
    layer: "src/core/",
    own: /^src\/(core|async)\//,
    packages: /^(zod\/v3|zod\/v4(\/core)?|zod-to-json-schema|@noble\/hashes\/(sha2|utils)\.js)$/,
  },
  { layer: "src/plan/expressions/", own: /^src\/(plan|core|async)\//, packages: /^$/ },
  { layer: "src/plan/", own: /^src\/(plan|core|async)\//, packages: /^zod\/v4$/ },
  {
    layer: "src/tools/calculator/",
    own: /^src\/(core|async|english|language|sums|tools\/calculator)\//,
    packages: /^zod\/v4$/,
  },
  { layer: "src/tools/storage/", own: /^src\/(core|tools\/storage)\//, packages: /^$/ },
  {
    layer: "src/tools/todo-store/",
    own: /^src\/(core|async|english|language|dates|tools\/(todo-store|storage))\//,
    packages: /^zod\/v4$/,
  },
  { layer: "src/tools/notes/", own: /^src\/(core|async|tools\/(notes|storage))\//, packages: /^zod\/v4$/ },
  { layer: "src/tools/web-search/", own: /^src\/(core|async|tools\/web-search)\//, packages: /^zod\/v4$/ },
  {
    layer: "src/planners/rules/",
    own: /^src\/(plan|core|async|english|language|dates|sums|planners\/rules)\//,
    packages: /^zod\/v4$/,
  },
  {
    layer: "src/planners/llm/",
    // What a model copies is read by the readers of the rules.
    own: /^src\/(plan|core|async|english|language|dates|planners\/(llm|rules))\//,
    packages: /^minisearch$/,
  },
  {
    layer: "src/planners/",
    // How many wishes a request has decides who plans it.
    own: /^src\/(plan|core|async|english|language)\/|^src\/planners\/([^/]+|rules\/cut-wishes\.ts)$/,
    packages: /^$/,
  },
  { layer: "src/adapters/ollama/", own: /^src\/(core|async|adapters\/ollama)\//, packages: /^ollama\/browser$/ },
  { layer: "src/adapters/ai-sdk/", own: /^src\/(core|async|adapters\/ai-sdk)\//, packages: /^$/ },
  { layer: "src/adapters/wllama/", own: /^src\/(core|async|adapters\/wllama)\//, packages: /^$/ },
  { layer: "src/adapters/metrics/", own: /^src\/(core|async|adapters\/(metrics|otel))\//, packages: /^$/ },
  { layer: "src/adapters/log/", own: /^src\/(core|async|adapters\/log)\//, packages: /^$/ },
  { layer: "src/adapters/otel/", own: /^src\/(core|async|adapters\/otel)\//, packages: /^@opentelemetry\/api$/ },
  {
    layer: "src/view/",
    own: /^src\/(core|view)\/|^src\/plan\/(references|hash-plan)\.ts$/,
    packages: /^$/,
  },
  {
    layer: "src/adapters/schemas/",
    own: /^src\/(core|async|adapters\/schemas)\//,
    packages: /^@cfworker\/json-schema$/,
  },
  {
    layer: "src/adapters/postgres/",
    own: /^src\/(core|async|adapters\/(sql|postgres)|tools\/(todo-store|notes))\//,
    packages: /^(node:(crypto|events)|pg)$/,
  },
  {
    // It stands above what runs agents, as the command does.
    layer: "src/adapters/dbos/",
    own: /^src\/(create-agent\.ts|(plan|core|async|runs|adapters\/(dbos|postgres))\/)/,
    packages: /^(node:crypto|@dbos-inc\/dbos-sdk|pg)$/,
  },
  {
    // What every database with SQL has in common.
    layer: "src/adapters/sql/",
    own: /^src\/(core|adapters\/sql|tools\/(todo-store|notes|storage))\//,
    packages: /^(node:crypto|zod\/v4)$/,
  },
  {
    layer: "src/adapters/sqlite/",
    own: /^src\/(core|async|adapters\/(sql|sqlite)|tools\/(todo-store|notes))\//,
    packages: /^(node:(crypto|fs|module|path|sqlite)|better-sqlite3|libsql)$/,
  },
  { layer: "src/runs/run/", own: /^src\/(plan|core|async|runs\/run)\//, packages: /^$/ },
  { layer: "src/runs/commands/", own: /^src\/(plan|core|async|runs\/(run|commands))\//, packages: /^$/ },
  { layer: "src/runs/steps/", own: /^src\/(plan|core|async|runs\/(run|commands|steps))\//, packages: /^$/ },
  { layer: "src/runs/planning/", own: /^src\/(plan|core|async|runs\/(run|planning))\//, packages: /^$/ },
  {
    layer: "src/runs/execution/",
    own: /^src\/(plan|core|async|runs\/(run|commands|steps|planning|execution))\//,
    packages: /^$/,
  },
  { layer: "src/runs/stored/", own: /^src\/(plan|core|async|runs\/(run|commands|steps|stored))\//, packages: /^$/ },
  {
    layer: "src/runs/resume/",
    own: /^src\/(plan|core|async|runs\/(run|commands|steps|planning|execution|stored|resume))\//,
    packages: /^$/,
  },
  { layer: "src/runs/", own: /^src\/(plan|core|async|runs)\//, packages: /^$/ },
  {
    layer: "src/dialogue/",
    own: /^src\/(plan|core|async|english|language|dates|sums|planners|dialogue)\//,
    packages: /^$/,
  },
  { layer: "src/stores/", own: /^src\/(core|async|stores)\//, packages: /^$/ },
  {
    layer: "src/agent.ts",
    own: /^src\/(describe-call\.ts|(plan|core|async|runs)\/)/,
    packages: /^$/,
  },
  { layer: "src/engine.ts", own: /^src\/((create-)?agent\.ts|(plan|core|runs|stores)\/)/, packages: /^$/ },
  {
    layer: "src/create-agent.ts",
    own: /^src\/(agent\.ts|(plan|core|async|dialogue|planners|runs|stores)\/)/,
    packages: /^$/,
  },
  // Its words are those of phrases, which are above what runs.
  {
    layer: "src/describe-",
    own: /^src\/(describe-call\.ts|(plan|core|planners|runs)\/)/,
    packages: /^$/,
  },
  {
    layer: "src/index.ts",
    own: /^src\/((create-agent|describe-plan)\.ts|(plan|core|async|tools|adapters\/ollama|planners|runs|stores)\/)/,
    packages: /^$/,
  },
  {
    layer: "src/testing/",
    own: /^src\/(?!cli\/|index\.ts)/,
    packages: /^(zod\/v4|p-retry|node:(assert\/strict|crypto|fs|http|net|path))$/,
  },
  {
    layer: "src/cli/",
    own: /^src\/(?!testing\/|index\.ts)/,
    packages: /^(commander|node:(crypto|fs|module|path|readline\/promises|url|util))$/,
  },
];

/** One line for each thing of a kind that a file has and should not. */
function findAll(files: readonly SourceFile[], describeNode: (node: ts.Node) => string | undefined): readonly string[] {
  return files.flatMap((file) =>
    [...nodesOf(file.tree)].flatMap((node) => {
      const found = describeNode(node);
      if (found === undefined) return [];
      return [`${file.path}:${file.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${found}`];
    }),
  );
}

const writers = /^(write|append)/;

/** What writes to a stream, or takes out of its holder what does; a stream itself may be handed on. */
function describeWriting(node: ts.Node): string | undefined {
  const name = nameTaken(node);
  if (name !== undefined && writers.test(name)) return name;
  if (name === "emitWarning" && ts.isCallExpression(node)) return name;
  if (ts.isIdentifier(node) && node.text === "console") return "console";
  const isStream = ts.isPropertyAccessExpression(node) && /^std(out|err)$/.test(node.name.text);
  return isStream && node.expression.getText() === "process" ? node.getText() : undefined;
}

function nameTaken(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node)) {
    return ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : undefined;
  }
  if (ts.isElementAccessExpression(node)) return node.argumentExpression.getText().slice(1);
  if (ts.isBindingElement(node) || ts.isImportSpecifier(node)) {
    return (node.propertyName ?? node.name).getText();
  }
  return undefined;
}

/** The files that one reaches, by import() too, and the packages that these import. */
function reachedFrom(entry: string) {
  const reached = new Set<string>();
  const packages: string[] = [];
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { specifier, isTypeOnly } of importsOf(readSource(path))) {
      if (isTypeOnly) continue;
      if (specifier.startsWith(".")) visit(resolveRelative(path, specifier));
      else packages.push(specifier);
    }
  };
  visit(entry);
  return { reached: [...reached], packages };
}

describe("imports", () => {
  it("point one way: each layer imports only what is below it, and its own packages", () => {
    const wrong = sources.flatMap((file) => {
      const rule = layers.find(({ layer }) => file.path.startsWith(layer));
      return importsOf(file).flatMap(({ specifier }) => {
        const isOwn = specifier.startsWith(".");
        const target = isOwn ? resolveRelative(file.path, specifier) : specifier;
        const isAllowed = (isOwn ? rule?.own : rule?.packages)?.test(target);
        return isAllowed ? [] : [`${file.path} imports ${target}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it("never run in a circle, not even by types or import()", () => {
    expect(circlesOf(sources)).toEqual([]);
  });

  it("load the language of expressions only where it is needed", () => {
    // Outside its folder only its types are imported, but for one import().
    const around = sources.filter(({ path }) => !path.startsWith("src/plan/expressions/"));
    const statically = around.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier, isTypeOnly }) => specifier.includes("expressions/") && !isTypeOnly)
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );
    expect(statically).toEqual(["src/plan/expressions.ts imports ./expressions/step-expressions.ts"]);
    expect(readSource("src/plan/expressions.ts").text).toContain('import("./expressions/step-expressions.ts")');
  });

  it("between our files end in .ts and lead to a file", () => {
    const paths = new Set(sources.map(({ path }) => path));
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith("."))
        .filter(({ specifier }) => !paths.has(resolveRelative(file.path, specifier)))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it("of types only are marked as such", () => {
    const wasted = sources.flatMap((file) =>
      importsOf(file)
        .filter(({ isWasted }) => isWasted)
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );
    expect(wasted).toEqual([]);
  });

  it("take zod as a namespace, of which a bundler keeps what is used", () => {
    // `z`, or what zod exports by default, is an object that holds all of it.
    const whole = /^import\s+(?!type\b)(\w+|[^;]*\bz\b[^;]*\})\s+from\s+"zod/gm;
    const shown = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
    const texts = [
      ...[...sources, ...readSources("examples")],
      ...["README.md", ...shown.map((name) => `docs/${name}`)].map((path) => ({
        path,
        text: readFileSync(path, "utf8"),
      })),
    ];
    const found = texts.flatMap(({ path, text }) => [...text.matchAll(whole)].map(([line]) => `${path}: ${line}`));
    expect(found).toEqual([]);
    expect(texts.filter(({ text }) => /^import \* as z from "zod/m.test(text)).length).toBeGreaterThan(20);
  });

  it("reach no module of Node from the main entry", () => {
    const { reached, packages } = reachedFrom("src/index.ts");
    expect(packages.filter(isBuiltin)).toEqual([]);
    expect(reached.length).toBeGreaterThan(50);
  });

  it("reach no rules and no English from planwright/engine, not even by import()", () => {
    const { reached } = reachedFrom("src/engine.ts");
    expect(
      reached.filter((path) => /^src\/(planners|dates|sums|english|language|tools|adapters)\//.test(path)),
    ).toEqual([]);
    expect(reached.length).toBeGreaterThan(50);
  });
});

describe("source files", () => {
  it("have no default exports, no enums and no export *", () => {
    const found = findAll(sources, (node) => {
      if (ts.isExportAssignment(node) || node.kind === ts.SyntaxKind.DefaultKeyword) {
        return ts.isDefaultClause(node.parent) ? undefined : "default export";
      }
      if (ts.isEnumDeclaration(node)) return "enum";
      return ts.isExportDeclaration(node) && node.exportClause === undefined ? "export *" : undefined;
    });
    expect(found).toEqual([]);
  });

  it("export no function, class or constant that no other file mentions", () => {
    const names = ["test", "scripts"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
    );
    const others = names.filter((name) => /\.m?[jt]s$/.test(name) && !name.includes("node_modules"));
    const texts = [...sources.map(({ text }) => text), ...others.map((path) => readFileSync(path, "utf8"))];
    const filesWith = new Map<string, number>();
    for (const text of texts)
      for (const word of new Set(text.match(/\w+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
    const exported = /^export (?:async )?(?:function\*?|class|const) (\w+)/gm;
    const found = sources.flatMap(({ path, text }) =>
      [...text.matchAll(exported)].flatMap(([, name = ""]) => (filesWith.get(name) === 1 ? [`${path}: ${name}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it("have no any and no non-null assertion", () => {
    const found = findAll(sources, (node) => {
      if (node.kind === ts.SyntaxKind.AnyKeyword) return "any";
      return ts.isNonNullExpression(node) ? "non-null assertion" : undefined;
    });
    expect(found).toEqual([]);
  });

  it("have no top-level await, which require() could not load", () => {
    expect(sources.filter(({ tree }) => hasTopLevelAwait(tree)).map(({ path }) => path)).toEqual([]);
  });

  it("have no comment that excludes code from coverage or from the compiler", () => {
    const hidden = sources.filter(({ text }) => /(v8|c8|istanbul) ignore|@ts-(ignore|nocheck|expect-error)/.test(text));
    expect(hidden.map(({ path }) => path)).toEqual([]);
  });
});

describe("the command line", () => {
  it("writes only through its printer", () => {
    const others = sources.filter(({ path }) => path.startsWith("src/cli/") && path !== "src/cli/printer.ts");
    expect(findAll(others, describeWriting)).toEqual([]);
    const printers = sources.filter(({ text }) => text.includes("output.write("));
    expect(printers.map(({ path }) => path)).toEqual(["src/cli/printer.ts"]);
  });
});

describe("shared code", () => {
  it("does not know any tool: the rules of the rule planner come from the tools", () => {
    const tools = [createCalculator(), createTodoStore(), createNotes(), createWebSearch({ search: () => [] })];
    const names = tools.flatMap(({ name }) => [name, `create${name}`]);
    const shared = sources.filter(({ path }) => /^src\/(core|async|english|plan|planners|runs|stores)\//.test(path));
    const found = shared.flatMap(({ path, text }) =>
      names.filter((name) => text.includes(name)).map((name) => `${path}: ${name}`),
    );
    expect(found).toEqual([]);
  });
});

describe("tests", () => {
  const insiders = readdirSync("test", { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.includes("node_modules"))
    .filter((path) =>
      ts
        .preProcessFile(readFileSync(`test/${path}`, "utf8"), true, true)
        .importedFiles.some(({ fileName }) => resolveRelative(`test/${path}`, fileName).startsWith("src/")),
    );
  const isAlgorithm = (path: string) => algorithmTests.some((listed) => path.startsWith(listed));

  it("import what users import, unless they are listed", () => {
    expect(insiders.filter((path) => !isAlgorithm(path) && !otherTests.includes(path))).toEqual([]);
  });

  it("are listed only as long as they import anything else", () => {
    expect(otherTests.filter((path) => isAlgorithm(path) || !insiders.includes(path))).toEqual([]);
    expect(algorithmTests.filter((listed) => !insiders.some((path) => path.startsWith(listed)))).toEqual([]);
  });
});

/** What a node of an entry exports: a name of another file, or what it declares. */
function exportsIn(node: ts.Node): readonly { readonly name: string; readonly isType: boolean }[] {
  if (ts.isExportSpecifier(node))
    return [{ name: node.name.text, isType: node.isTypeOnly || node.parent.parent.isTypeOnly }];
  const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  if (!isType && !ts.isFunctionDeclaration(node) && !ts.isVariableDeclaration(node)) return [];
  const isExported = (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export) !== 0;
  return isExported && node.name !== undefined ? [{ name: node.name.getText(), isType }] : [];
}

describe("the public surface", () => {
  it.each(Object.entries(publicExports))("of %s is exactly the listed exports", async (path, listed) => {
    const found = [...nodesOf(readSource(path).tree)].flatMap(exportsIn);
    // An overloaded function is declared several times.
    const names = (isType: boolean) => [
      ...new Set(found.filter((one) => one.isType === isType).map(({ name }) => name)),
    ];
    expect(names(false).sort()).toEqual([...listed.values].sort());
    expect(names(true).sort()).toEqual([...listed.types].sort());
    expect(Object.keys(await import(resolve(path))).sort()).toEqual([...listed.values].sort());
  });

  it("has an example beside every value", () => {
    const comments = sources.flatMap(({ text }) => [
      ...text.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\nexport (?:async )?(?:class|const|function) (\w+)/gs),
    ]);
    const shown = new Set(
      comments.filter(([, comment]) => /includeCode|```ts/.test(comment ?? "")).map(([, , name]) => name),
    );
    const values = Object.values(publicExports).flatMap((listed) => listed.values as readonly string[]);
    expect(values.filter((name) => !shown.has(name))).toEqual([]);
  });
});
