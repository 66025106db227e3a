import { describe, expect, it } from "vitest";
import { resolvePointer } from "../../../../src/planners/llm/resolve-pointer.ts";

const item = { type: "string" };
const root = {
  properties: { list: { items: [item] } },
  $defs: { "a/b": item, "c~d": item, "100%": item, é: item },
};

describe("resolvePointer", () => {
  it("follows a pointer within a schema", () => {
    expect(resolvePointer(root, "#")).toBe(root);
    expect(resolvePointer(root, "#/properties/list")).toBe(root.properties.list);
    expect(resolvePointer(root, "#/properties/list/items/0")).toBe(item);
  });

  it.each(["a~1b", "c~0d", "100%", "%C3%A9"])("reads the key %s", (name) => {
    expect(resolvePointer(root, `#/$defs/${name}`)).toBe(item);
  });

  it.each([
    "",
    "other.json",
    "#name",
    "#/nothing",
    "#/$defs/none/more",
    "#/properties/list/items/0/type",
    "#/toString",
  ])("finds nothing at %j", (pointer) => {
    expect(resolvePointer(root, pointer)).toBeUndefined();
  });
});
