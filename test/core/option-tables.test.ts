import { isAgentError } from "planwright";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/async/clock.ts";
import { checkKeys, checkOption, defined, failOption, readOptions } from "../../src/core/option-tables.ts";
import { nodesOf } from "../source-files.ts";

function refusal(
  check: () => void,
): { option: string; received: string; expected: string; message: string } | undefined {
  try {
    check();
  } catch (thrown) {
    if (isAgentError(thrown, "invalid-options")) return { ...thrown.details, message: thrown.message };
    throw thrown;
  }
  return undefined;
}

describe("failOption", () => {
  it("states the received value and the valid ones", () => {
    expect(refusal(() => failOption("retry", "often", "an object"))).toEqual({
      option: "retry",
      received: "text",
      expected: "an object",
      message: 'Option "retry" must be an object; received text.',
    });
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [5n, "5"],
    [Number.NaN, "NaN"],
    [Symbol("s"), "Symbol(s)"],
    [() => "the source of a function", "a function"],
    [[1, 2], "an array of length 2"],
    [{ secret: 1 }, "an object"],
    ["-----BEGIN PRIVATE KEY-----", "text"],
    [new Uint8Array([1, 2, 3]), "an object"],
    [new URL("https://ann:hunter2@x.test"), "an object"],
    ["", '""'],
  ])("describes %o briefly", (received, expected) => {
    expect(refusal(() => failOption("a", received, "b"))?.received).toBe(expected);
  });

  it("shows texts of an option whose texts are harmless, up to 200 characters", () => {
    const received = refusal(() => failOption("a", "x".repeat(500), "b", true))?.received;
    expect(received).toBe(JSON.stringify("x".repeat(200)));
  });
});

describe("numbers and durations", () => {
  const fromOneToTen = { type: "integer", min: 1, max: 10 } as const;

  it.each([undefined, 1, 5, 10])("accept %s", (value) => {
    expect(refusal(() => checkOption(fromOneToTen, value, "n"))).toBeUndefined();
  });

  it.each([0, 11, 1.5, Number.NaN, -1, "5", null, true, 5n, Number.POSITIVE_INFINITY])("refuse %s", (value) => {
    expect(refusal(() => checkOption(fromOneToTen, value, "n"))).toMatchObject({
      option: "n",
      expected: "a whole number from 1 to 10",
    });
  });

  it("report a missing value", () => {
    const spec = { type: "number", min: 1, isRequired: true } as const;
    expect(() => checkOption(spec, undefined, "n")).toThrow(
      'Option "n" must be a number of at least 1; it is missing.',
    );
    expect(refusal(() => checkOption(spec, 1, "n"))).toBeUndefined();
  });

  it("state only the minimum if there is no maximum", () => {
    const spec = { type: "number", min: 0 } as const;
    expect(refusal(() => checkOption(spec, -1, "n"))?.expected).toBe("a number of at least 0");
    expect(refusal(() => checkOption(spec, Number.POSITIVE_INFINITY, "n"))).toBeUndefined();
  });

  it("accept Infinity as a duration, and otherwise only valid timer delays", () => {
    const check = (value: unknown) => refusal(() => checkOption({ type: "duration", min: 1 }, value, "d"));
    for (const value of [undefined, 1, 0x7fffffff, Number.POSITIVE_INFINITY]) expect(check(value)).toBeUndefined();
    for (const value of [0, 0x80000000, Number.NEGATIVE_INFINITY, Number.NaN, "1s"]) expect(check(value)).toBeDefined();
  });
});

describe("checkOption", () => {
  it.each([
    ["a text", { type: "text" }, ["", "a"], [null, 5], "text"],
    ["a text that is not empty", { type: "short-text" }, ["a"], ["", 5], "text that is not empty"],
    ["true or false", { type: "boolean" }, [true, false], ["yes", 0, null], "true or false"],
    ["one of several texts", { oneOf: ["a", "b", "c"] }, ["a", "c"], ["d", 5, null], "a, b or c"],
    ["one of two texts", { oneOf: ["a", "b"] }, ["b"], ["ab"], "a or b"],
    ["a function", { type: "function" }, [() => 1, Date], [null, "f"], "a function"],
    ["a signal", { type: "signal" }, [AbortSignal.abort()], [true, null, {}], "an AbortSignal"],
    ["a clock", { type: "clock" }, [systemClock], [null, {}], "a clock (with now, setTimeout, clearTimeout)"],
    ["an object with methods", { methods: ["at"], expected: "a list" }, [[], "a"], [{}, null], "a list (with at)"],
    ["anything", { type: "any" }, [null, 5], [], ""],
  ] as const)("accepts only %s or undefined", (_name, spec, valid, invalid, expected) => {
    for (const value of [undefined, ...valid]) expect(refusal(() => checkOption(spec, value, "o"))).toBeUndefined();
    for (const value of invalid)
      expect(refusal(() => checkOption(spec, value, "o"))).toMatchObject({ option: "o", expected });
  });
});

