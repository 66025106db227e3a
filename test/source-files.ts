import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import ts from "typescript";

/** A file, parsed. */
export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** What a file imports or exports from elsewhere. */
export interface Import {
  readonly specifier: string;
  /** Gone once types are removed. */
  readonly isTypeOnly: boolean;
  /** Loads nothing but types, yet is not written as `import type`, so that the module is loaded all the same. */
  readonly isWasted: boolean;
}

/** Reads and parses a file. */
export function readSource(path: string): SourceFile {
  const text = readFileSync(path, "utf8");
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/** All TypeScript files below a folder. */
export function readSources(folder: string): readonly SourceFile[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readSource(join(folder, name).replaceAll("\\", "/")));
}

/** All nodes of a tree. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

function childrenOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

/** What a file imports, by declarations, by `import()`, by `require()` and in types. */
export function importsOf({ tree }: SourceFile): readonly Import[] {
  const imports: Import[] = [];
  for (const node of nodesOf(tree)) {
    const found = importOf(node);
    if (found !== undefined) imports.push(found);
  }
  return imports;
}

function importOf(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) {
    const { importClause } = node;
    const bindings = importClause?.namedBindings;
    const elements = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [];
    const isTypeOnly = importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    const isWasted = !isTypeOnly && elements.length > 0 && elements.every((element) => element.isTypeOnly);
    return describe(node.moduleSpecifier, { isTypeOnly, isWasted: isWasted && importClause?.name === undefined });
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return describe(node.moduleSpecifier, { isTypeOnly: node.isTypeOnly, isWasted: false });
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return describe(node.argument.literal, { isTypeOnly: true, isWasted: false });
  }
  if (!ts.isCallExpression(node)) return undefined;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === "require";
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isRequire || isImport ? describe(node.arguments[0], { isTypeOnly: false, isWasted: false }) : undefined;
}

function describe(specifier: ts.Node | undefined, flags: Omit<Import, "specifier">): Import | undefined {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return undefined;
  return { specifier: specifier.text, ...flags };
}

/** The path that a relative import of a file stands for. */
export function resolveRelative(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}

/**
 * The groups of files that import each other in a circle, be it by types alone or by `import()`: the strongly connected
 * components of the graph of imports (Tarjan, 1972).
 */
export function circlesOf(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const targets = new Map(
    files.map((file) => [file.path, importsOf(file).map(({ specifier }) => resolveRelative(file.path, specifier))]),
  );
  const circles: string[][] = [];
  const indexes = new Map<string, number>();
  const open: string[] = [];
  /** The lowest index that can be reached from a path. */
  const visit = (path: string): number => {
    const index = indexes.size;
    indexes.set(path, index);
    open.push(path);
    let lowest = index;
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!indexes.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, indexes.get(target) ?? index);
    }
    if (lowest === index) {
      const members = open.splice(open.indexOf(path));
      if (members.length > 1 || targets.get(path)?.includes(path)) circles.push(members.sort());
    }
    return lowest;
  };
  for (const path of targets.keys()) if (!indexes.has(path)) visit(path);
  return circles;
}

/** Whether a specifier is a module of Node. */
export function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

/** What stands in the way of `require()`: `await` outside of every function. */
export function hasTopLevelAwait(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassStaticBlockDeclaration(node)) return false;
  if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined)) return true;
  return childrenOf(node).some(hasTopLevelAwait);
}
