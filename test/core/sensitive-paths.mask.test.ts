import { sensitive } from "planwright";
import { describe, expect, it } from "vitest";
import { z } from "zod/v4";
import { maskPaths, sensitivePaths } from "../../src/core/sensitive-paths.ts";

const secret = sensitive(z.string());
interface Node {
  key: string;
  children?: Node[] | undefined;
}
const node: z.ZodType<Node> = z.lazy(() => z.object({ key: secret, children: z.array(node).optional() }));

const pathsOf = (schema: z.ZodType) => sensitivePaths(z.toJSONSchema(schema, { io: "input" }) as never);

describe("the sensitive paths of a schema", () => {
  it.each<[string, z.ZodType, string[], unknown, unknown]>([
    ["a field", z.object({ a: secret, b: z.string() }), ["/a"], { a: "x", b: "y" }, { a: "[sensitive]", b: "y" }],
    ["all of it", sensitive(z.object({ a: z.string() })), [""], { a: "x" }, "[sensitive]"],
    ["items", z.object({ a: z.array(secret) }), ["/a/*"], { a: ["x"] }, { a: ["[sensitive]"] }],
    ["a tuple", z.tuple([z.string(), secret]), ["/*"], ["x", "y"], ["[sensitive]", "[sensitive]"]],
    ["a record", z.record(z.string(), secret), ["/*"], { k: "x" }, { k: "[sensitive]" }],
    [
      "a union",
      z.union([z.object({ a: secret }), z.object({ a: z.number() })]),
      ["/a"],
      { a: 1 },
      { a: "[sensitive]" },
    ],
    ["an odd key", z.object({ "a/b~c": secret }), ["/a~1b~0c"], { "a/b~c": "x" }, { "a/b~c": "[sensitive]" }],
    ["no field", z.object({ a: z.string() }), [], { a: "x" }, { a: "x" }],
  ])("of %s", (_, schema, paths, value, masked) => {
    expect(pathsOf(schema)).toEqual(paths);
    expect(maskPaths(value, paths)).toEqual(masked);
  });

  it("of a schema within itself lead to any depth", () => {
    const paths = pathsOf(node);
    expect(maskPaths({ key: "x", children: [{ key: "y", children: [{ key: "z" }] }] }, paths)).toEqual({
      key: "[sensitive]",
      children: [{ key: "[sensitive]", children: [{ key: "[sensitive]" }] }],
    });
  });

  it("are all of it if there are too many parts", () => {
    const wide = { type: "object", properties: Object.fromEntries([...Array(20_000).keys()].map((key) => [key, {}])) };
    expect(sensitivePaths(wide)).toEqual([""]);
  });
});

it("masks what is sealed, and returns the very same where nothing is", () => {
  const value = { a: [{ b: 1 }] };
  expect(maskPaths(value, ["/c", "/a/b"])).toBe(value);
  expect(maskPaths({ a: { $sealed: "…" } }, [])).toEqual({ a: "[sensitive]" });
});
