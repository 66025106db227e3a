import ts from "typescript";
import { describe, expect, it } from "vitest";
import { nodesOf } from "./source-files.ts";

const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
const program = ts.createProgram(
  ["src/index.ts", "src/adapters/sqlite/index.ts", "src/adapters/postgres/index.ts"],
  options,
);
const checker = program.getTypeChecker();

/** An option that a table has, beside what its interface says of it. */
interface DeclaredOption {
  readonly name: string;
  /** As a text; undefined if it is nothing that a comment could state as a value. */
  readonly inTable: string | undefined;
  readonly inComment: string | undefined;
}

const declared = program
  .getSourceFiles()
  .filter(({ fileName }) => /(^|\/)src\//.test(fileName) && !fileName.includes("node_modules"))
  .flatMap((file) => [...nodesOf(file)].flatMap(optionsOf));

/** The options of a table, which is `{ … } satisfies OptionTable<SomeOptions>`. */
function optionsOf(node: ts.Node): readonly DeclaredOption[] {
  if (!ts.isSatisfiesExpression(node) || !ts.isTypeReferenceNode(node.type)) return [];
  const [documented] = node.type.typeArguments ?? [];
  const table = ts.isParenthesizedExpression(node.expression) ? node.expression.expression : node.expression;
  if (node.type.typeName.getText() !== "OptionTable" || documented === undefined) return [];
  if (!ts.isObjectLiteralExpression(table)) throw new Error(`No table: ${node.getText()}`);
  const type = checker.getTypeFromTypeNode(documented);
  return table.properties.filter(ts.isPropertyAssignment).map((property) => {
    const key = property.name.getText();
    const tags = type.getProperty(key)?.getJsDocTags(checker) ?? [];
    const text = ts.displayPartsToString(tags.find(({ name }) => name === "default")?.text);
    return {
      name: `${key} of ${documented.getText()}`,
      inTable: literalOf(defaultIn(property.initializer)),
      inComment: /^(?:true|false|Infinity|https?:\S+|[\d_.]+|"[^"]*")$/.test(text)
        ? text.replace(/["_]/g, "")
        : undefined,
    };
  });
}

/** The default of a specification, or that of the first parameter of a reader. */
function defaultIn(spec: ts.Expression): ts.Expression | undefined {
  if (ts.isObjectLiteralExpression(spec)) {
    const found = spec.properties.find(({ name }) => name?.getText() === "default");
    return found !== undefined && ts.isPropertyAssignment(found) ? found.initializer : undefined;
  }
  const reader = ts.isIdentifier(spec) ? declarationOf(spec) : spec;
  return reader !== undefined && ts.isFunctionLike(reader) ? reader.parameters[0]?.initializer : undefined;
}

function declarationOf(name: ts.Identifier): ts.Declaration | undefined {
  const symbol = checker.getSymbolAtLocation(name);
  const isImported = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  return (isImported ? checker.getAliasedSymbol(symbol) : symbol)?.valueDeclaration;
}

function literalOf(expression: ts.Expression | undefined): string | undefined {
  if (expression === undefined) return undefined;
  if (expression.getText() === "Number.POSITIVE_INFINITY") return "Infinity";
  const type = checker.getTypeAtLocation(expression);
  if (type.isStringLiteral() || type.isNumberLiteral()) return String(type.value);
  return type.flags & ts.TypeFlags.BooleanLiteral ? checker.typeToString(type) : undefined;
}

describe("the options of a table", () => {
  it.each(declared)("have the default that is documented: $name", ({ inTable, inComment }) => {
    expect(inTable).toBe(inComment);
  });

  it("are many, and many have a default", () => {
    expect(declared.length).toBeGreaterThan(100);
    expect(declared.filter(({ inTable }) => inTable !== undefined).length).toBeGreaterThan(30);
  });
});
