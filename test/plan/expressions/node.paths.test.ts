import { describe, expect, it } from "vitest";
import { collectPaths, isPartOfData, pathOf, resultTypeOf, sourceOf } from "../../../src/plan/expressions/node.ts";
import { celOf } from "./cel-outcome.ts";

const rootOf = async (text: string) => (await celOf(text)).root;
const write = ({ name, path }: { name: string; path: readonly (string | number)[] }) => [name, ...path].join("/");

describe("the path that an expression consists of", () => {
  it.each<[string, string | undefined]>([
    ["s1", "s1"],
    ["s1.a.b", "s1/a/b"],
    ['s1["a b"][0].c', "s1/a b/0/c"],
    ["s1[1.0]", "s1/1"],
    ["s1[-1]", undefined],
    ["s1[1.5]", undefined],
    ["s1[i]", undefined],
    ["s1[true]", undefined],
    ["s1.my-key", undefined],
    ["[s1][0]", undefined],
    ["1", undefined],
  ])("%s", async (text, expected) => {
    const path = pathOf(await rootOf(text));
    expect(path && write(path)).toBe(expected);
  });
});

describe("the paths that an expression reads", () => {
  it.each<[string, string[]]>([
    ["1 + 2", []],
    ["s1.a > s2.b.c", ["s1/a", "s2/b/c"]],
    ["has(s1.a.b) || !s1.c", ["s1/a", "s1/c"]],
    ["s1.l.all(x, x.y > s2.z && -s3 < 1)", ["s1/l", "s2/z", "s3"]],
    ["s1.l.map(x, s2.a, s3.b)", ["s1/l", "s2/a", "s3/b"]],
    ["s1.l[s2.i].x", ["s1/l", "s2/i"]],
    ["size(s1.t) > 1 ? s1.t.contains(s2.u) : false", ["s1/t", "s1/t", "s2/u"]],
    ["[s1.a, {'b': s2.b}]", ["s1/a", "s2/b"]],
  ])("%s", async (text, expected) => {
    expect(collectPaths(await rootOf(text)).map(write)).toEqual(expected);
  });
});

describe("the source of the items of a list", () => {
  it.each<[string, string | undefined, boolean]>([
    ["s1.rows", "s1/rows", true],
    ["s1.rows.filter(r, r.open)", "s1/rows", true],
    ["s1.rows.filter(r, r.a).filter(r, r.b)", "s1/rows", true],
    ["s1.rows.map(r, r.id)", undefined, false],
    ["s1.rows + s2.rows", undefined, false],
    ["true ? s1.a : s1.b", undefined, true],
    ["true ? s1.a : [1]", undefined, false],
    ["s1.rows[s2.i]", undefined, true],
    ["[1]", undefined, false],
  ])("%s", async (text, source, isPart) => {
    const root = await rootOf(text);
    const path = sourceOf(root);
    expect(path && write(path)).toBe(source);
    expect(isPartOfData(root)).toBe(isPart);
  });
});

describe("the type that a result has whatever the data", () => {
  it.each<[string, string | undefined]>([
    ["1", "number"],
    ["null", "null"],
    ["'a'", "string"],
    ["true", "boolean"],
    ["[]", "array"],
    ["{}", "object"],
    ["s1", undefined],
    ["s1.a[0]", undefined],
    ["s1 && s2", "boolean"],
    ["!s1", "boolean"],
    ["has(s1.a)", "boolean"],
    ["-s1", "number"],
    ["s1 * s2", "number"],
    ["s1 < s2", "boolean"],
    ["s1 in s2", "boolean"],
    ["s1 + s2", undefined],
    ["s1 + 1", "number"],
    ["'a' + s1", "string"],
    ["[1] + s1", "array"],
    ["s1 ? 1 : 2", "number"],
    ["s1 ? 1 : s2", undefined],
    ["size(s1)", "number"],
    ["int(s1)", "number"],
    ["string(s1)", "string"],
    ["dyn(s1)", undefined],
    ["dyn(1)", "number"],
    ["s1.trim()", "string"],
    ["s1.contains('a')", "boolean"],
    ["s1.all(x, x)", "boolean"],
    ["s1.exists_one(x, x)", "boolean"],
    ["s1.map(x, x)", "array"],
    ["s1.filter(x, x)", "array"],
    ["[1].map(x, x)[0]", undefined],
  ])("%s", async (text, type) => {
    expect(resultTypeOf(await rootOf(text))).toBe(type);
  });
});
