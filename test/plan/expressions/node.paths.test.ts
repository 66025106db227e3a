import { describe, expect, it } from "vitest";
import { isPartOfData, pathOf } from "../../../src/plan/expressions/node.ts";
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

it.each<[string, boolean]>([
  ["s1.rows", true],
  ["s1.rows.filter(r, r.open)", true],
  ["s1.rows.filter(r, r.a).filter(r, r.b)", true],
  ["s1.rows.map(r, r.id)", false],
  ["s1.rows + s2.rows", false],
  ["true ? s1.a : s1.b", true],
  ["true ? s1.a : [1]", false],
  ["s1.rows[s2.i]", true],
  ["[1]", false],
])("%s is a part of the data: %s", async (text, isPart) => {
  expect(isPartOfData(await rootOf(text))).toBe(isPart);
});