describe("readOptions", () => {
  const sizes = {
    width: { type: "number", min: 1, isRequired: true },
    height: { type: "number", min: 1, default: 2 },
  } as const;
  const windows = {
    name: { type: "text" },
    size: { options: sizes },
    isOpen: { type: "boolean", default: false },
    title: (value: unknown = "none") => `"${value}"`,
    list: { read: (value: unknown) => [value], default: [] },
  } as const;
  const read = (options: unknown) => readOptions(windows, options as object);
  const rest = { isOpen: false, title: '"none"', list: [] };

  it("reads every option of the table, and applies the defaults", () => {
    expect(read({})).toStrictEqual({ name: undefined, size: undefined, ...rest });
    const given = { list: 5, size: { width: 3 }, name: "a", title: "b", isOpen: true };
    const settings = { name: "a", size: { width: 3, height: 2 }, isOpen: true, title: '"b"', list: [5] };
    expect(read(given)).toStrictEqual(settings);
    expect(Object.keys(read(given))).toEqual(Object.keys(windows));
    expect(read({ isOpen: undefined })).toMatchObject({ isOpen: false });
  });

  it("says what to write in place of something that is no object, and never shows a text", () => {
    const table = { title: { type: "text" }, name: { type: "text", isRequired: true } } as const;
    const readOf = (options: unknown) => readOptions(table, options as object, "window", { call: "createWindow(" });
    const message = (options: unknown) => refusal(() => readOf(options))?.message;
    const expected = "createWindow takes an object: write createWindow({ name: … }). ";
    expect(message("sk-1")).toBe(`${expected}Received text.`);
    expect(message(undefined)).toBe(`${expected}Received undefined.`);
    expect(message(Promise.resolve({}))).toBe(`${expected}Received a Promise: await it.`);
    const optional = (options: unknown) => readOptions({ title: table.title }, options as object, "window");
    const plain = 'Option "window" must be an object; ';
    expect(refusal(() => optional("sk-1"))?.message).toBe(`${plain}received text.`);
    expect(refusal(() => optional(undefined))?.message).toBe(`${plain}it is missing.`);
  });

  it("reads an option from a getter of a class", () => {
    class Options {
      get name() {
        return "a";
      }
    }
    expect(read(new Options())).toMatchObject({ name: "a" });
  });

  it.each([
    ["name", { name: 5 }],
    ["isOpen", { isOpen: null }],
    ["options.names", { names: 5 }],
    ["options.toString", { toString: 1 }],
    ["size", { size: 5 }],
    ["size.width", { size: {} }],
    ["size.depth", { size: { depth: 5 } }],
    ["options", null],
    ["options", [1]],
  ])("names the refused option: %s", (option, options) => {
    expect(refusal(() => read(options))?.option).toBe(option);
  });

  it("refuses unknown options first, and then in the order of the table", () => {
    expect(refusal(() => read({ isOpen: 5, name: 5 }))?.option).toBe("name");
    expect(refusal(() => read({ name: 5, other: 5 }))?.option).toBe("options.other");
  });

  it("prefixes the names of options with the option that holds them", () => {
    const readOf = (options: object) => readOptions(windows, options, "window");
    expect(refusal(() => readOf({ name: 5 }))?.option).toBe("window.name");
    expect(refusal(() => readOf({ names: 5 }))?.option).toBe("window.names");
    expect(refusal(() => readOf({ size: {} }))?.option).toBe("window.size.width");
  });

  it("accepts only the known options if they are listed", () => {
    const readSome = (options: object) => readOptions(windows, options, undefined, { known: ["name"] });
    expect(readSome({ name: "a" })).toEqual({ name: "a", ...rest });
    expect(refusal(() => readSome({ isOpen: true }))?.expected).toBe("one of name");
  });
});

describe("defined", () => {
  it("leaves out the undefined values of an object", () => {
    expect(defined({ a: 1, b: undefined, c: null })).toStrictEqual({ a: 1, c: null });
    expect(defined(undefined)).toEqual({});
  });
});

describe("keys", () => {
  it("are refused at the first unknown key, with the list of known keys", () => {
    expect(refusal(() => checkKeys("retry", { a: 1, b: 2 }, ["a", "c"]))).toMatchObject({
      option: "retry.b",
      received: "b",
      expected: "one of a, c",
    });
    expect(refusal(() => checkKeys("retry", { a: 1 }, ["a", "c"]))).toBeUndefined();
  });

  it("are refused with the place where an unknown key is an option, if that is known", () => {
    const check = (value: object) => () =>
      checkKeys("options", value, ["a"], (key) => (key === "b" ? "an option of a run" : undefined));
    expect(refusal(check({ b: 2 }))?.expected).toBe("an option of a run");
    expect(refusal(check({ c: 2 }))?.expected).toBe("one of a");
  });

  it("are refused with the nearest known key, and never with the value", () => {
    const check = (option: string) =>
      refusal(() => checkKeys(option, { plannr: "sk-1" }, ["tools", "planner"]))?.message;
    expect(check("options")).toBe('Unknown option "plannr". Did you mean "planner"? The options are tools, planner.');
    expect(check("retry")).toBe(
      'Unknown option "retry.plannr". Did you mean "planner"? The options are tools, planner.',
    );
  });

  it.each([undefined, null, "text", 5, [], () => 1])("are refused if %o is given instead of an object", (value) => {
    expect(refusal(() => checkKeys("retry", value, []))?.expected).toBe("an object");
  });
});

const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
const program = ts.createProgram(
  ["src/index.ts", "src/adapters/dbos/index.ts", "src/adapters/sqlite/index.ts", "src/adapters/postgres/index.ts"],
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
